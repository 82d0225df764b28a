import type { Phase } from './phase.ts'

/** A skill's definition as data, one per project and name. */
export interface Skill {
  readonly id: number
  readonly project_id: number
  readonly name: string
  readonly phases: readonly Phase[]
  readonly modes: Readonly<Record<string, unknown>>
  readonly templates: Readonly<Record<string, unknown>>
  readonly cmd_dependencies: readonly string[]
  readonly next_skills: readonly string[]
  readonly directives: readonly string[]
  readonly updated_at: string
}
