import { IGNORES, OUR_FOLDER } from '../../model/our-folder.ts'
import { isInside } from '../../model/project.ts'
import { TASKS_FOLDER } from '../../model/task.ts'
import type { Tx } from '../../store/query.ts'
import { findOpenByNative } from '../../store/session.ts'
import { workplaceOfTask } from '../../store/workplace.ts'
import type { Context } from '../call/context.ts'

const LARGEST_IGNORES = 4096

/** Keeps the work of agents out of git; a file that the user has changed stays. */
export async function keepIgnores({ files }: Context, root: string): Promise<void> {
  const path = `${root}/${IGNORES.path}`
  const isMissing = (await files.kind(path)) === 'missing'
  const isFormer =
    !isMissing &&
    (await files.read({ path, root, offset: 0, limit: LARGEST_IGNORES })).content === IGNORES.former
  if (isMissing) await files.makeFolders({ path: `${root}/${OUR_FOLDER}`, root })
  if (isMissing || isFormer) await files.put({ path, root, content: IGNORES.text, replaces: isFormer })
}

/** The root of the workplace in whose folder of ours a session has its task. */
export async function ownTaskRoot(tx: Tx, native: string | undefined): Promise<string | undefined> {
  const session = native === undefined ? undefined : await findOpenByNative(tx, { native_id: native })
  const place = session === undefined ? undefined : await workplaceOfTask(tx, { dir_path: session.task_id })
  if (session === undefined || place === undefined) return undefined
  return isInside(`${place.root}/${TASKS_FOLDER}`, session.task_id) ? place.root : undefined
}
