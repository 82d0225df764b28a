import type { Context, IndexedProject } from '../../engine/call/context.ts'
import { indexedRoot } from '../../engine/session/text-index.ts'
import type { Tx } from '../../store/query.ts'
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
      const projects = await store.transact((tx) => projectsInUse(tx, context), { reads: true })
      for (const project of projects) if (!stopping.aborted) await context.index.refresh(project)
    }
  },
}

async function projectsInUse(tx: Tx, context: Context): Promise<readonly IndexedProject[]> {
  const ids = new Set((await workplacesInUse(tx, context.machine)).map(({ project_id }) => project_id))
  const projects: IndexedProject[] = []
  for (const id of ids) projects.push({ id, root: await indexedRoot(tx, context, id) })
  return projects
}
