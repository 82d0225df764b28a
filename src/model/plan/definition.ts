import type { Diagnostic, Place } from '../diagnostic.ts'
import type { Phase } from './phase.ts'
import type { Plan } from './plan.ts'

/** A skill, command or agent file, parsed to data. */
export interface Definition {
  readonly kind: 'skill' | 'command' | 'agent'
  /** What it is known by: its folder, or `plugin:name`; the name in the file is only an alias. */
  readonly id: string
  readonly name: string
  readonly description: string
  /** The folder of the skill, or the folder that the file lies in. */
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
  /** The sections that are for quick mode only. */
  readonly quick: readonly Place[]
  readonly plan: Plan | undefined
  /** Other numbered procedures in the file, which nobody follows. */
  readonly procedures: readonly { readonly title: string; readonly steps: number; readonly line: number }[]
  /** The check boxes of the text, outside of code. */
  readonly checks: readonly { readonly text: string; readonly done: boolean; readonly line: number }[]
  /** What the author tells the engine beside the plan: continuation, result, uses_skill_run, heartbeat, stage, and more. */
  readonly engine: Readonly<Record<string, unknown>>
  /** Skills that are named as what runs next or inside, where they are named. */
  readonly leadsTo: readonly { readonly name: string; readonly place: Place }[]
  /** Other skills that the text calls by `/name`, where they stand. */
  readonly references: readonly { readonly name: string; readonly line: number }[]
}

/** What running a workflow module gave: what it exported, as plain data, or why there is nothing. */
export type LoadedModule =
  | { readonly exported: unknown }
  | { readonly error: string; readonly line?: number | undefined }

/** What a front end made of the files that it was given. */
export interface Parsed {
  readonly definition: Definition
  readonly diagnostics: readonly Diagnostic[]
}

/** A definition as callers are told of it; what authors wrote keeps its own names. */
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
