import { indexedProject } from '../../engine/session/text-index.ts'
import { workplacesInUse } from '../../store/workplace.ts'
import type { Job, JobNeeds } from './job.ts'

/** Agents change files and say things only where hooks come in. */
export const keepIndex: Job<Pick<JobNeeds, 'store' | 'context' | 'counts'>> = {
  name: 'keep-index',
  summary: 'Bring the search index of projects in use up to date, if hooks came in since the last time.',
  every: () => 60_000,
  begin({ store, context, counts }) {
    let seen = counts.hooks
    return async (stopping) => {
      if (counts.hooks === seen) return
      seen = counts.hooks
      const places = await store.transact((tx) => workplacesInUse(tx, context.machine), { reads: true })
      for (const project of new Set(places.map(({ project_id }) => project_id)))
        if (!stopping.aborted) await context.index.refresh(await indexedProject(context, project))
    }
  },
}
