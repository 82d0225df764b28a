import { newestEffortsIn, toEffort } from '../../../store/effort.ts'
import { findProjectOfTask } from '../../../store/project.ts'
import type { Tx } from '../../../store/query.ts'
import { findLastByNative } from '../../../store/session.ts'
import { rootAt } from '../../call/here.ts'
import { lookFor, toldPaths } from '../../effort/work-files.ts'
import type { Look, Looking } from './look.ts'

/** Finds which files of the newest efforts exist, so that no text names a missing one. */
export const written: Look = {
  isOfSession: true,
  isForFactsOnly: true,
  ask: (looking) => async (tx) => {
    const project_id = await projectOf(tx, looking)
    const efforts = project_id === undefined ? [] : await newestEffortsIn(tx, { project_id })
    const paths = efforts.map(toEffort).flatMap(toldPaths)
    return async () => ({ written: await lookFor(looking.context, paths) })
  },
}

async function projectOf(tx: Tx, { context, event, found: { place } }: Looking): Promise<number | undefined> {
  if (place !== undefined) {
    const { known } = await rootAt(tx, { ...place, ...context.machine })
    if (known !== undefined) return known.of.id
  }
  const last = await findLastByNative(tx, { native_id: event.session ?? '' })
  return last === undefined ? undefined : (await findProjectOfTask(tx, { dir_path: last.task_id }))?.id
}
