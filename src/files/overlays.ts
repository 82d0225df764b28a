import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OVERLAYS } from '../model/our-folder.ts'
import { walk } from './walk.ts'

/** Where overlays for a folder are: in its project, then with the user; the first folder that has one wins. */
export const overlayFolders = async (folder: string, ofUser: string): Promise<readonly string[]> => [
  ...(await upToRepository(folder)).map((one) => join(one, OVERLAYS)),
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

/** Whether an overlay can be named for a skill: other names lead out of the folder, or to the file of another skill. */
export const canHaveOverlay = (id: string): boolean =>
  id.split(':').every((part) => /^(?!\.{1,2}$)[^/\0]+$/.test(part))

/** The path of the overlay of a skill below a folder; plugins have folders of their own. */
export const overlayPath = (folder: string, id: string): string =>
  join(folder, `${id.replaceAll(':', '/')}.yaml`)

/** The skill of an overlay of the package: `feature-dev@increments.yaml` is a second one for feature-dev. */
export const packagedSkill = (file: string): string => file.replace(/(@.*)?\.yaml$/, '')

/** Clients look in every folder up to the repository root, or only in the project without one. */
export async function upToRepository(project: string): Promise<readonly string[]> {
  const folders = [project]
  for (let folder = project; ; folder = dirname(folder)) {
    if (folder !== project) folders.push(folder)
    if (await exists(join(folder, '.git'))) return folders
    if (dirname(folder) === folder) return [project]
  }
}

/** A path without permission counts as existing. */
export const exists = async (path: string): Promise<boolean> =>
  await stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  )
