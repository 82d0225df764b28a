import { type Declared, declaredIn } from './chain/declared.ts'
import type { Definition, Parsed } from './plan/definition.ts'
import type { Diagnostic } from './diagnostic.ts'
import { startsEffort } from './effort.ts'
import type { Phase } from './plan/phase.ts'
import { byLabels, planOfPhases } from './plan/phase-plan.ts'
import type { Plan } from './plan/plan.ts'
import { isEnforceable } from './plan/validate.ts'
import { type ResultSchema, resultSchemaIn } from './result-schema.ts'
import { declaredStage } from './stage.ts'
import { heartbeatLimit } from './watch.ts'

/** Where a client finds a skill: project, user or plugin. */
export type SkillScope = 'project' | 'personal' | 'plugin'

/** Whether the plan of a workflow module counts: only one whose code the user trusts, as it is now. */
export type Trust = 'trusted' | 'untrusted' | 'changed'

const LONGEST_NAME = 64

/** True if the standard allows the name. */
export const isSkillName = (name: string): boolean =>
  /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) && name.length <= LONGEST_NAME

/** The name of a skill within its plugin: `tdd` for `superpowers:tdd`. */
export const ownName = (id: string): string => id.slice(id.lastIndexOf(':') + 1)

/** The small, often used fields of a skill. */
export interface SkillDetails {
  /** The name in its file, which may differ from its id. */
  readonly alias: string
  readonly notation: Plan['notation'] | null
  readonly steps: number
  /** True if its plan can refuse: it is explicit, and a part of it has no errors. */
  readonly enforceable: boolean
  readonly errors: number
  readonly warnings: number
  readonly user_invocable: boolean
  readonly argument_hint: string | null
  readonly allowed_tools: readonly string[]
  readonly required_todos: readonly string[]
  /** The most tool calls without a log entry. */
  readonly heartbeat: number | null
  /** Whether each call gets its own work folder. */
  readonly uses_skill_run: boolean
  /** Set if the client gives it to a sub-agent. */
  readonly forks?: true
  /** Set if its plan was only guessed, so that a call starts no effort. */
  readonly guide?: true
  /** The form of the result that its efforts end with. */
  readonly result?: ResultSchema
  /** What its artifacts are named after, if not the skill. */
  readonly task_type?: string
  /** The digest of the code of its workflow module, and whether the user trusts it. */
  readonly code?: string
  readonly trust?: Trust
  /** Its part in chains. */
  readonly continuation?: Declared
  /** The planning stage; undefined in rows from before stages existed. */
  readonly stage?: string | null
}

/** A skill without its long fields. */
export interface SkillEntry {
  readonly id: number
  readonly project_id: number
  readonly workplace_id: number
  readonly name: string
  readonly phases: readonly Phase[]
  readonly modes: Readonly<Record<string, unknown>>
  readonly templates: Readonly<Record<string, unknown>>
  readonly cmd_dependencies: readonly string[]
  readonly next_skills: readonly string[]
  readonly directives: readonly string[]
  readonly updated_at: string
  /** Its source; all null if it was stored by hand. */
  readonly file: string | null
  /** The real folder of its files, with links resolved; null for a command. */
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

/** The stored parts of a definition besides its plan. */
export function detailsOf({ definition, diagnostics }: Parsed): SkillDetails {
  const { plan } = definition
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length
  const heartbeat = heartbeatLimit(definition.engine['heartbeat'])
  const continuation = declaredIn(definition.engine['continuation'])
  const resultSchema = resultSchemaIn(definition.engine['result'])
  return {
    alias: definition.name,
    notation: plan?.notation ?? null,
    steps: plan?.steps.length ?? 0,
    enforceable: plan !== undefined && isEnforceable(plan, diagnostics),
    errors,
    warnings: diagnostics.filter(({ severity }) => severity === 'warning').length,
    user_invocable: definition.userInvocable,
    argument_hint: definition.argumentHint ?? null,
    allowed_tools: definition.allowedTools,
    required_todos: definition.requiredTodos,
    heartbeat: heartbeat ?? null,
    uses_skill_run: usesSkillRun(definition),
    ...(definition.fields['context']?.value === 'fork' && { forks: true }),
    ...(plan !== undefined && !startsEffort({ ...definition, heartbeat, resultSchema }) && { guide: true }),
    ...(resultSchema !== undefined && { result: resultSchema }),
    ...(typeof definition.engine['task_type'] === 'string' && { task_type: definition.engine['task_type'] }),
    ...(continuation !== undefined && { continuation }),
    stage: declaredStage(definition.engine['stage']) ?? null,
  }
}

/** Whether code is trusted now; `before` is what was known of the same skill. */
export function trustNow(
  code: string,
  isTrusted: boolean,
  before: Pick<SkillDetails, 'code' | 'trust'> | null | undefined,
): Trust {
  if (isTrusted) return 'trusted'
  if (before?.code === code) return before.trust === 'changed' ? 'changed' : 'untrusted'
  return before?.trust === 'trusted' || before?.trust === 'changed' ? 'changed' : 'untrusted'
}

/** Why the workflow module of a skill is not its plan; undefined if it is, or if there is none. */
export const distrustOf = (details: SkillDetails | null): 'untrusted' | 'changed' | undefined =>
  details?.notation !== null || details.trust === 'trusted' ? undefined : details.trust

/** YAML values may be stored as text. */
const usesSkillRun = ({ engine }: Definition): boolean =>
  engine['uses_skill_run'] === true || engine['uses_skill_run'] === 'true'

/** True if a caller stored its phases, with or without a file. */
export const isByHand = ({ digest, plan, phases }: Pick<Skill, 'digest' | 'plan' | 'phases'>): boolean =>
  (digest === null || plan === null) && phases.length > 0

/** The plan of a skill; phases stored by a caller are one too. */
export function planIn(skill: Pick<Skill, 'digest' | 'plan' | 'phases'>): Plan | undefined {
  if (isByHand(skill)) return planOfPhases(skill.phases)
  const plan = skill.plan ?? undefined
  return plan?.notation === 'phases' ? byLabels(plan) : plan
}
