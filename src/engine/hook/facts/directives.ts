import { CORE_TYPES, typesInForce } from '../../../model/directive.ts'
import { declaredIn, directivesInCharge } from '../../../store/skill.ts'
import type { Loader } from './loader.ts'

/** Directives in force where the event works, without those that only other skills declare. */
export const directives: Loader<'directives'> = {
  looks: ['files', 'directives'],
  async load(tx, { looked: { directives: found }, window, isPaused }) {
    // Nothing is told while the user has paused, so nothing may count as told.
    if (isPaused) return []
    if (found.every(({ type }) => CORE_TYPES.includes(type))) return found
    const { native_id, task_id, effort_id } = window.session
    const rows = await directivesInCharge(tx, { native_id: native_id ?? '', task_id, effort_id })
    const wanted = new Set(typesInForce(declaredIn(rows)))
    return found.filter(({ type }) => wanted.has(type))
  },
}
