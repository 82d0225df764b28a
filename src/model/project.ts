import type { Level } from './level.ts'

/** A root folder that the daemon knows. */
export interface Project {
  readonly id: number
  readonly path: string
  readonly name: string | null
  readonly created_at: string
  /** The enforcement level; null is the user's default. */
  readonly level: Level | null
  /** 1 if file changes require an effort. */
  readonly session_gate: number
}

/** A project for callers, with its effective level. */
export interface ToldProject extends Omit<Project, 'level' | 'session_gate'> {
  readonly level: Level
  /** Whether file changes require an effort. */
  readonly session_gate: boolean
}

/** A stored project, for a caller. */
export const tellProject = (project: Project, usual: Level): ToldProject => ({
  ...project,
  level: project.level ?? usual,
  session_gate: project.session_gate === 1,
})

/** The innermost project that contains a canonical path. */
export function projectOf<P extends Pick<Project, 'path'>>(
  projects: readonly P[],
  path: string,
): P | undefined {
  return projects
    .filter((project) => isInside(project.path, path))
    .toSorted((a, b) => b.path.length - a.path.length)[0]
}

/** Text only, because both paths are absolute and canonical. */
export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root === '/' ? '/' : `${root}/`)
}

/** A canonical working folder and the root of its repository, if any. */
export interface Workplace {
  readonly folder: string
  readonly repository: string | undefined
}

/** The project root of a working folder; a repository is its own project, even inside another. */
export function rootOf(
  projects: readonly Pick<Project, 'path'>[],
  { folder, repository }: Workplace,
): string {
  const known = projectOf(projects, folder)?.path
  if (repository !== undefined && (known === undefined || repository.length > known.length)) return repository
  return known ?? folder
}
