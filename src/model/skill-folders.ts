import type { Parsed } from './plan/definition.ts'
import type { SkillScope } from './skill.ts'

/** A skill as it lies on disk. */
export interface FoundSkill {
  /** What it is known by: its folder, or `plugin:name`. */
  readonly id: string
  readonly scope: SkillScope
  /** Its main file, absolute. */
  readonly file: string
  /** Where that really lies, whatever links lead to it. */
  readonly folder: string
  /** Of all its files and of what reads them: as long as it is the same, so is the definition. */
  readonly digest: string
  /** Undefined where the digest is known already. */
  readonly parsed: Parsed | undefined
}

export interface FoundSkills {
  readonly skills: readonly FoundSkill[]
  /** What was found and cannot be used, with the reason. */
  readonly problems: readonly { readonly file: string; readonly message: string }[]
  /** Folders that could not be read to the end, of which nobody knows what is gone. */
  readonly unread: readonly string[]
}

/** The skills that the clients of a project find, wherever they look. */
export interface SkillFolders {
  /** All that is there now; what has a digest that is known is not parsed. */
  read(project: string, known: ReadonlyMap<string, string>): Promise<FoundSkills>
  /** The one skill that a file or folder holds; its workflow module, which is code, runs only if it is told to. */
  readOne(path: string, runsModule: boolean): Promise<Parsed | undefined>
  /** Begins to tell when the skills of a project may have changed, and tells it once at the beginning. */
  want(project: string): void
}
