import type { Level } from './level.ts'

/** A repository, or a folder outside of any, that the daemon knows. */
export interface Project {
  readonly id: number
  /** The main checkout; for a bare repository its common folder. */
  readonly path: string
  readonly name: string | null
  readonly created_at: string
  /** The enforcement level; null is the user's default. */
  readonly level: Level | null
  /** 1 if file changes require an effort. */
  readonly session_gate: number
}

/** A checkout of a project on one machine. */
export interface Workplace {
  readonly id: number
  readonly project_id: number
  /** Null until the machine that has it is seen. */
  readonly machine_id: string | null
  /** The host name of the machine, for people. */
  readonly machine: string | null
  readonly path: string
  readonly created_at: string
}

/** A project as seen from one of its workplaces; code that needs a folder must choose `root`. */
export interface ProjectPlace extends Omit<Project, 'path'> {
  readonly workplace_id: number
  /** The folder of the workplace. */
  readonly root: string
}

/** A project for callers, with its effective level and its workplaces. */
export interface ToldProject extends Omit<Project, 'level' | 'session_gate'> {
  readonly level: Level
  /** Whether file changes require an effort. */
  readonly session_gate: boolean
  readonly workplaces: readonly ToldWorkplace[]
}

/** A workplace for callers. */
export interface ToldWorkplace extends Pick<Workplace, 'id' | 'machine' | 'path'> {
  /** Whether it is on the machine of this daemon. */
  readonly here: boolean
}

/** A stored project, for a caller. */
export const tellProject = (
  project: Project,
  { usual, workplaces, machine }: { usual: Level; workplaces: readonly Workplace[]; machine: string },
): ToldProject => ({
  ...project,
  level: project.level ?? usual,
  session_gate: project.session_gate === 1,
  workplaces: workplaces
    .filter(({ project_id }) => project_id === project.id)
    .map(({ id, machine: label, path, machine_id }) => ({
      id,
      machine: label,
      path,
      here: machine_id === null || machine_id === machine,
    })),
})

/** The innermost of these folders that contains a canonical path. */
export function innermost<F extends { readonly path: string }>(
  folders: readonly F[],
  path: string,
): F | undefined {
  return folders
    .filter((folder) => isInside(folder.path, path))
    .toSorted((a, b) => b.path.length - a.path.length)[0]
}

/** Text only, because both paths are absolute and canonical. */
export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root === '/' ? '/' : `${root}/`)
}

/** A canonical folder, with the checkout around it. */
export interface Location {
  readonly folder: string
  /** The root of the checkout; undefined outside of any repository. */
  readonly repository: string | undefined
  /** The main checkout of that repository; undefined if it cannot be found. */
  readonly main: string | undefined
}

/** A folder that belongs to a project: the path of the project itself, or of a workplace. */
export interface Root {
  readonly path: string
  readonly project: string
}

/** The root of a location; a repository is a project, even inside another, and its worktrees share it. */
export function rootOf(known: readonly Root[], { folder, repository, main }: Location): Root {
  const inner = innermost(known, folder)
  if (repository === undefined) return inner ?? { path: folder, project: folder }
  // A worktree whose repository has moved stays where it was.
  const base = main ?? known.find(({ path }) => path === repository)?.project ?? repository
  // A worktree inside its main checkout was removed.
  if (inner !== undefined && inner.project === base && partOf(repository, inner) !== '') return inner
  const twin = innermost(known, `${base}${folder.slice(repository.length)}`)
  const [part = ''] = [partOf(repository, inner), partOf(base, twin)].toSorted((a, b) => b.length - a.length)
  return { path: `${repository}${part}`, project: `${base}${part}` }
}

/** Where a registered folder lies inside a checkout, such as `/packages/a`. */
const partOf = (checkout: string, found: Root | undefined): string =>
  found !== undefined && isInside(checkout, found.path) ? found.path.slice(checkout.length) : ''
