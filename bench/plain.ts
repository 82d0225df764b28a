import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pipeCommand } from '../src/hook/commands.ts'
import { looking, Scene } from './hook-scene.ts'
import { compared, median, race, type Row, timed } from './measure.ts'
import { HOLDFAST, homeIn, withDaemon, withFolder } from './processes.ts'

const PROMPTS = 10
const CALLS = 30

/** What a session without any skill costs: the table of the README. */
export function plain(rounds: number): Promise<readonly Row[]> {
  return withFolder((folder) =>
    withDaemon(folder, async (line) => {
      const repository = join(folder, 'repository')
      mkdirSync(join(repository, '.git'), { recursive: true })
      const scene = new Scene(repository)
      const told = (event: string, more: object): number => bytesToldBy(folder, scene.payload(event, more))
      const prompt = () => told('UserPromptSubmit', { prompt: 'Fix the login page, and test it. '.repeat(3) })
      const bytes: number[] = [told('SessionStart', { source: 'startup' })]
      const look = looking(scene, (payload) => () => Promise.resolve(piped(folder, payload)))
      for (let index = 0; index < PROMPTS; index++) {
        bytes.push(prompt())
        await look(CALLS / PROMPTS)
      }
      const times = await race(
        { rounds, calls: 20, turns: 10, warmUp: 2 },
        {
          node: timed(() => void spawnSync(process.execPath, ['-e', '0'], { env: homeIn(folder) })),
          prompt: timed(prompt),
          call: look,
        },
      )
      const { memory_bytes: memory } = (await line.call('daemon.status')) as { memory_bytes: number }
      const recap = told('SessionStart', { source: 'resume' })
      const size = (what: string, value: number): Row => ({ name: 'plain', what, unit: 'bytes', p50: value })
      return [
        compared({
          name: 'plain',
          what: 'a prompt: one process of ours',
          times: times.prompt,
          against: 'node -e 0',
          baseline: times.node,
          unit: 'ms',
        }),
        compared({
          name: 'plain',
          what: 'before a tool call: one shell',
          times: times.call,
          against: 'node -e 0',
          baseline: times.node,
          unit: 'ms',
        }),
        { name: 'plain', what: 'memory of the daemon', unit: 'MB', p50: memory / 1e6 },
        size('put into the context by a start or a prompt', median(bytes)),
        size(`put into it by a resume after ${PROMPTS} prompts and ${CALLS} calls`, recap),
      ]
    }),
  )
}

/** Calls us as clients do before and after a tool. */
function piped(folder: string, payload: object): void {
  const line = pipeCommand({ client: 'claude-code' })
  const options = { input: JSON.stringify(payload), env: homeIn(folder) }
  const { status } = spawnSync('sh', ['-c', line], options)
  if (status !== 0) throw new Error(`The pipe ended with ${status}.`)
}

/** How much of a prompt is ours, by the command that clients run. */
function bytesToldBy(folder: string, payload: object): number {
  const options = { input: JSON.stringify(payload), env: homeIn(folder), encoding: 'utf8' } as const
  const { stdout, status } = spawnSync(process.execPath, [HOLDFAST, 'hook', 'claude-code'], options)
  if (status !== 0) throw new Error(`The hook ended with ${status}.`)
  if (stdout.trim() === '') return 0
  const reply = JSON.parse(stdout) as { hookSpecificOutput?: { additionalContext?: string } }
  return Buffer.byteLength(reply.hookSpecificOutput?.additionalContext ?? '')
}
