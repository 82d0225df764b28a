import { findHome } from '../../daemon/home.ts'
import { canLaunch, durableEntry, holdfastOnPath, LAUNCHED } from '../../daemon/launcher.ts'
import { shellWord } from '../../model/shell/word.ts'
import { PROGRAM, withProgram } from '../../model/text/told-commands.ts'
import type { ChildView, StepView } from '../../model/workflow/view.ts'
import type { Io } from './io.ts'

export type Teller = Pick<Io, 'env' | 'entry' | 'program'>

/** A text with commands that work in the shell of this user. */
export const forShell = (io: Teller, text: string): string =>
  text.includes(PROGRAM) ? withProgram(text, programFor(io)) : text

/** How this user calls our program: by name, by its launcher, or as it was called now. */
function programFor({ env, entry, program }: Teller): string {
  if (program !== undefined) return program
  // A caller that used the launcher may have no other way, as in a sandbox.
  const isLaunched = env[LAUNCHED] !== undefined
  if (!isLaunched && holdfastOnPath(env) !== undefined) return PROGRAM
  const home = findHome(env)
  if (canLaunch(home)) return shellWord(home.launcher)
  return `${shellWord(process.execPath)} ${shellWord(durableEntry(entry, env))}`
}

/** The fields of results that hold commands; other fields may hold the words of users. */
const COMMANDS: ReadonlySet<string> = new Set([
  'fix',
  'hint',
  'next',
  'undo',
  'next_actions',
  'whole',
  'command_done',
  'command_error',
])

/** A result with commands that work in the shell of this user. */
export function resultForShell(io: Teller, value: unknown, key = ''): unknown {
  if (typeof value === 'string') return COMMANDS.has(key) ? forShell(io, value) : value
  if (Array.isArray(value)) return value.map((part) => resultForShell(io, part, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, resultForShell(io, part, name)]),
  )
}

/** A step of a workflow with commands that work in the shell of this user; its texts are its author's. */
export function viewForShell(io: Teller, view: StepView): StepView {
  const told = <Told extends { readonly command: string }>(one: Told): Told => ({
    ...one,
    command: forShell(io, one.command),
  })
  const { next, gate, dispatch, again } = view
  return {
    ...view,
    next: next.map(told),
    again: forShell(io, again),
    gate: gate === null ? null : { ...gate, choices: gate.choices.map(told) },
    dispatch:
      dispatch === null
        ? null
        : {
            ...dispatch,
            children: dispatch.children.map((child) => ({
              ...child,
              command: child.command === null ? null : forShell(io, child.command),
              ...(child.report !== undefined && { report: reportForShell(io, child.report) }),
            })),
          },
  }
}

const reportForShell = (io: Teller, { done, fail }: NonNullable<ChildView['report']>) => ({
  ...(done !== undefined && { done: forShell(io, done) }),
  fail: forShell(io, fail),
})
