import type { LoadedModule } from '../../model/plan/definition.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Phase } from '../../model/plan/phase.ts'
import type { Plan } from '../../model/plan/plan.ts'
import type { Frontmatter } from '../text/frontmatter.ts'
import type { Block } from '../text/markdown.ts'
import type { SourceText } from '../text/text.ts'

/** A SKILL.md taken apart, with the other texts of its folder by their paths below it. */
export interface SkillSource {
  readonly main: SourceText
  readonly frontmatter: Frontmatter
  readonly blocks: readonly Block[]
  readonly files: ReadonlyMap<string, SourceText>
  /** What those of the files that are code gave, where they were run. */
  readonly modules: ReadonlyMap<string, LoadedModule>
}

/** What one notation found. */
export interface Found {
  /** Undefined where the notation is used and gives no plan; no other notation takes its place then. */
  readonly plan: Plan | undefined
  readonly diagnostics: readonly Diagnostic[]
  readonly phases?: readonly Phase[]
}

/** One notation in which a plan can be written. Pure, and never throws: what is wrong is a diagnostic. */
export interface Frontend {
  readonly name: string
  /** Undefined where the notation is not used. */
  read(source: SkillSource): Found | undefined
}
