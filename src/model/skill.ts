import type { Definition, Parsed } from './plan/definition.ts'
import type { Diagnostic } from './diagnostic.ts'
import type { Phase } from './plan/phase.ts'
import type { Plan } from './plan/plan.ts'
import { declaredStage } from './stage.ts'
import { heartbeatLimit } from './watch.ts'

/** Where a client finds a skill: in the project, among the user's own, or in a plugin. */
export type SkillScope = 'project' | 'personal' | 'plugin'

const LONGEST_NAME = 64

/** Whether a skill may be called so by the standard. */
export const isSkillName = (name: string): boolean =>
  /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) && name.length <= LONGEST_NAME

/** What of a skill is asked for often and is small. */
export interface SkillDetails {
  /** The name in its file, which need not be the one that it is known by. */
  readonly alias: string
  readonly notation: Plan['notation'] | null
  readonly steps: number
  /** Whether its plan can refuse: it must be explicit and free of errors. */
  readonly enforceable: boolean
  readonly errors: number
  readonly warnings: number
  readonly user_invocable: boolean
  readonly argument_hint: string | null
  readonly allowed_tools: readonly string[]
  readonly required_todos: readonly string[]
  /** So many tool calls its efforts allow without a word in the log. */
  readonly heartbeat: number | null
  /** Whether each call of it keeps its work in a folder of its own. */
  readonly uses_skill_run: boolean
  /** The stage of planning that it declares; not there where it was stored before there were any. */
  readonly stage?: string | null
}

/** A skill without what is long. */
export interface SkillEntry {
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
  /** Where it was read from; all of these are null where somebody stored it by hand. */
  readonly file: string | null
  /** The folder that its files really lie in, whatever links lead to it; a command has none. */
  readonly folder: string | null
  readonly kind: Definition['kind'] | null
  readonly scope: SkillScope | null
  readonly digest: string | null
  readonly description: string | null
  readonly details: SkillDetails | null
}

/** A skill's definition as data, one per project and name. */
export interface Skill extends SkillEntry {
  readonly plan: Plan | null
  readonly diagnostics: readonly Diagnostic[]
}

/** What is kept of a definition beside its plan. */
export function detailsOf({ definition, diagnostics }: Parsed): SkillDetails {
  const { plan } = definition
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length
  return {
    alias: definition.name,
    notation: plan?.notation ?? null,
    steps: plan?.steps.length ?? 0,
    enforceable: plan !== undefined && plan.explicit && errors === 0,
    errors,
    warnings: diagnostics.filter(({ severity }) => severity === 'warning').length,
    user_invocable: definition.userInvocable,
    argument_hint: definition.argumentHint ?? null,
    allowed_tools: definition.allowedTools,
    required_todos: definition.requiredTodos,
    heartbeat: heartbeatLimit(definition.engine['heartbeat']) ?? null,
    uses_skill_run: usesSkillRun(definition),
    stage: declaredStage(definition.engine['stage']) ?? null,
  }
}

/** What stands in YAML may have been kept as text. */
const usesSkillRun = ({ engine }: Definition): boolean =>
  engine['uses_skill_run'] === true || engine['uses_skill_run'] === 'true'
