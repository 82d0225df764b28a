import { matchesBelow } from '../text/glob.ts'
import { isInside } from '../project.ts'
import type { Skill } from '../skill.ts'

/** A path and the two folders around it: a skill folder holds its steps at most two folders down. */
export function foldersOf(path: string): readonly [string, string, string] {
  const parts = path.split('/')
  const up = (levels: number) => parts.slice(0, Math.max(1, parts.length - levels)).join('/')
  return [up(0), up(1), up(2)]
}

/** Whether a path may stand for files that lie further down. */
export const isWide = (path: string): boolean => !/\.md$/i.test(path) || path.includes('/**/')

/** The steps whose own files a path names, as itself, by a pattern, or as the folder that a search goes through. */
export function stepsRead(
  { plan, file, folder }: Pick<Skill, 'plan' | 'file' | 'folder'>,
  path: string,
  root: string,
): readonly string[] {
  if (plan?.notation !== 'steps' || file === null || folder === null) return []
  const below = file.lastIndexOf('/')
  // Whoever searches the whole project means its code, not the steps that lie somewhere in it.
  const isNear = isInside(folder, path) || (foldersOf(folder).includes(path) && !isInside(path, root))
  return plan.steps
    .filter(({ place }) => {
      const real = `${folder}${place.file.slice(below)}`
      return matchesBelow(path, real) || (isNear && isInside(path, real))
    })
    .map(({ id }) => id)
}
