import { listed } from '../model/text/line.ts'
import type { Phase } from '../model/plan/phase.ts'
import { recapOf } from '../model/recap.ts'
import { rule } from './rule.ts'
import { contentSections } from './told/content.ts'
import { BUDGETS } from './told/sections.ts'
import { nowInPhase, PROOF } from './told/words.ts'

/** Shows what a phase requires each time an agent enters it. */
export const phaseEntered = rule({
  name: 'phase-entered',
  summary:
    'shows the commands, templates and standards of the phase that the agent entered, with their texts',
  on: ['tool.after'],
  wakes: ({ phase }) => phase !== undefined,
  needs: ['entered'],
  judge(_, { entered }) {
    if (entered?.declared === undefined) return undefined
    const lines = linesOf(entered.declared)
    if (lines.length === 0) return undefined
    const head = nowInPhase(entered.effort.id, entered.phase)
    const sections = [
      { name: 'phase', lines: [head, ...lines], isEssential: true as const },
      ...contentSections(entered.contents),
    ]
    return { contexts: [recapOf(sections, { budget: BUDGETS.call, voice: (text) => text }).text] }
  },
})

const ROOM = 1200

const TITLES = {
  steps: 'Steps, in this order',
  commands: 'Commands',
  templates: 'Templates',
  standards: 'Standards',
  invariants: 'Invariants',
  directives: 'Directives',
  proof: PROOF,
} as const

const linesOf = (phase: Phase): readonly string[] =>
  Object.entries(TITLES).flatMap(([field, title]) => {
    const names = namesIn(phase[field])
    return names.length === 0 ? [] : [`${title}: ${listed(names, ROOM)}.`]
  })

/** Names from a list, or names with their meanings from an object. */
function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((one) => typeof one === 'string')
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).map(([name, of]) => (typeof of === 'string' ? `${name} (${of})` : name))
}
