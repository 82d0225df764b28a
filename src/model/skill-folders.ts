import type { LoadedModule, Parsed } from './plan/definition.ts'
import type { SkillScope } from './skill.ts'

/** A skill on disk. */
export interface FoundSkill {
  /** Its folder name, or `plugin:name`. */
  readonly id: string
  readonly scope: SkillScope
  /** Its main file, absolute. */
  readonly file: string
  /** Its real path, with links resolved. */
  readonly folder: string
  /** Digest of its files and of the parser; the same digest means the same definition. */
  readonly digest: string
  /** Undefined if the digest is already known. */
  readonly parsed: Parsed | undefined
  /** Set if it has a workflow module. */
  readonly code?: SkillCode | undefined
  /** When its files or folders last changed, by the clock of the disk; undefined if it was not parsed. */
  readonly changedAt?: number | undefined
}

/** The code of a workflow module, and whether its export is used. */
export interface SkillCode {
  readonly digest: string
  readonly isTrusted: boolean
}

export interface FoundSkills {
  readonly skills: readonly FoundSkill[]
  /** Unusable skills with their reasons. */
  readonly problems: readonly { readonly file: string; readonly message: string }[]
  /** Folders that could not be read fully; their missing skills may still exist. */
  readonly unread: readonly string[]
  /** If a known skill is missing: when each folder that may have had it last changed, by the clock of the disk. */
  readonly goneAt?: readonly number[]
}

/** A skill with the result of its workflow module, which somebody else has run. */
export interface ReadWith {
  readonly parsed: Parsed
  /** The digest of its code; undefined if it has too much to be trusted. */
  readonly code: string | undefined
}

/** The skills that the clients of a project find. */
export interface SkillFolders {
  /** All current skills; a skill with a known digest is not parsed. */
  read(project: string, known: ReadonlyMap<string, string>): Promise<FoundSkills>
  /** The skill of a file or folder; its workflow module runs only on request, because it is code. */
  readOne(path: string, runsModule: boolean): Promise<Parsed | undefined>
  /** The skill of a folder; undefined if it has no workflow module. */
  readWith(folder: string, module: LoadedModule): Promise<ReadWith | undefined>
  /** Reports possible changes to the skills of a project, once at the start too. */
  want(project: string): void
  /** Reads skills with this code again, because what is trusted of it has changed. */
  reread(code: string): void
}
