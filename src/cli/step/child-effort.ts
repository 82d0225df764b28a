import { numberOf, type Flags } from '../frame/args.ts'
import { callerOf } from '../frame/caller.ts'
import { type Io, usage } from '../frame/io.ts'
import { cell } from '../frame/print.ts'
import { printResult } from '../frame/show.ts'
import { callAs } from '../daemon/call-as.ts'
import type { Remote } from '../daemon/remote.ts'

/** The flags with which a sub-agent names its work; its caller prints them. */
export const CHILD_FLAGS = {
  parent: { kind: 'value', summary: 'of a sub-agent: the effort whose step it does' },
  child: { kind: 'value', summary: 'the number of a sub-agent of the step' },
  at: { kind: 'value', summary: 'of a sub-agent: its step, if several run the same workflow' },
} as const satisfies Flags

/** The answer of `step.child`. */
interface Told {
  readonly effort_id: number | null
  readonly state: 'running' | 'ok' | 'fail' | 'over'
  readonly values: Readonly<Record<string, string>>
}

/** The effort of a sub-agent, begun if it is new; undefined once it has said that the work is over. */
export async function childEffort(
  io: Io,
  remote: Remote,
  { word, values }: { readonly word: string | undefined; readonly values: Readonly<Record<string, string>> },
): Promise<number | undefined> {
  const { parent = '', child, at, visit } = values
  const workflow = word?.slice(word.lastIndexOf('/') + 1)
  if (workflow === undefined || !word?.includes('/') || child === undefined)
    throw usage('A sub-agent names its workflow and its number.', EXAMPLE)
  const { client: _, cwd: __, ...caller } = callerOf(io, values)
  const told = await callAs<Told>(io, remote, 'step.child', {
    effort_id: numberOf(parent, '--parent'),
    workflow,
    child: numberOf(child, '--child'),
    ...(at !== undefined && { step: at }),
    ...(visit !== undefined && { visit: numberOf(visit, '--visit') }),
    ...caller,
  })
  if (told.effort_id !== null && told.state === 'running') return told.effort_id
  printResult(io, told, () => overText(told))
  return undefined
}

const EXAMPLE = 'holdfast step SKILL/WORKFLOW --parent 3 --child 1 --visit 1'

function overText({ state, values }: Told): string {
  if (state === 'over') return 'Nobody waits for this work any more. Return to the agent that started you.'
  const said = Object.entries(values).filter(([, value]) => value !== '')
  const what = said.length === 0 ? '' : ` It returned ${said.map((pair) => cell(pair.join('='))).join(', ')}.`
  const how = state === 'ok' ? 'This work is done.' : 'This work was given up.'
  return `${how}${what} Return to the agent that started you.`
}
