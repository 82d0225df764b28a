import type { Progress } from './advance.ts'
import { inOneLine, quoted } from '../text/line.ts'
import { type Plan, type Step } from './plan.ts'

const LONGEST_REASON = 200
const LONGEST_LABEL = 100
const MOST_TOLD = 3

/** What failed, why and in which try, one sentence each; a step that is open again is to be done again, unless it is optional. */
export function failureTexts({ steps }: Plan, progress: Progress): readonly string[] {
  const isAgain = ({ id }: Step) => progress.current.includes(id) || progress.open.includes(id)
  const failed = steps.filter(({ id }) => hasFailed(progress, id))
  // What is to be done again comes first.
  return [...failed.filter(isAgain), ...failed.filter((step) => !isAgain(step)).toReversed()]
    .slice(0, MOST_TOLD)
    .map((step) => `${failureOf(step, progress)}${isAgain(step) ? againOf(step, progress) : ''}`)
}

/** Nobody asks for an optional step once the others are done. */
function againOf({ id, optional }: Step, { status, current }: Progress): string {
  if (!optional || current.includes(id)) return ' Do it again.'
  return status === 'completed' ? '' : ' Do it again or leave it out.'
}

/** What the user waived is over. */
function hasFailed({ visits }: Progress, id: string): boolean {
  const visit = Object.hasOwn(visits, id) ? visits[id] : undefined
  if (visit?.waived === true) return false
  return visit?.outcome === 'fail' || visit?.failed !== undefined
}

function failureOf({ id, label, limit }: Step, { current, visits }: Progress): string {
  const { attempts = 0, failed } = visits[id] ?? {}
  const tries = current.includes(id) ? attempts - 1 : attempts
  const why = failed === undefined ? '' : ` (${inOneLine(failed, LONGEST_REASON)})`
  // The user can allow more attempts than the plan does.
  const most = limit === undefined || tries > limit ? '' : ` of ${limit}`
  return `Step ${quoted(label, LONGEST_LABEL)} failed${why}, try ${tries}${most}.`
}
