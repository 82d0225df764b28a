// What a runbook says, as data: skills/runbook reads it, `runbook compile` writes its files, `runbook next` runs it.
import type { Place } from '../diagnostic.ts'

/** The models that a runbook may name, weakest first. */
export const RUNBOOK_MODELS = ['haiku', 'sonnet', 'opus'] as const
export type RunbookModel = (typeof RUNBOOK_MODELS)[number]

/** How the steps of a runbook or phase are written; `mixed` is only said of a whole runbook. */
export type RunbookType = 'general' | 'tdd' | 'mixed' | 'inline'
export type PhaseType = Exclude<RunbookType, 'mixed'>

/** The turns of a sub-agent for an item that names no number. */
export const DEFAULT_MAX_TURNS = 30

/** A plan for a weak orchestrator: it hands each item to a sub-agent and decides nothing itself. */
export interface Runbook {
  /** The name of its folder; its files and agents carry it. */
  readonly name: string
  /** Where it lies, as the reader was given it, such as `plans/NAME`. */
  readonly folder: string
  /** Its files in order: `runbook.md`, or the phase files. */
  readonly files: readonly string[]
  readonly type: RunbookType
  readonly model?: RunbookModel
  /** The text below `## Common Context`; empty without one. */
  readonly context: string
  /** The text below `## Orchestrator Instructions`. */
  readonly instructions?: string
  /** In document order; a runbook without phase headers has one phase, or one per first number of numbers such as 1.2. */
  readonly phases: readonly RunbookPhase[]
}

/** The items between two checkpoints. */
export interface RunbookPhase {
  readonly number: number
  readonly title: string
  readonly type: PhaseType
  readonly model?: RunbookModel
  /** The text between the header and the first item; empty without one. */
  readonly context: string
  readonly place: Place
  /** In document order, which is the order of work. */
  readonly items: readonly RunbookItem[]
}

/** A part of a cycle that has a sub-agent of its own. */
export type CyclePart = 'bootstrap' | 'test' | 'impl'

/** One piece of work: a sub-agent does it, or, if inline, the orchestrator itself. */
export interface RunbookItem {
  readonly kind: 'step' | 'cycle' | 'inline'
  /** Its number as written, such as `1` or `1.2`; of an inline phase, the number of the phase. */
  readonly number: string
  readonly title: string
  /** Unique in the runbook, and the stem of its step file: `step-1`, `step-1-1-test`, `inline-2`. */
  readonly id: string
  readonly part?: CyclePart
  /** The phase that it belongs to. */
  readonly phase: number
  /** Of the item, else its phase, else the runbook; absent only if inline. */
  readonly model?: RunbookModel
  readonly maxTurns: number
  /** Where the sub-agent writes its report, relative to the root of the project. */
  readonly reportPath?: string
  /** The agent that does it, such as `NAME-task`; absent only if inline. */
  readonly agent?: string
  /** Its section as written, with the heading. */
  readonly text: string
  readonly place: Place
}

/** What an agent of a runbook is for. Only a runbook with cycles has more than the first two. */
export const RUNBOOK_ROLES = [
  'task',
  'corrector',
  'tester',
  'implementer',
  'test-corrector',
  'impl-corrector',
] as const
export type RunbookRole = (typeof RUNBOOK_ROLES)[number]

/** The agent of a runbook for a role, as a sub-agent type: `NAME-task`. */
export const runbookAgent = (runbook: string, role: RunbookRole): string => `${runbook}-${role}`

/** The items of a runbook in the order of work. */
export const itemsOf = ({ phases }: Pick<Runbook, 'phases'>): readonly RunbookItem[] =>
  phases.flatMap(({ items }) => items)

/** A path below the folder of a runbook, which may be the root of its project. */
export const pathIn = ({ folder }: Pick<Runbook, 'folder'>, path: string): string =>
  folder === '.' ? path : `${folder}/${path}`

/** Where the text of an item lies below the folder of its runbook; an inline item has no file. */
export const stepFileOf = ({ id, kind }: Pick<RunbookItem, 'id' | 'kind'>): string | undefined =>
  kind === 'inline' ? undefined : `steps/${id}.md`
