import { spawnSync } from 'node:child_process'
import { atMost, compared, race, type Row, timed } from './measure.ts'
import { connect, HOLDFAST, homeIn, socketIn, startDaemon, stop, withFolder } from './processes.ts'

/** A command as a person types it, from nothing to its end, while the daemon runs. */
export function cli(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const daemon = startDaemon(folder)
    const line = await connect(socketIn(folder))
    await line.call('db.project.upsert', { path: folder })
    line.close()
    const run = (...words: readonly string[]) =>
      timed(() => {
        const { status } = spawnSync(process.execPath, words, { cwd: folder, env: homeIn(folder) })
        if (status !== 0) throw new Error(`node ${words.join(' ')} ended with ${status}.`)
      })
    const times = await race(
      { rounds, calls: 30, turns: 30, warmUp: 3 },
      { nothing: run('-e', '0'), status: run(HOLDFAST, 'status'), version: run(HOLDFAST, '--version') },
    )
    await stop(daemon)
    const shared = { name: 'cli', against: 'node -e 0', baseline: times.nothing, unit: 'ms' } as const
    return [
      compared({ ...shared, what: 'cold holdfast status', times: times.status, target: atMost(1.6) }),
      compared({ ...shared, what: 'cold holdfast --version', times: times.version, target: atMost(1.6) }),
    ]
  })
}
