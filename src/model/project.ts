import type { Level } from './level.ts'

/** A root folder that the daemon knows. */
export interface Project {
  readonly id: number
  readonly path: string
  readonly name: string | null
  readonly created_at: string
  /** How far plans are enforced here; null is the user's default. */
  readonly level: Level | null
  /** 1 where files may be changed only in an effort. */
  readonly session_gate: number
}

/** A project as callers are told of it: with the level that counts there. */
export interface ToldProject extends Omit<Project, 'level' | 'session_gate'> {
  readonly level: Level
  /** Whether files may be changed only in an effort. */
  readonly session_gate: boolean
}

/** A stored project, for a caller. */
export const tellProject = (project: Project, usual: Level): ToldProject => ({
  ...project,
  level: project.level ?? usual,
  session_gate: project.session_gate === 1,
})

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

/** Where somebody works: a canonical folder, and the root of the repository that it lies in, if it lies in one. */
export interface Workplace {
  readonly folder: string
  readonly repository: string | undefined
}

/** The root of the project that somebody works in: a repository is one of its own, also inside of another project. */
export function rootOf(
  projects: readonly Pick<Project, 'path'>[],
  { folder, repository }: Workplace,
): string {
  const known = projectOf(projects, folder)?.path
  if (repository !== undefined && (known === undefined || repository.length > known.length)) return repository
  return known ?? folder
}
