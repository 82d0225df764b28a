import type { Step } from './plan.ts'
import type { Values } from './plan-for.ts'

/** What one sub-agent of a step said at its end. */
interface Told {
  readonly state: 'running' | 'ok' | 'fail'
  readonly values: Values
}

/** The outcome of a review that lets the work go on. */
export const PASS = 'pass'

/**
 * The state that the sub-agents of a step return together, whatever their order in time: the first of them that says
 * something counts. Of several reviews, the first that did not pass does.
 */
export function returnedBy(
  { dispatch, review }: Pick<Step, 'dispatch' | 'review'>,
  children: Readonly<Record<number, Told>>,
): Values {
  const good = Object.values(children).filter(({ state }) => state === 'ok')
  const failed = review === undefined ? undefined : good.find(({ values }) => values['result'] !== PASS)
  const heard = failed === undefined ? good : [failed]
  const said = (name: string) => heard.map(({ values }) => values[name] ?? '').find((value) => value !== '')
  return Object.fromEntries((dispatch?.returns ?? []).map((name) => [name, said(name) ?? '']))
}
