import { inOneLine, oneLine } from '../text/line.ts'

/** The skill that the current step of a pipeline has called, and what came of it. */
export type Called = {
  readonly skill: string
  /** Why it was given up. */
  readonly reason: string | null
} & (
  | { readonly state: 'open' | 'finished' | 'given up'; readonly effort_id: number }
  // A skill without a plan has no effort.
  | { readonly state: 'unknown'; readonly effort_id: null }
)

const LONGEST_REASON = 200

/** What came of a called skill, in one sentence. */
export function calledText({ skill, effort_id, state, reason }: Called): string {
  const name = `/${oneLine(skill)}`
  switch (state) {
    case 'open':
      return `${name} is not finished (effort ${effort_id}).`
    case 'finished':
      return `${name} is finished (effort ${effort_id}).`
    case 'given up':
      return `${name} was given up (effort ${effort_id}${reason === null ? '' : `, ${inOneLine(reason, LONGEST_REASON)}`}).`
    case 'unknown':
      return `${name} was already called; do not call it again if its work is done.`
    default:
      return state satisfies never
  }
}
