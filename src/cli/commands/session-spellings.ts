import { resolve } from 'node:path'
import type { Effort } from '../../model/effort.ts'
import type { Task } from '../../model/task.ts'
import { startOn } from '../../model/task.ts'
import { CALLER_FLAGS, callerOf, identityOf, objectFrom } from '../frame/caller.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { type Io, usage } from '../frame/io.ts'
import { ownEffort } from '../daemon/own-effort.ts'
import { cell } from '../frame/print.ts'
import { printLines } from '../frame/show.ts'

/** Older commands `engine session …`, which name an effort by the folder of its task. */

export const sessionPhase: Command = {
  name: 'session phase',
  summary: 'Older name of `effort phase`, for the active effort of a task; reads proof from stdin.',
  usage: 'DIR LABEL',
  flags: {
    user_approved: { kind: 'value', summary: 'why the user overrides the plan' },
    reason: { kind: 'value', summary: 'same as --user-approved' },
    proof: { kind: 'value', summary: 'JSON, @file or - (default: stdin, if piped)' },
    ...CALLER_FLAGS,
  },
  async run(io, { positionals: [dir = '', label = ''], values }) {
    const proof = await objectFrom(io, values['proof'], 'The proof')
    using remote = new Remote(io)
    const { id } = await effortIn(remote, io, { dir, values })
    const reason = values['reason'] ?? values['user_approved']
    const moved = await remote.call<Moved>('db.effort.phase', {
      effort_id: id,
      ...identityOf(io, values),
      label,
      ...(proof !== undefined && { proof }),
      ...(reason !== undefined && { reason }),
    })
    printLines(io, moved, () => phaseLines(moved).join('\n'))
    return 0
  },
}

interface Moved {
  readonly current_phase: string
  readonly next_phases: readonly string[]
  readonly proof_to_leave: readonly string[]
}

const phaseLines = ({ current_phase, next_phases, proof_to_leave }: Moved): readonly string[] => [
  `Phase: ${current_phase}`,
  ...(proof_to_leave.length === 0
    ? []
    : ['Proof required to leave this phase:', ...proof_to_leave.map((field) => `  - ${field}`)]),
  ...(next_phases.length === 0 ? [] : [`Next: ${next_phases.join(' or ')}`]),
]

export const sessionCheck: Command = {
  name: 'session check',
  summary: 'Older name of `effort validate`, for the active effort of a task.',
  usage: 'DIR',
  flags: CALLER_FLAGS,
  async run(io, { positionals: [dir = ''], values }) {
    const found = await checkedIn(io, { dir, values })
    printLines(io, found, () =>
      found.checks
        .map(({ check, pass, detail }) => `${pass ? 'pass' : 'FAIL'}  ${check}: ${detail}`)
        .join('\n'),
    )
    return found.valid ? 0 : 1
  },
}

interface Checked {
  readonly valid: boolean
  readonly checks: readonly { readonly check: string; readonly pass: boolean; readonly detail: string }[]
}

export const sessionInit: Command = {
  name: 'session init',
  summary: 'Older name of `task upsert`: register the folder of a task.',
  usage: 'DIR',
  flags: {},
  async run(io, { positionals: [dir = ''] }) {
    const dir_path = folderOf(io, dir)
    using remote = new Remote(io)
    const task = await remote.call<Task>('db.task.upsert', { dir_path })
    printLines(io, task, () => `Task ${cell(task.dir_path)}. Start a skill on it: ${startOn(task.dir_path)}`)
    return 0
  },
}

export const sessionDebrief: Command = {
  name: 'session debrief',
  summary: 'Check the debrief of the active effort of a task, as `effort validate` does.',
  usage: 'DIR',
  flags: CALLER_FLAGS,
  async run(io, { positionals: [dir = ''], values }) {
    const { checks } = await checkedIn(io, { dir, values })
    const debrief = checks.find(({ check }) => check === 'debrief')
    if (debrief === undefined) throw new Error('The debrief was not checked.')
    printLines(io, debrief, () => debrief.detail)
    return debrief.pass ? 0 : 1
  },
}

/** The checks of the effort that the caller means. */
async function checkedIn(io: Io, where: Where): Promise<Checked> {
  using remote = new Remote(io)
  const { id } = await effortIn(remote, io, where)
  return await remote.call<Checked>('db.effort.validate', { effort_id: id })
}

interface Where {
  readonly dir: string
  readonly values: Readonly<Record<string, string>>
}

/** The effort of a task that the caller means. */
export async function effortIn(remote: Remote, io: Io, { dir, values }: Where): Promise<Effort> {
  const folder = folderOf(io, dir)
  const { agent_id, native_id } = callerOf(io, values)
  return await ownEffort(io, remote, { dir: folder, agent_id, native_id })
}

function folderOf(io: Io, dir: string): string {
  // An empty DIR is usually an unset variable, so it must not mean the current folder.
  if (dir === '') throw usage('DIR must not be empty.')
  return resolve(io.cwd, dir)
}
