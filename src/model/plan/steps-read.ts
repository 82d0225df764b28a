import { matchesBelow } from '../text/glob.ts'
import { isInside } from '../project.ts'
import type { Skill } from '../skill.ts'

/** A path and the two folders around it: a skill folder holds its steps at most two folders down. */
export function foldersOf(path: string): readonly [string, string, string] {
  const parts = path.split('/')
  const up = (levels: number) => parts.slice(0, Math.max(1, parts.length - levels)).join('/')
  return [up(0), up(1), up(2)]
}

/** True if a path may match files further down. */
export const isWide = (path: string): boolean => !/\.md$/i.test(path) || /[*?[][^/]*\//.test(path)

/** The real path of a step, by its name in the plan of its skill. */
export const stepPath = (
  { file, folder }: { readonly file: string; readonly folder: string },
  name: string,
): string => `${folder}${name.slice(file.lastIndexOf('/'))}`

/** The steps whose files a path names, directly, by pattern, or as a searched folder. */
export function stepsRead(
  { plan, file, folder }: Pick<Skill, 'plan' | 'file' | 'folder'>,
  path: string,
  root: string,
): readonly string[] {
  if (plan?.notation !== 'steps' || file === null || folder === null) return []
  // A search of the whole project targets its code, not its steps.
  const isNear = isInside(folder, path) || (foldersOf(folder).includes(path) && !isInside(path, root))
  return plan.steps
    .filter(({ place }) => {
      const real = stepPath({ file, folder }, place.file)
      return matchesBelow(path, real) || (isNear && isInside(path, real))
    })
    .map(({ id }) => id)
}
