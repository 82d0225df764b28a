import type { Level } from './level.ts'

/** A root folder that the daemon knows. */
export interface Project {
  readonly id: number
  readonly path: string
  readonly name: string | null
  readonly created_at: string
  /** How far plans are enforced here; null is the user's default. */
  readonly level: Level | null
}

/** The project that a canonical path lies in; of nested ones the innermost. */
export function projectOf<P extends Pick<Project, 'path'>>(
  projects: readonly P[],
  path: string,
): P | undefined {
  return projects
    .filter((project) => isInside(project.path, path))
    .toSorted((a, b) => b.path.length - a.path.length)[0]
}

/** Both paths are absolute and canonical, so this is a question of text. */
export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root === '/' ? '/' : `${root}/`)
}
