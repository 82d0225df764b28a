import { randomBytes } from 'node:crypto'
import { mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { BodyView } from '../../engine/work/view.ts'
import type { Remote } from '../daemon/remote.ts'
import { type Io, usage } from '../frame/io.ts'
import { beginIntegration, rootOf } from './branches.ts'
import { logOf } from './worker.ts'

type Values = Readonly<Record<string, string>>

/** A name that no other worker has. */
export const newWorker = (effort_id: number): string => `w${effort_id}-${randomBytes(3).toString('hex')}`

/** The command that does an item. */
export function commandIn({ command }: Values, call: string): string {
  if (command !== undefined && command.trim() !== '') return command
  throw usage(
    'Say which command does an item, with --command.',
    `holdfast ${call} --command 'my-agent --headless'`,
  )
}

/** Starts processes that do the items of a body of work, and returns their names. */
export async function startWorkers(
  io: Io,
  remote: Remote,
  { effort_id, task_id }: Pick<BodyView, 'effort_id' | 'task_id'>,
  { count, command, values }: { readonly count: number; readonly command: string; readonly values: Values },
): Promise<readonly string[]> {
  const root = rootOf(io)
  beginIntegration({ io, root, effort_id, folder: task_id })
  const { spawn } = await import('node:child_process')
  const workers = Array.from({ length: count }, () => newWorker(effort_id))
  for (const worker of workers) {
    const log = logOf(task_id, worker)
    mkdirSync(dirname(log), { recursive: true })
    const out = openSync(log, 'a')
    const flags = ['minutes', 'lease'].flatMap((name) =>
      values[name] === undefined ? [] : [`--${name}`, values[name]],
    )
    const words = ['worker', 'run', worker, '--effort', `${effort_id}`, '--command', command, ...flags]
    const env = { ...io.env, HOLDFAST_HOME: remote.launch.home.folder }
    const child = spawn(process.execPath, [io.entry, ...words], {
      detached: true,
      stdio: ['ignore', out, out],
      cwd: root,
      env,
    })
    child.unref()
  }
  return workers
}
