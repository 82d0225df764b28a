import type { Diagnostic, Place } from '../diagnostic.ts'
import type { Phase } from './phase.ts'
import type { Plan } from './plan.ts'

/** A skill, command or agent file, parsed to data. */
export interface Definition {
  readonly kind: 'skill' | 'command' | 'agent'
  /** Its folder name, or `plugin:name`; the name in the file is only an alias. */
  readonly id: string
  readonly name: string
  readonly description: string
  /** The folder of the skill or file. */
  readonly folder: string
  readonly file: string
  /** Every field of the frontmatter, with its source text. */
  readonly fields: Readonly<
    Record<string, { readonly value: unknown; readonly source: string; readonly line: number }>
  >
  readonly allowedTools: readonly string[]
  readonly argumentHint: string | undefined
  readonly userInvocable: boolean
  readonly phases: readonly Phase[]
  readonly modes: Readonly<Record<string, unknown>>
  readonly templates: Readonly<Record<string, unknown>>
  readonly nextSkills: readonly string[]
  readonly directives: readonly string[]
  readonly commands: readonly string[]
  readonly requiredTodos: readonly string[]
  /** Sections for quick mode only. */
  readonly quick: readonly Place[]
  readonly plan: Plan | undefined
  /** Procedures of equal standing, none of which is the plan. */
  readonly procedures: readonly { readonly title: string; readonly steps: number; readonly line: number }[]
  /** Check boxes outside of code. */
  readonly checks: readonly { readonly text: string; readonly done: boolean; readonly line: number }[]
  /** Engine settings besides the plan: continuation, result, uses_skill_run, heartbeat, stage and more. */
  readonly engine: Readonly<Record<string, unknown>>
  /** Skills named to run next or inside, with their places. */
  readonly leadsTo: readonly { readonly name: string; readonly place: Place }[]
  /** Other skills that the text calls by `/name`. */
  readonly references: readonly { readonly name: string; readonly line: number }[]
}

/** What a workflow module exports as plain data, with the texts that it names, if they were looked up. */
export interface ExportedModule {
  readonly exported: unknown
  readonly texts?: Readonly<Record<string, string>>
}

/** The export of a workflow module, or the error. */
export type LoadedModule = ExportedModule | { readonly error: string; readonly line?: number | undefined }

/** The result of parsing the files of a skill. */
export interface Parsed {
  readonly definition: Definition
  readonly diagnostics: readonly Diagnostic[]
}

/** A definition for callers; the author's fields keep their names. */
export function tellDefinition(definition: Definition) {
  const { allowedTools, argumentHint, userInvocable, nextSkills, requiredTodos, leadsTo, plan, ...rest } =
    definition
  return {
    ...rest,
    allowed_tools: allowedTools,
    argument_hint: argumentHint ?? null,
    user_invocable: userInvocable,
    next_skills: nextSkills,
    required_todos: requiredTodos,
    leads_to: leadsTo,
    plan: plan ?? null,
  }
}
