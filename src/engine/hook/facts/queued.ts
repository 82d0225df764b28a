import { openItems } from '../../../store/queue.ts'
import type { Loader } from './loader.ts'

/** Open items of the project's queue, newest first. */
export const queued: Loader<'queued'> = {
  looks: [],
  load: (tx, { project }) => openItems(tx, { project_id: project.id }),
}
