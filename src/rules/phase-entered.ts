import { listed, oneLine } from '../model/text/line.ts'
import type { Phase } from '../model/plan/phase.ts'
import { rule } from './rule.ts'

/** Whoever has entered a phase is told what it asks for, once for each time that it is entered. */
export const phaseEntered = rule({
  name: 'phase-entered',
  summary: 'tells the commands, templates and standards of a phase that was entered',
  on: ['tool.after'],
  wakes: ({ phase }) => phase !== undefined,
  needs: ['entered'],
  judge(_, { entered }) {
    if (entered?.declared === undefined) return undefined
    const lines = linesOf(entered.declared)
    if (lines.length === 0) return undefined
    const head = `Effort ${entered.effort.id} is now in phase ${oneLine(entered.phase, LONGEST)}.`
    return { contexts: [[head, ...lines].join('\n')] }
  },
})

const LONGEST = 200
const ROOM = 1200

const TITLES = {
  steps: 'Its steps, in this order',
  commands: 'Its commands',
  templates: 'Its templates',
  standards: 'Its standards',
  invariants: 'Its invariants',
  directives: 'Its directives',
  proof: 'To leave it, show',
} as const

const linesOf = (phase: Phase): readonly string[] =>
  Object.entries(TITLES).flatMap(([field, title]) => {
    const names = namesIn(phase[field])
    return names.length === 0 ? [] : [`${title}: ${listed(names, ROOM)}.`]
  })

/** A list of names, or names with what they stand for. */
function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((one) => typeof one === 'string')
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).map(([name, of]) => (typeof of === 'string' ? `${name} (${of})` : name))
}
