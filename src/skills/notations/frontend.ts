import type { LoadedModule } from '../../model/plan/definition.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Phase } from '../../model/plan/phase.ts'
import type { Plan } from '../../model/plan/plan.ts'
import type { Frontmatter } from '../text/frontmatter.ts'
import type { Block } from '../text/markdown.ts'
import type { SourceText } from '../text/text.ts'

/** A parsed SKILL.md, with the other texts of its folder by relative path. */
export interface SkillSource {
  readonly main: SourceText
  readonly frontmatter: Frontmatter
  readonly blocks: readonly Block[]
  readonly files: ReadonlyMap<string, SourceText>
  /** The results of the workflow modules that were run. */
  readonly modules: ReadonlyMap<string, LoadedModule>
  /** What was not read, because it is too large. */
  readonly oversize: readonly Diagnostic[]
}

/** The result of one notation. */
export interface Found {
  /** Undefined if the skill uses the notation but has no valid plan; no other notation is tried. */
  readonly plan: Plan | undefined
  readonly diagnostics: readonly Diagnostic[]
  readonly phases?: readonly Phase[]
}

/** A notation for plans. Pure, and never throws: every problem is a diagnostic. */
export interface Frontend {
  readonly name: string
  /** Returns undefined if the skill does not use the notation. */
  read(source: SkillSource): Found | undefined
}
