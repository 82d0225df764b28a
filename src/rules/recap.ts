import type { ToldDirective } from '../model/directive.ts'
import { recapOf } from '../model/recap.ts'
import type { Facts } from './facts.ts'
import { rule } from './rule.ts'
import { lostCalls } from './session-begin.ts'
import { recapLine } from './told/notice.ts'
import { BUDGETS, scopeSections, sessionFileSections, toldSections } from './told/sections.ts'

/** A new context knows nothing, so it gets the state of the work and the exact next action. */
export const recap = rule({
  name: 'recap',
  summary: 'gives a new context window the state of the work and the next action',
  setting: 'recap',
  on: ['session.started'],
  wakes: () => true,
  needs: ['work', 'spans', 'background', 'open', 'sessionFile'],
  judge(event, facts) {
    const { work, spans, session } = facts
    const isScope = session.scope_of !== null
    const lost = lostCalls(event, session)
    // When its work ends, the session goes back to that of its suspended skills by itself.
    const waiting = work === undefined ? [] : spans.map(({ effort_id }) => effort_id)
    const own = new Set([session.effort_id, ...waiting])
    const open = isScope ? [] : facts.open.filter(({ id }) => !own.has(id))
    const background = isScope ? onlyOwn(facts.background) : facts.background
    const sections = [
      ...toldSections({ ...facts, background, open, openCalls: lost }),
      ...(isScope ? [] : sessionFileSections(facts.sessionFile)),
      ...scopeSections(session, work),
    ]
    const { text, left_out: cut } = recapOf(sections, {
      budget: BUDGETS.session,
      whole: wholeRecap(work?.effort.id),
    })
    const contexts = text === '' ? [] : [text]
    const standards = (background?.standards ?? []).filter(({ name }) => !cut.includes(name))
    const told = standards.map(({ path, text: whole }): ToldDirective => ({
      path,
      how: whole === undefined ? 'named' : 'told',
    }))
    const changes = told.length === 0 ? [] : [{ kind: 'directives.told' as const, told }]
    const notice = recapLine(work, sections, open, background?.past)
    return { contexts, changes, ...(notice !== undefined && { notice }) }
  },
})

/** A sub-agent hears of its own work only. */
const onlyOwn = (background: Facts['background']): Facts['background'] =>
  background && {
    ...background,
    queue: [],
    others: [],
    finished: [],
    standards: [],
    related: [],
    chains: undefined,
  }

/** The command that prints the full recap. */
export const wholeRecap = (effort: number | undefined): string =>
  `holdfast recap${effort === undefined ? '' : ` --effort ${effort}`} --budget 20000`
