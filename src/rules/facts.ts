import type { TodoMarks } from '../model/checklist.ts'
import type { Delegation } from '../model/delegation.ts'
import type { TouchedDirective } from '../model/directive.ts'
import type { Effort } from '../model/effort.ts'
import type { Level } from '../model/level.ts'
import type { Progress } from '../model/plan/advance.ts'
import type { Recorded, SeenRun } from '../model/plan/evidence.ts'
import type { Phase } from '../model/plan/phase.ts'
import type { PhaseMove } from '../model/plan/phase-refusal.ts'
import type { Plan } from '../model/plan/plan.ts'
import type { QueueItem } from '../model/queue.ts'
import type { Session } from '../model/session.ts'
import type { Span } from '../model/span.ts'
import type { Invocation } from '../model/invocation.ts'
import type { Subject, UnsureRead } from '../model/subject.ts'
import type { Watch } from '../model/watch.ts'
import type { Background, Traces } from './told/background.ts'

/** A context window as it is known before anything else is loaded. */
export interface Window {
  readonly session: Session
  readonly watch: Watch
}

/** A skill as rules see it, with its progress in this session's effort. */
export interface SkillFacts {
  readonly name: string
  readonly folder: string | null
  readonly plan: Plan | undefined
  /** Whether its plan can refuse, or only advise. */
  readonly enforceable: boolean
  readonly requiredTodos: readonly string[]
  /** What the effort has heard of those todos. */
  readonly marks?: TodoMarks | undefined
  /** How many tool calls it allows without a log entry. */
  readonly heartbeat?: number | undefined
  /** The stage of planning that it stands for. */
  readonly stage?: string | undefined
  /** The effort of its span, or one that nobody works on. */
  readonly effort: Effort | undefined
  readonly progress: Progress | undefined
  readonly recorded: Recorded
  /** Steps that the user allows once although the plan does not. */
  readonly approved: readonly string[]
}

/** A file of a skill that an event reads. */
export interface TouchedSkill {
  readonly path: string
  readonly skill: SkillFacts
  /** The id of the step in the file; nothing for SKILL.md. */
  readonly step: string | undefined
}

/** Steps of a skill that were handed to a sub-agent. */
export type HandedOver = Omit<Delegation, 'skill'> & { readonly skill: SkillFacts }

/** What every rule knows, whatever it needs. */
interface KnownFacts extends Window {
  readonly level: Level
}

/** What a rule may ask for by name; each has one loader. */
export interface NeededFacts {
  /** Files that the event reads, by their real paths; the last part may be a pattern. */
  readonly reads: readonly string[]
  /** Files of the project that a command writes, by their real paths. */
  readonly writes?: readonly string[] | undefined
  /** A command that writes something that its text does not name. */
  readonly unsureWrite?: string | undefined
  /** Commands of the plan that this event saw to their end. */
  readonly seen: readonly SeenRun[]
  /** Spans of this client session that are not completed, newest first. */
  readonly spans: readonly Span[]
  readonly touched: readonly TouchedSkill[]
  /** What a command may read without naming it, and the steps that its text names. */
  readonly unsure?: (Omit<UnsureRead, 'named'> & { readonly named: readonly TouchedSkill[] }) | undefined
  readonly invoked: readonly (Invocation & { readonly skill: SkillFacts })[]
  /** What the session works on; without a plan where its skill is gone. */
  readonly work: (SkillFacts & { readonly effort: Effort }) | undefined
  /** Other efforts of the project that nobody works on now. */
  readonly waiting: readonly Effort[]
  /** Open items of the project's queue, newest first. */
  readonly queued: readonly QueueItem[]
  /** The phase that a command would enter, and the phases that the user allows although the plan does not. */
  readonly move?:
    | (PhaseMove & { readonly approved: readonly string[]; readonly isProofKnown: boolean })
    | undefined
  /** The phase that a command has entered, and what its skill declares of it. */
  readonly entered?:
    | { readonly effort: Effort; readonly phase: string; readonly declared: Phase | undefined }
    | undefined
  /** Steps that a call hands to a sub-agent, in the order in which its prompt names them. */
  readonly delegated?: readonly TouchedSkill[] | undefined
  /** Steps of this session that sub-agents still have. */
  readonly delegations?: readonly HandedOver[] | undefined
  /** Directives in force where the event works, nearest first, that the client does not load itself. */
  readonly directives: readonly TouchedDirective[]
  /** What else a new window must know. */
  readonly background?: Background | undefined
  /** What user and agent said in the window. */
  readonly said?: readonly string[] | undefined
  /** What a window leaves behind. */
  readonly traces?: Traces | undefined
}

/** The names of what rules may ask for. */
export type Fact = keyof NeededFacts

/** All that a rule may know. Loaded once per event, inside the event's transaction. */
export type Facts = KnownFacts & NeededFacts

/** What a rule knows that asks for these. */
export type FactsFor<Need extends Fact> = KnownFacts & Pick<NeededFacts, Need>

/** What decides whether a rule has anything to look at. */
export type Wakes = (subject: Subject, window: Window) => boolean
