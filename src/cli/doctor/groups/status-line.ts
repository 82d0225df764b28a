import { VERSION } from '../../../daemon/version.ts'
import { tryLine } from '../../install/canary.ts'
import { clientWords } from '../../install/place.ts'
import type { Group, Problem } from '../check.ts'
import type { Scene } from '../scene.ts'
import { byClient, type Source } from '../sources.ts'
import { byPrecedence, hookedIn, wiredIn } from './settings.ts'

/** The sources of each client that has a status line. */
const drawing = (scene: Scene): readonly (readonly Source[])[] =>
  byClient(scene.sources()).filter(([first]) => first?.client.statusLine !== undefined)

/** The status lines of one client, the visible one first. */
const linesIn = (sources: readonly Source[]) =>
  byPrecedence(sources).flatMap((source) => {
    const { statusLine: line } = wiredIn(source)
    return line === undefined ? [] : [{ source, line }]
  })

/** Users of the plugin must not install the hooks a second time. */
const notDrawn = (sources: readonly Source[]): string =>
  hookedIn(sources).some(({ kind }) => kind === 'plugin')
    ? 'Not installed here: a plugin cannot add it. To have it, replace the plugin: holdfast init'
    : `Not installed here. Install it: holdfast init${sources[0] === undefined ? '' : clientWords(sources[0].client)} --status-line`

function stateOf(sources: readonly Source[]): string {
  const [drawn, ...hidden] = linesIn(sources)
  if (drawn?.line.isOurs === true) return `Installed in scope ${drawn.source.kind} (${drawn.source.path}).`
  const ours = hidden.find(({ line }) => line.isOurs)
  return drawn === undefined || ours === undefined
    ? notDrawn(sources)
    : `${drawn.source.path} has another status line, which hides the one of scope ${ours.source.kind}.`
}

async function silence(scene: Scene, sources: readonly Source[]): Promise<readonly Problem[]> {
  const [drawn] = linesIn(sources)
  if (drawn?.line.isOurs !== true) return []
  const { client, project, path, kind } = drawn.source
  const problem = await tryLine(scene.io, scene.remote, { client, command: drawn.line.command, project })
  if (problem === undefined) return []
  const fix = `holdfast init${clientWords(client)} --scope ${kind} --status-line --yes`
  return [{ detail: `${path}: the status line does not reach the daemon: ${problem}.`, fix }]
}

export const statusLine: Group = {
  name: 'statusline',
  well: (scene) => drawing(scene).map(stateOf).join(' '),
  checks: [
    {
      code: 'statusline-silent',
      severity: 'broken',
      finds: 'the status line does not reach the daemon',
      mends: 'holdfast init --scope SCOPE --status-line --yes',
      async look(scene) {
        const status = await scene.served()
        // A daemon of another version may not support test events; the http group reports closed HTTP.
        if (status?.version !== VERSION || !status.http.listening) return []
        const problems: Problem[] = []
        for (const sources of drawing(scene)) problems.push(...(await silence(scene, sources)))
        return problems
      },
    },
  ],
}
