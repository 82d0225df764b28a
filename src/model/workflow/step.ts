import {
  completeAfter,
  MANDATE,
  RUN_NEXT,
  RUN_ONE,
  STAYS,
  THIS_COMMAND,
  toGiveUp,
  toPrintAgain,
  toReport,
  toStartAgain,
  USER_DECIDES,
  waitsFor,
  whenEnded,
} from './guidance.ts'
import { isChild } from '../child.ts'
import type { ChildResult, ChildView, StepView, Way } from './view.ts'
import { type Element, element, flatElement, type Part } from './xml.ts'

/** The frame of a step as XML: its head, what to do, and what to run after it. */

export const stepHeader = ({
  skill,
  phase,
  number,
  total,
  title,
}: Pick<StepView, 'skill' | 'phase' | 'number' | 'total' | 'title'>): Element =>
  element('step_header', title, { script: skill, phase, step: number, total })

export const xmlMandate = (): Element => element('xml_format_mandate', MANDATE)

export const gateResult = (status: 'pass' | 'fail', message: string): Element =>
  element('gate_result', message, { status })

export const currentAction = (actions: readonly Part[]): Element => flatElement('current_action', actions)

/** The commands that go on; nothing if there is none yet. */
export function invokeAfter(next: readonly Way[]): readonly Element[] {
  const [only, ...others] = next
  if (only === undefined) return []
  if (others.length === 0) return [flatElement('invoke_after', [only.command])]
  const isBranch = isPassOrFail(next)
  return [
    element(
      'invoke_after',
      next.map(({ outcome, command }) =>
        isBranch ? element(`if_${outcome}`, command) : element('if_outcome', command, { name: outcome }),
      ),
    ),
  ]
}

/** The two ways of a gate have elements of their own. */
const isPassOrFail = (next: readonly Way[]): boolean =>
  next.length === 2 && ['pass', 'fail'].every((word) => next.some(({ outcome }) => outcome === word))

/** Repeats the commands at the end, because that is what the reader acts on. */
export const nextBlock = (view: Going): Element =>
  flatElement('next', view.next.length === 0 ? waitLines(view) : goOnLines(view), { required: 'true' })

/** What a step needs to say how to go on. */
export type Going = Pick<StepView, 'skill' | 'next' | 'dispatch' | 'gate' | 'again'>

function goOnLines({ next, ...view }: Going): readonly string[] {
  const [only, ...others] = next
  const complete = (condition: string) => completeAfter(condition, isChild(view))
  if (only !== undefined && others.length === 0)
    return [RUN_NEXT, `${REREAD}${only.command}`, ...(only.to === null ? [complete(THIS_COMMAND)] : [])]
  const isBranch = isPassOrFail(next)
  const named = next.map(({ outcome, ...way }) => ({ ...way, name: isBranch ? `if_${outcome}` : outcome }))
  return [
    RUN_ONE,
    ...named.map(
      ({ name, command }, index) =>
        `${index === 0 ? REREAD : ' '.repeat(REREAD.length)}${name} -> ${command}`,
    ),
    ...named.filter(({ to }) => to === null).map(({ name }) => complete(name)),
  ]
}

const REREAD = 'Re-read now: '

/** Why a step has no command that goes on, and what to do about it. */
export function waitLines({
  dispatch,
  gate,
  again,
}: Pick<StepView, 'dispatch' | 'gate' | 'again'>): readonly string[] {
  if (gate !== null && gate.choices.length > 0) return [USER_DECIDES]
  const open = dispatch?.children.filter(({ state }) => state === 'waiting' || state === 'running') ?? []
  if (dispatch === null || open.length === 0) return [STAYS, toPrintAgain(again)]
  const done = dispatch.children.filter(({ state }) => state === 'ok').length
  const names = open.map(
    ({ child, title, state }) => `${title ?? child} (${state === 'running' ? 'running' : 'not started'})`,
  )
  const missing = Math.max(0, dispatch.join - done)
  const isBegun = dispatch.children.some(({ state }) => state !== 'waiting')
  return [waitsFor(names, missing), ...open.flatMap((one) => byHand(one, isBegun)), whenEnded(again)]
}

/** What to do about a sub-agent that does not say itself how it ended; one may never start although others did. */
function byHand({ child, title, state, command, report }: ChildView, isBegun: boolean): readonly string[] {
  if (report === undefined) return []
  const name = title ?? String(child)
  const { done, fail } = report
  return [
    ...(done === undefined ? [] : [toReport(name, done)]),
    ...(state === 'running' && command !== null ? [toStartAgain(name, command)] : []),
    ...(isBegun || done !== undefined ? [toGiveUp(name, fail)] : []),
  ]
}

/** What the sub-agents of the step before returned. */
export const subagentResults = (results: readonly ChildResult[]): Element =>
  element(
    'subagent_results',
    results.map(({ child, outcome, values }) =>
      element(
        'result',
        Object.entries(values).map(([name, value]) => element('value', value, { name })),
        { child, outcome },
      ),
    ),
  )
