import { existsSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { ShownTask } from '../../engine/handoff/shown-task.ts'
import type { PlanFolder } from '../../model/handoff/plan-state.ts'
import type { FoundIn } from '../../model/handoff/problem.ts'
import type { Learning } from '../../model/handoff/learnings.ts'
import { USUAL_MODEL } from '../../model/handoff/overview.ts'
import { STATE_SIGNS, type TaskState } from '../../model/handoff/task-line.ts'
import { counted } from '../../model/text/line.ts'
import type { Io } from '../frame/io.ts'
import { cell, paint } from '../frame/print.ts'
import type { Remote } from '../daemon/remote.ts'
import type { Files } from './history.ts'

/** What `handoff.show` answers. */
export interface Shown {
  readonly root: string
  readonly file: string
  readonly exists: boolean
  readonly digest: string | null
  readonly date: string | null
  readonly status: string | null
  readonly next: ShownTask | null
  readonly tasks: readonly ShownTask[]
  readonly parallel: readonly string[]
  readonly plans: readonly (Omit<PlanFolder, 'command'> & {
    readonly command: string | null
    readonly is_scheduled: boolean
  })[]
  readonly learnings: { readonly file: string; readonly lines: number; readonly all: readonly Learning[] }
  readonly problems: readonly FoundIn[]
}

/** The session file of the project here. */
export const shownHere = (io: Io, remote: Remote): Promise<Shown> =>
  remote.call<Shown>('handoff.show', { path: io.cwd })

/** What git knows of a page that a link leads to stands under the name of the page. */
export const filesOf = ({ root, file, learnings }: Shown): Files => {
  const real = (name: string) => {
    const path = join(root, name)
    return existsSync(path) ? relative(root, realpathSync(path)) : name
  }
  return { session: real(file), learnings: real(learnings.file) }
}

const ENDED: ReadonlySet<TaskState> = new Set<TaskState>(['done', 'cancelled'])

/** True for a task that somebody may still do. */
export const isOpenTask = ({ state }: Pick<ShownTask, 'state'>): boolean => !ENDED.has(state)

/** The next task, what is pending, and what could be done: the STATUS of a session file. */
export function statusText(io: Io, shown: Shown): string {
  const { file, exists, date, status, next, tasks, parallel, plans, problems } = shown
  if (!exists)
    return `This project has no session file. Begin ${file}: holdfast todo add 'NAME' --command 'COMMAND'`
  const open = tasks.filter(isOpenTask)
  const inTree = open.filter((task) => task.section === 'tasks' && task.name !== next?.name)
  const worktree = open.filter(({ section }) => section === 'worktree')
  const free = plans.filter((plan) => !plan.is_scheduled && plan.state !== 'delivered')
  return [
    [paint(io, 'bold', cell(file)), ...(date === null ? [] : [cell(date)])].join('  '),
    ...(status === null || status === '' ? [] : [`Status: ${cell(status)}`]),
    '',
    ...(next === null ? ['No pending tasks.'] : nextLines(io, next)),
    ...list('Pending', inTree.map(pendingLine)),
    ...list('Worktree', worktree.map(pendingLine)),
    ...list(
      'Unscheduled plans',
      free.map(
        ({ name, state, command }) =>
          `${cell(name)}: ${state}${command === null ? '' : `, then ${cell(command)}`}`,
      ),
    ),
    ...list(`Parallel (${counted(parallel.length, 'task')}, independent)`, parallel.map(cell)),
    ...(problems.length === 0
      ? []
      : [
          '',
          `${counted(problems.length, 'problem')} in ${cell(file)} or its learnings. To list them: holdfast todo check`,
        ]),
  ].join('\n')
}

const list = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `- ${line}`)]

/** The next task with its command, its model and whether it needs a new session. */
export function nextLines(io: Pick<Io, 'color'>, next: ShownTask): readonly string[] {
  const { name, state, command, restart } = next
  const about = state === 'in-progress' ? ' (in progress)' : ''
  return [
    `Next: ${paint(io, 'bold', cell(name))}${about}`,
    ...(command === null ? [] : [`  ${paint(io, 'cyan', cell(command))}`]),
    `  Model: ${cell(modelOf(next))} | Restart: ${restart ? 'yes' : 'no'}`,
  ]
}

export const modelOf = ({ model }: ShownTask): string => model ?? USUAL_MODEL

function pendingLine(task: ShownTask): string {
  const { name, state, slug, model } = task
  const details = [
    ...(state === 'pending' ? [] : [state.replace('-', ' ')]),
    ...(model === null || model === USUAL_MODEL ? [] : [cell(model)]),
  ]
  const where = slug === null ? '' : ` → ${cell(slug)}`
  return `${cell(name)}${where}${details.length === 0 ? '' : ` (${details.join(', ')})`}`
}

/** One line of `holdfast todo list`. */
export function taskRow(io: Pick<Io, 'color'>, task: ShownTask): string {
  const { state, name, token, slug, command, model, restart, priority } = task
  const parts = [
    ...(command === null ? [] : [paint(io, 'cyan', cell(command))]),
    ...(model === null ? [] : [cell(model)]),
    ...(restart ? ['restart'] : []),
    ...(priority === null ? [] : [`priority ${cell(priority)}`]),
  ]
  const head = `[${STATE_SIGNS[state]}] ${cell(name)}${slug === null ? '' : ` → ${cell(slug)}`}`
  const behind = token === null ? '' : ` ${paint(io, 'dim', token)}`
  return `${head}${behind}${parts.length === 0 ? '' : `  ${parts.join(' | ')}`}`
}

/** A problem as editors and hooks of git read it. */
export const problemLine = ({ file, learnings }: Shown, { file: of, line, message, hint }: FoundIn): string =>
  `${of === 'session' ? file : learnings.file}:${line}: ${cell(message)} ${cell(hint)}`
