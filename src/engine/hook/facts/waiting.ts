import { findActiveEfforts, toEffort } from '../../../store/effort.ts'
import { freeOf, MOST_WAITING } from '../skill-facts.ts'
import type { Loader } from './loader.ts'

/** Other efforts of the project that are not in use. */
export const waiting: Loader<'waiting'> = {
  looks: [],
  async load(tx, scene) {
    const rows = await findActiveEfforts(tx, { projectId: scene.project.id, limit: MOST_WAITING })
    const others = rows.filter(({ id }) => id !== scene.window.session.effort_id)
    return await freeOf(tx, others.map(toEffort), scene)
  },
}
