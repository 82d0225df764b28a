import { lstatSync } from 'node:fs'
import { checkPrivate } from '../../../daemon/home.ts'
import { LEVELS } from '../../../daemon/log.ts'
import { VERSION } from '../../../daemon/version.ts'
import { EngineError, type ErrorCode } from '../../../model/error.ts'
import { isNewer } from '../../../model/version.ts'
import type { Check, Group, Problem } from '../check.ts'
import { damageOf } from './database.ts'
import { elsewhere, homeProblems } from './home.ts'
import { fullDisk } from './scarce.ts'
import type { Scene } from '../scene.ts'

/** A look at a daemon that cannot be reached, for one kind of reason. */
const failing = (
  about: Pick<Check, 'code' | 'finds' | 'mends'>,
  isIt: (code: ErrorCode) => boolean,
  fix: (scene: Scene, error: EngineError) => string | Promise<string>,
): Check => ({
  ...about,
  severity: 'broken',
  async look(scene) {
    const { error } = await scene.reached()
    if (error === undefined || !isIt(error.code)) return []
    return [{ detail: error.message, fix: await fix(scene, error) }]
  },
})

/** What the start has said is often only what follows from something else. */
async function fixOfStart(scene: Scene, { code, hint }: EngineError): Promise<string> {
  const [cause] = [
    ...homeProblems(scene),
    ...openTo(scene.home.socket),
    ...(code === 'storage-full' ? fullDisk(scene) : []),
    ...(await damageOf(scene)),
  ]
  return cause?.fix ?? hint ?? 'holdfast daemon stop --force'
}

export const daemon: Group = {
  name: 'daemon',
  async well(scene) {
    const { status } = await scene.reached()
    return status === undefined ? undefined : `Version ${status.version} answers as pid ${status.pid}.`
  },
  checks: [
    failing(
      {
        code: 'daemon-lost',
        finds: 'a daemon runs whose socket is gone, so that nobody reaches it',
        mends: 'holdfast daemon stop --force',
      },
      (code) => code === 'not-found',
      () => 'holdfast daemon stop --force',
    ),
    failing(
      {
        code: 'daemon-stuck',
        finds: 'the daemon keeps its connections but answers nothing',
        mends: 'holdfast daemon stop --force',
      },
      (code) => code === 'timeout',
      () => 'holdfast daemon stop --force',
    ),
    failing(
      {
        code: 'daemon-unreachable',
        finds: 'no daemon runs, and none can be started',
        mends: 'what the start says: the home, the database, the version',
      },
      (code) => code !== 'not-found' && code !== 'timeout',
      fixOfStart,
    ),
    {
      code: 'daemon-old',
      severity: 'broken',
      finds: 'the daemon is older than this command, and has not handed over to a newer one',
      mends: 'holdfast daemon stop',
      async look(scene) {
        const { status } = await scene.reached()
        // What cannot be compared would not have been asked to hand over.
        if (status === undefined || status.version === VERSION || isNewer(status.version, VERSION)) return []
        const detail = `The daemon is version ${status.version}, this command is ${VERSION}, and it has not handed over; why is in: holdfast logs.`
        return [{ detail, fix: 'holdfast daemon stop' }]
      },
    },
    {
      code: 'command-old',
      severity: 'warning',
      finds: 'this command is older than the daemon, which it leaves as it is',
      mends: 'npm install -g holdfast@latest',
      async look(scene) {
        const { status } = await scene.reached()
        if (status === undefined || !isNewer(status.version, VERSION)) return []
        const detail = `The daemon is version ${status.version}, this command is ${VERSION}.`
        return [{ detail, fix: 'npm install -g holdfast@latest' }]
      },
    },
    {
      code: 'log-level',
      severity: 'warning',
      finds: 'HOLDFAST_LOG names a level that does not exist, and info is taken',
      mends: 'export HOLDFAST_LOG=info',
      look({ io }) {
        const given = io.env['HOLDFAST_LOG'] ?? ''
        if (given === '' || LEVELS.some((level) => level === given)) return []
        const detail = `HOLDFAST_LOG is ${JSON.stringify(given)}, not one of ${LEVELS.join(', ')}.`
        return [{ detail, fix: 'export HOLDFAST_LOG=info' }]
      },
    },
  ],
}

export const socket: Group = {
  name: 'socket',
  well: ({ home }) => `${home.socket} is only ours.`,
  checks: [
    {
      code: 'socket-missing',
      severity: 'broken',
      finds: 'there is no socket, because no daemon could make one',
      mends: 'what mends the daemon, or holdfast daemon start',
      async look(scene) {
        const { error } = await scene.reached()
        if (lstatSync(scene.home.socket, { throwIfNoEntry: false }) !== undefined) return []
        const fix = error === undefined ? 'holdfast daemon start' : await fixOfStart(scene, error)
        return [{ detail: `There is no ${scene.home.socket}.`, fix }]
      },
    },
    {
      code: 'socket-open',
      severity: 'broken',
      finds: 'other users could speak to the daemon',
      mends: 'chmod go-rwx SOCKET',
      look: (scene) =>
        openTo(scene.home.socket).map(({ detail, fix }) => ({
          detail,
          fix: fix.startsWith('chmod ') ? fix : elsewhere(scene),
        })),
    },
  ],
}

/** What another user could look into, with what mends it. */
export function openTo(path: string): readonly Problem[] {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return []
  try {
    checkPrivate(path)
    return []
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    return [{ detail: error.message, fix: error.hint ?? '' }]
  }
}
