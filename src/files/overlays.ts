import { join } from 'node:path'
import { OVERLAYS } from '../model/our-folder.ts'
import { walk } from './walk.ts'

/** Where the overlays of a project and of its user are; the first folder that has one wins. */
export const overlayFolders = (project: string, ofUser: string): readonly string[] => [
  join(project, OVERLAYS),
  ofUser,
]

const OVERLAY = /\.ya?ml$/
/** Overlays lie in a folder, or one below for each plugin. */
const MOST_FOLDERS = 200

/** The overlay in force for each skill, by its id; a folder that cannot be read has none. */
export async function findOverlays(folders: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const walked = await Promise.all(
    folders.map((folder) => walk(folder, OVERLAY, MOST_FOLDERS).catch(() => undefined)),
  )
  const found = new Map<string, string>()
  for (const [index, one] of walked.entries())
    for (const file of one?.files ?? []) {
      const id = file.replace(OVERLAY, '').replaceAll('/', ':')
      if (!found.has(id)) found.set(id, join(folders[index] ?? '', file))
    }
  return found
}

/** The path of the overlay of a skill below a folder; plugins have folders of their own. */
export const overlayPath = (folder: string, id: string): string =>
  join(folder, `${id.replaceAll(':', '/')}.yaml`)
