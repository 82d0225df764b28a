import { findActiveEfforts, toEffort } from '../../../store/effort.ts'
import { resumableBy } from '../../effort/held.ts'
import { MOST_WAITING } from '../skill-facts.ts'
import type { Loader } from './loader.ts'

/** Other efforts of the project that the session could continue. */
export const waiting: Loader<'waiting'> = {
  looks: [],
  async load(tx, { project, window: { session }, since, volatile }) {
    const rows = await findActiveEfforts(tx, { projectId: project.id, limit: MOST_WAITING })
    const others = rows.filter(({ id }) => id !== session.effort_id).map(toEffort)
    const scene = { projectId: project.id, window: session.id, since, volatile, agent_id: session.agent_id }
    return await resumableBy(tx, others, scene)
  },
}
