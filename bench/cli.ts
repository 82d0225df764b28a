import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { statusLineCommand } from '../src/hook/status-line.ts'
import { keyIn } from './hook-post.ts'
import { makeRepository, Scene } from './hook-scene.ts'
import { atMost, compared, race, type Row, timed } from './measure.ts'
import { connect, HOLDFAST, homeIn, socketIn, startDaemon, stop, withFolder } from './processes.ts'

const SESSION = '0d6b7c1e-5a53-4c53-9d7e-2f3a0c9a1b11'

/** As long as a real status line payload. */
const LINE_PAYLOAD = JSON.stringify({
  session_id: SESSION,
  context_window: { used_percentage: 62, context_window_size: 200_000 },
  padding: ' '.repeat(1000),
})

/** A workflow of the package, which nobody has to trust. */
const WORKFLOW = 'decision-critic'

/** A cold command from start to exit, while the daemon runs. */
export function cli(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const daemon = startDaemon(folder)
    const daemonLine = await connect(socketIn(folder))
    await daemonLine.call('db.project.upsert', { path: folder })
    await new Scene(makeRepository(folder), SESSION).begin(
      (payload) => () => daemonLine.call('hooks.handle', { payload }),
    )
    daemonLine.close()
    await keyIn(join(folder, 'home', 'hook.json'))
    const run = (program: string, ...words: readonly string[]) =>
      timed(() => {
        const options = { cwd: folder, env: homeIn(folder), input: LINE_PAYLOAD }
        const { status } = spawnSync(program, words, options)
        if (status !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${status}.`)
      })
    const node = (...words: readonly string[]) => run(process.execPath, ...words)
    cpSync(
      join(import.meta.dirname, '../contents/skills', WORKFLOW),
      join(folder, '.claude/skills', WORKFLOW),
      { recursive: true },
    )
    // What follows prints this step again.
    await node(HOLDFAST, 'step', WORKFLOW, '--param', 'decision=Use it.')(1)
    const line = (wraps?: string) => run('sh', '-c', statusLineCommand({ client: 'claude-code', wraps }))
    const times = await race(
      { rounds, calls: 30, turns: 30, warmUp: 3 },
      {
        nothing: node('-e', '0'),
        status: node(HOLDFAST, 'status'),
        version: node(HOLDFAST, '--version'),
        step: node(HOLDFAST, 'step', WORKFLOW),
        statusline: node(HOLDFAST, 'statusline'),
        line: line(),
        wrapped: line('cat >/dev/null; echo mine'),
      },
    )
    await stop(daemon)
    const shared = { name: 'cli', against: 'node -e 0', baseline: times.nothing, unit: 'ms' } as const
    return [
      compared({ ...shared, what: 'cold holdfast status', times: times.status, target: atMost(1.6) }),
      compared({ ...shared, what: 'cold holdfast --version', times: times.version, target: atMost(1.6) }),
      compared({ ...shared, what: 'holdfast step of a workflow', times: times.step, target: atMost(1.6) }),
      compared({ ...shared, what: 'holdfast statusline', times: times.statusline, target: atMost(1.3) }),
      compared({ ...shared, what: 'status line, as installed', times: times.line, target: atMost(1.3) }),
      compared({
        ...shared,
        what: 'status line around another one',
        times: times.wrapped,
        target: atMost(1.3),
      }),
    ]
  })
}
