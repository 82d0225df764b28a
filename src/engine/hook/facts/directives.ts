import { CORE_TYPES, typesInForce } from '../../../model/directive.ts'
import { declaredIn, directivesInCharge } from '../../../store/skill.ts'
import type { Loader } from './loader.ts'

/** Directives that apply to the event, without types that only other skills declare. */
export const directives: Loader<'directives'> = {
  looks: ['files', 'directives'],
  async load(tx, { looked: { directives: found }, window, isPaused }) {
    // During a pause nothing is sent to the agent, so nothing may count as sent.
    if (isPaused) return []
    if (found.every(({ type }) => CORE_TYPES.includes(type))) return found
    const { native_id, workplace_id, effort_id } = window.session
    const rows = await directivesInCharge(tx, { native_id: native_id ?? '', workplace_id, effort_id })
    const wanted = new Set(typesInForce(declaredIn(rows)))
    return found.filter(({ type }) => wanted.has(type))
  },
}
