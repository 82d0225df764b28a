import { lstatSync } from 'node:fs'
import { checkPrivate } from '../../../daemon/home.ts'
import { LOG_LEVELS } from '../../../daemon/log.ts'
import { VERSION } from '../../../daemon/version.ts'
import { EngineError, type ErrorCode } from '../../../model/error.ts'
import { shellWord } from '../../../model/shell/word.ts'
import { isNewer } from '../../../model/version.ts'
import { blockedBy } from '../../daemon/connect.ts'
import type { Check, Group, Problem } from '../check.ts'
import { damageOf } from './database.ts'
import { elsewhere, homeProblems } from './home.ts'
import { fullDisk } from './scarce.ts'
import type { Scene } from '../scene.ts'

/** A check for one kind of error of a daemon that cannot be reached. */
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

/** The error of the start is often only a consequence, so look for the cause first. */
async function fixOfStart(scene: Scene, { code, hint }: EngineError): Promise<string> {
  const [cause] = [
    ...homeProblems(scene),
    ...blocked(scene),
    ...openTo(scene.home.socket),
    ...(code === 'storage-full' ? fullDisk(scene) : []),
    ...(await damageOf(scene)),
  ]
  // An error that nothing here explains sends to doctor, which is this.
  return (
    cause?.fix ?? (hint === 'holdfast doctor' ? 'holdfast logs' : (hint ?? 'holdfast daemon stop --force'))
  )
}

export const daemon: Group = {
  name: 'daemon',
  async well(scene) {
    const { status } = await scene.reached()
    return status === undefined ? undefined : `Version ${status.version} is running, pid ${status.pid}.`
  },
  checks: [
    failing(
      {
        code: 'daemon-lost',
        finds: 'the daemon is running, but its socket is missing',
        mends: 'holdfast daemon stop --force',
      },
      (code) => code === 'not-found',
      () => 'holdfast daemon stop --force',
    ),
    failing(
      {
        code: 'daemon-stuck',
        finds: 'the daemon accepts connections but does not answer',
        mends: 'holdfast daemon stop --force',
      },
      (code) => code === 'timeout',
      () => 'holdfast daemon stop --force',
    ),
    failing(
      {
        code: 'daemon-unreachable',
        finds: 'the daemon is not running and does not start',
        mends: 'depends on the error of the start: home, database or version; else `holdfast logs` says more',
      },
      (code) => code !== 'not-found' && code !== 'timeout',
      fixOfStart,
    ),
    {
      code: 'daemon-old',
      severity: 'broken',
      finds: 'the daemon is older than this command and did not hand over',
      mends: 'holdfast daemon stop',
      async look(scene) {
        const { status } = await scene.reached()
        // Versions that cannot be compared cause no handover.
        if (status === undefined || status.version === VERSION || isNewer(status.version, VERSION)) return []
        const detail = `The daemon is version ${status.version}, this command is ${VERSION}, and the daemon did not hand over. See: holdfast logs`
        return [{ detail, fix: 'holdfast daemon stop' }]
      },
    },
    {
      code: 'command-old',
      severity: 'warning',
      finds: 'this command is older than the daemon',
      mends: 'LAUNCHER doctor',
      async look(scene) {
        const { status } = await scene.reached()
        if (status === undefined || !isNewer(status.version, VERSION)) return []
        const detail = `The daemon is version ${status.version}, this command is ${VERSION}.`
        // A newer daemon has written its own program into the launcher.
        return [{ detail, fix: `${shellWord(scene.home.launcher)} doctor` }]
      },
    },
    {
      code: 'log-level',
      severity: 'warning',
      finds: 'HOLDFAST_LOG names an unknown level, so the daemon uses info',
      mends: 'export HOLDFAST_LOG=info',
      look({ io }) {
        const given = io.env['HOLDFAST_LOG'] ?? ''
        if (given === '' || LOG_LEVELS.some((level) => level === given)) return []
        const detail = `HOLDFAST_LOG is ${JSON.stringify(given)}, not one of ${LOG_LEVELS.join(', ')}.`
        return [{ detail, fix: 'export HOLDFAST_LOG=info' }]
      },
    },
  ],
}

export const socket: Group = {
  name: 'socket',
  well: ({ home }) => `${home.socket} is private.`,
  checks: [
    {
      code: 'socket-missing',
      severity: 'broken',
      finds: 'the socket does not exist',
      mends: 'the fix of the daemon, or holdfast daemon start',
      async look(scene) {
        const { error } = await scene.reached()
        if (lstatSync(scene.home.socket, { throwIfNoEntry: false }) !== undefined) return []
        const fix = error === undefined ? 'holdfast daemon start' : await fixOfStart(scene, error)
        return [{ detail: `${scene.home.socket} does not exist.`, fix }]
      },
    },
    {
      code: 'socket-blocked',
      severity: 'broken',
      finds: 'another file has the path of the socket',
      mends: 'mv SOCKET SOCKET.moved',
      look: blocked,
    },
    {
      code: 'socket-open',
      severity: 'broken',
      finds: 'other users can connect to the daemon',
      mends: 'chmod go-rwx SOCKET',
      look: (scene) =>
        (blocked(scene).length > 0 ? [] : openTo(scene.home.socket)).map(({ detail, fix }) => ({
          detail,
          fix: fix.startsWith('chmod ') ? fix : elsewhere(scene),
        })),
    },
  ],
}

function blocked({ home }: Scene): readonly Problem[] {
  if (lstatSync(home.socket, { throwIfNoEntry: false }) === undefined) return []
  const error = blockedBy(home)
  return error === undefined ? [] : [{ detail: error.message, fix: error.hint ?? '' }]
}

/** Whether other users can access a path, with the fix. */
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
