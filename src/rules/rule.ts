import type { Progress } from '../model/plan/advance.ts'
import type { Change } from '../model/change.ts'
import type { TodoMarks } from '../model/checklist.ts'
import type { Delegation } from '../model/delegation.ts'
import type { TouchedDirective } from '../model/directive.ts'
import type { Effort } from '../model/effort.ts'
import type { HookEvent } from '../model/event.ts'
import type { Recorded, SeenRun } from '../model/plan/evidence.ts'
import type { Invocation } from '../model/invocation.ts'
import type { Level } from '../model/level.ts'
import type { OpenCall } from '../model/open-call.ts'
import type { Phase } from '../model/plan/phase.ts'
import type { PhaseMove } from '../model/plan/phase-refusal.ts'
import type { Plan } from '../model/plan/plan.ts'
import type { QueueItem } from '../model/queue.ts'
import type { Session } from '../model/session.ts'
import type { Span } from '../model/span.ts'
import type { Watch } from '../model/watch.ts'
import type { Background, Traces } from './background.ts'

/** A skill as rules see it, with how far it is in this session's effort. */
export interface SkillFacts {
  readonly name: string
  readonly folder: string | null
  readonly plan: Plan | undefined
  /** Whether its plan can refuse, or only advise. */
  readonly enforceable: boolean
  readonly requiredTodos: readonly string[]
  /** What was heard of those in the effort. */
  readonly marks?: TodoMarks | undefined
  /** So many tool calls it allows without a word in the log. */
  readonly heartbeat?: number | undefined
  /** The stage of planning that it stands for. */
  readonly stage?: string | undefined
  /** The effort that its span works on, or that waits for somebody to go on with it. */
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
  /** The id of the step that the file holds; nothing for SKILL.md. */
  readonly step: string | undefined
}

/** Steps of a skill that were handed to a sub-agent. */
export type HandedOver = Omit<Delegation, 'skill'> & { readonly skill: SkillFacts }

/** All that a rule may know. Loaded once per event, inside the event's transaction. */
export interface Facts {
  readonly level: Level
  readonly session: Session
  /** Those of this client session that are not completed, newest first. */
  readonly spans: readonly Span[]
  readonly touched: readonly TouchedSkill[]
  /** What a command may read that its text does not tell, with the steps that it names all the same. */
  readonly unsure?:
    | {
        readonly why: 'variable' | 'program'
        readonly command: string
        readonly named: readonly TouchedSkill[]
      }
    | undefined
  readonly invoked: readonly (Invocation & { readonly skill: SkillFacts })[]
  /** What the session works on; where its skill is gone, without a plan. */
  readonly work: (SkillFacts & { readonly effort: Effort }) | undefined
  /** Other efforts of the project that nobody works on just now. */
  readonly waiting: readonly Effort[]
  readonly openCalls: readonly OpenCall[]
  readonly watch: Watch
  /** What waits in the project's queue, newest first; only where a skill is called. */
  readonly queued: readonly QueueItem[]
  /** What of the commands that the plan names this event has run. */
  readonly seen: readonly SeenRun[]
  /** The wish of a command to enter a phase, with the phases that the user allows although the plan does not. */
  readonly move?:
    | (PhaseMove & { readonly approved: readonly string[]; readonly isProofKnown: boolean })
    | undefined
  /** The phase that a command has entered, and what its skill declares of it. */
  readonly entered?:
    | { readonly effort: Effort; readonly phase: string; readonly declared: Phase | undefined }
    | undefined
  /** Steps that a call hands to a sub-agent, in the order in which its prompt names them. */
  readonly delegated?: readonly TouchedSkill[] | undefined
  /** What was handed over in this session and has not come back. */
  readonly delegations?: readonly HandedOver[] | undefined
  /** Those in force where the event works, nearest first, that the client does not load itself. */
  readonly directives: readonly TouchedDirective[]
  /** Files that the event reads, where they really lie; the last part may be a pattern. */
  readonly reads: readonly string[]
  /** What of the project a command writes, where it really lies. */
  readonly writes?: readonly string[] | undefined
  /** A command that writes something whose name only running it would tell. */
  readonly unsureWrite?: string | undefined
  /** What else a window must know; only where one begins. */
  readonly background?: Background | undefined
  /** What user and agent said in the window; only before it is compacted. */
  readonly said?: readonly string[] | undefined
  /** What a window leaves behind; only where its context goes. */
  readonly traces?: Traces | undefined
}

/** What one rule has to say. Saying nothing is allowing. */
export interface Verdict {
  /** Says what is missing and what to do about it. */
  readonly block?: {
    readonly reason: string
    readonly skill: string
    /** Where it is a step of the plan that may not begin yet. */
    readonly step?: string
    /** Where it is a phase that may not be entered yet. */
    readonly phase?: string
    readonly effort: number | undefined
  }
  readonly contexts?: readonly string[]
  readonly notice?: string
  readonly changes?: readonly Change[]
  /** Whether to tell, once the changes are made, where the work of the session stands. */
  readonly tellsStanding?: boolean
}

/** Pure: it looks at an event and facts, and never does anything. */
export interface Rule {
  readonly name: string
  readonly summary: string
  /** The kinds of events that it is asked about. */
  readonly on: readonly HookEvent['kind'][]
  judge(event: HookEvent, facts: Facts): Verdict | undefined
}
