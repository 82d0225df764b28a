import { lstatSync } from 'node:fs'
import type { HttpStatus } from '../../../engine/call/context.ts'
import { shellWord } from '../../../model/shell/word.ts'
import type { Group } from '../check.ts'
import { lostPort, openHttp } from '../../daemon/until-http.ts'
import { openTo } from './daemon.ts'
import { trialsOf } from './hooks.ts'
import { waysOf } from './settings.ts'
import type { Scene } from '../scene.ts'

const keysOf = ({ home }: Scene) => [home.hookKey, home.fullKey]

/** The status of closed HTTP, unless it is off or its key files are the cause. */
async function closed(scene: Scene): Promise<HttpStatus | undefined> {
  const { status } = await scene.reached()
  if (status === undefined || status.http.listening || !scene.home.opensHttp) return undefined
  const isTold = keysOf(scene).some((path) => !isKey(path) || openTo(path).length > 0)
  return isTold ? undefined : status.http
}

const isKey = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() !== false

export const http: Group = {
  name: 'http',
  async well(scene) {
    if (!scene.home.opensHttp) return 'HTTP is off, so hooks of tool calls reach no daemon.'
    const { status } = await scene.reached()
    if (status === undefined) return undefined
    const trials = (await trialsOf(scene)).flatMap(([, those]) => those)
    // An open port says nothing about hooks; their own lines do.
    const does = trials.length > 0 && trials.every(({ ok }) => ok) ? 'receives hooks' : 'is open'
    return [`http://127.0.0.1:${status.http.port} ${does}.`, lostPort(status.http) ?? []].flat().join(' ')
  },
  checks: [
    {
      code: 'http-off',
      severity: 'broken',
      finds: 'HTTP is off, but installed hooks of an older version call the daemon by HTTP',
      mends: 'unset HOLDFAST_HTTP, or holdfast config unset http; then holdfast daemon stop',
      look: (scene) =>
        scene.home.opensHttp
          ? []
          : scene
              .sources()
              .filter((source) => waysOf(source).some((way) => way.kind === 'http'))
              .map(({ path }) => ({
                detail: `HTTP is off, but hooks in ${path} call the daemon by HTTP.`,
                fix: openHttp(scene.io),
              })),
    },
    {
      code: 'keys-open',
      severity: 'broken',
      finds: 'other users could read the tokens',
      mends: 'holdfast daemon rotate-token',
      look: (scene) =>
        keysOf(scene)
          .filter(isKey)
          .flatMap(openTo)
          .map(({ detail }) => ({
            detail: `${detail} The tokens are no longer secret.`,
            fix: 'holdfast daemon rotate-token',
          })),
    },
    {
      code: 'keys-blocked',
      severity: 'broken',
      finds: 'the path of a token file is not a file, so the daemon cannot receive hooks',
      mends: 'rm -r FILE && holdfast daemon stop',
      look: (scene) =>
        keysOf(scene)
          .filter((path) => !isKey(path))
          .map((path) => ({
            detail: `${path} is not a file.`,
            fix: `rm -r ${shellWord(path)} && holdfast daemon stop`,
          })),
    },
    {
      code: 'http-closed',
      severity: 'broken',
      finds: 'the daemon does not listen for hooks',
      mends: 'holdfast daemon stop',
      async look(scene) {
        const found = await closed(scene)
        if (found === undefined) return []
        const detail = `The daemon cannot receive hooks: ${found.problem ?? 'HTTP did not open.'}`
        return [{ detail, fix: 'holdfast daemon stop' }]
      },
    },
  ],
}
