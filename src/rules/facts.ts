import type { TodoMarks } from '../model/checklist.ts'
import type { UnknownName } from '../model/chain/told.ts'
import type { Added, Frames } from '../model/chain/move.ts'
import type { Delegation } from '../model/delegation.ts'
import type { TouchedDirective } from '../model/directive.ts'
import type { Effort, OpenEffort, WantedFile } from '../model/effort.ts'
import type { Level } from '../model/level.ts'
import type { Progress } from '../model/plan/advance.ts'
import type { Shortcut, UsedShortcut } from '../model/shortcut.ts'
import type { Called } from '../model/plan/called.ts'
import type { Recorded, SeenRun } from '../model/plan/evidence.ts'
import type { Phase } from '../model/plan/phase.ts'
import type { PhaseMove } from '../model/plan/phase-refusal.ts'
import type { Plan } from '../model/plan/plan.ts'
import type { Seen } from '../model/plan/shown.ts'
import type { ResultSchema } from '../model/result-schema.ts'
import type { QueueItem } from '../model/queue.ts'
import type { Memory } from '../model/search/memory.ts'
import type { Session } from '../model/session.ts'
import type { Span } from '../model/span.ts'
import type { Invocation } from '../model/invocation.ts'
import type { InModes, Mode } from '../model/mode.ts'
import type { Doors, Subject, UnsureRead } from '../model/subject.ts'
import type { Watch } from '../model/watch.ts'
import type { Content } from './told/content.ts'
import type { Background, LookedUp, Traces } from './told/background.ts'

/** A session before other facts are loaded. */
export interface Window {
  readonly session: Session
  readonly watch: Watch
}

/** A skill as rules see it, with its progress in this session's effort. */
export interface SkillFacts {
  readonly name: string
  readonly folder: string | null
  readonly plan: Plan | undefined
  /** True if its plan can refuse, not only advise. */
  readonly enforceable: boolean
  readonly requiredTodos: readonly string[]
  /** What the effort knows of those todos. */
  readonly marks?: TodoMarks | undefined
  /** How many tool calls it allows without a log entry. */
  readonly heartbeat?: number | undefined
  /** True if it takes part in chains by itself. */
  readonly cooperative?: boolean | undefined
  /** The form of the result that its efforts end with. */
  readonly resultSchema?: ResultSchema | undefined
  /** True if the client gives it to a sub-agent. */
  readonly forks?: boolean | undefined
  /** Set if it has a workflow that is not its plan, because its code is not trusted as it is now. */
  readonly distrust?: 'untrusted' | 'changed' | undefined
  /** Its planning stage. */
  readonly stage?: string | undefined
  /** The files that it wants in the task folder. */
  readonly wants?: readonly WantedFile[] | undefined
  /** The effort that this session serves for it. */
  readonly effort: Effort | undefined
  readonly progress: Progress | undefined
  readonly recorded: Recorded
  /** The skill that the current step of a pipeline has called. */
  readonly called?: Called | undefined
  /** Steps that the user approved once against the plan. */
  readonly approved: readonly string[]
  /** What this session has seen of the steps that were read in part. */
  readonly seen?: Readonly<Record<string, Seen>> | undefined
  /** True if the effort has a run whose result is known to be missing. */
  readonly lacksResult?: boolean | undefined
}

/** A file of a skill that an event reads. */
export interface TouchedSkill {
  readonly path: string
  readonly skill: SkillFacts
  /** The step id of the file; undefined for SKILL.md. */
  readonly step: string | undefined
  /** What the event shows of the step; undefined if it shows all of it, or if that is unknown. */
  readonly seen?: Seen | undefined
}

/** Steps of a skill that were handed to a sub-agent. */
export type HandedOver = Omit<Delegation, 'skill'> & {
  readonly skill: SkillFacts
  /** What the sub-agent of the event has seen of them; a step that is missing counts as read. */
  readonly seen?: Readonly<Record<string, Seen>> | undefined
}

/** What a sub-agent may read before its main thread may. */
export interface Given {
  readonly skills: readonly string[]
  readonly steps: readonly { readonly skill: string; readonly step: string }[]
}

/** An effort that the session had, and that somebody else has now or has ended. */
export interface LostEffort {
  readonly effort: Effort
  /** Who has it; undefined if it was ended elsewhere. */
  readonly by: string | undefined
  /** The command that takes it back, or begins it again. */
  readonly command: string
}

/** The agent that a session is named after, while another session works in its name. */
export interface BusyNamesake {
  readonly agent: string
  readonly effort: Effort
  readonly by: string
  /** The command that takes its effort over; undefined in another project. */
  readonly command: string | undefined
}

/** A file of the project. */
export interface WrittenFile {
  /** Its real path. */
  readonly path: string
  /** Its path below the root of its workplace. */
  readonly name: string
  /** True if it lies where the tasks of calls lie. */
  readonly inTasks: boolean
}

/** What happened to the effort of a session since the user's last prompt. */
export interface Turn {
  /** True if the effort was called or moved. */
  readonly hasMoved: boolean
  /** True if the end of the turn was refused. */
  readonly isHeld: boolean
  /** True if a sub-agent of the session has work of it and was heard lately. */
  readonly isWaiting: boolean
}

/** The chain of the session. */
export interface ChainFacts {
  readonly frames: Frames
  /** The open work of the frames that run, by frame; one without an effort has none. */
  readonly running: ReadonlyMap<number, SkillFacts & { readonly effort: Effort }>
  /** False if no skill has the name of the next frame. */
  readonly isNextKnown: boolean
  /** What follows the last frame if it ends with its turn: nothing if another one is next, or work of it is open. */
  readonly exits: readonly Added[]
  /** True if the words of the next frame ask for quick mode. */
  readonly isNextQuick: boolean
  /** True if the end of this turn was refused for the next frame. */
  readonly isAsked: boolean
}

/** A chain that a prompt asks for. */
export interface AskedChain {
  /** None if only the first of the skills that it calls is there, so that nothing is to be kept. */
  readonly frames: readonly Added[]
  /** True if it asks in words, so that nothing is called yet. */
  readonly isExplicit: boolean
  readonly unknown: readonly UnknownName[]
}

/** Facts that every rule gets. */
export interface KnownFacts extends Window {
  readonly level: Level
  readonly now: string
}

/** Facts that a rule may need by name; each has one loader. */
export interface NeededFacts {
  /** Files that the event reads, by their real paths; the last part may be a pattern. */
  readonly reads: readonly string[]
  /** Files of the project that the event writes. */
  readonly writes: readonly WrittenFile[] | undefined
  /** A command that writes files that its text does not name. */
  readonly unsureWrite: string | undefined
  /** Plan commands that ended in this event. */
  readonly seen: readonly SeenRun[]
  /** Spans of this client session that are not completed, newest first. */
  readonly spans: readonly Span[]
  readonly touched: readonly TouchedSkill[]
  /** The skills whose call starts an effort in the session, by name. */
  readonly tracked: readonly string[]
  /** What a command may read without naming it, and the steps that its text names. */
  readonly unsure:
    | (Omit<UnsureRead, 'named' | 'mentioned'> & {
        readonly named: readonly TouchedSkill[]
        readonly mentioned: readonly TouchedSkill[]
      })
    | undefined
  /** What the sub-agent of the event was given, and the skills that it carries out itself. */
  readonly given: Given | undefined
  readonly invoked: readonly (Invocation & {
    readonly skill: SkillFacts
    /** The modes whose tags its words had. */
    readonly modes?: readonly Mode[]
  })[]
  /** The shortcuts of a prompt and those in force, with what their texts depend on. */
  readonly shortcuts: {
    readonly used: readonly UsedShortcut[]
    readonly known: readonly Shortcut[]
    /** The session file of the project, from its root. */
    readonly sessionFile: string | undefined
    /** Those of the skills that shortcuts name which can be called. */
    readonly skills: readonly string[]
  }
  /** The session file of the project, from its root, for a new session. */
  readonly sessionFile: string | undefined
  /** The modes that the words of the event ask for. */
  readonly moded: InModes
  /** The work of the session; without a plan if its skill is gone. */
  readonly work: (SkillFacts & { readonly effort: Effort }) | undefined
  /** Open efforts of the project, newest first: those free for the session or its own, and the first in use. */
  readonly open: readonly OpenEffort[]
  /** Efforts that this session had before and that others have now. */
  readonly lost: readonly LostEffort[]
  readonly namesake: BusyNamesake | undefined
  /** What the project knows about the request of a call; undefined if nobody may be told. */
  readonly memory: Memory | undefined
  /** Open items of the project's queue, newest first. */
  readonly queued: readonly QueueItem[]
  /** The phase that a command would enter, and the phases that the user approved. */
  readonly move:
    | (PhaseMove & { readonly approved: readonly string[]; readonly isProofKnown: boolean })
    | undefined
  /** The phase that a command entered, and its declaration. */
  readonly entered:
    | {
        readonly effort: Effort
        readonly phase: string
        readonly declared: Phase | undefined
        readonly contents: readonly Content[]
      }
    | undefined
  /** Steps that a call hands to a sub-agent, in prompt order. */
  readonly delegated: readonly TouchedSkill[] | undefined
  /** Steps of this session that sub-agents still have. */
  readonly delegations: readonly HandedOver[] | undefined
  /** Directives in force that the client does not load itself, nearest first. */
  readonly directives: readonly TouchedDirective[]
  /** The files that may be told, as far as somebody looked. */
  readonly lookedUp: LookedUp
  /** What a new session must know besides its work. */
  readonly background: Background | undefined
  /** What user and agent said in the session. */
  readonly said: readonly string[] | undefined
  /** What a call does that only the user may do. */
  readonly doors: Doors | undefined
  /** Whether the user has just removed or paused Holdfast. */
  readonly leave: boolean
  /** The turn of the session that ends. */
  readonly turn: Turn | undefined
  /** The work that called the skill in charge, with its turn. */
  readonly calling: { readonly work: NonNullable<NeededFacts['work']>; readonly turn: Turn } | undefined
  /** What the session has not heard yet of edits of its plan. */
  readonly planNews: { readonly effort: number; readonly line: string } | undefined
  readonly chain: ChainFacts | undefined
  readonly asked: AskedChain | undefined
  /** What a session leaves behind. */
  readonly traces: Traces | undefined
}

/** The names of the facts that rules may need. */
export type Fact = keyof NeededFacts

/** All facts, loaded once per event, inside its transaction. */
export type Facts = KnownFacts & NeededFacts

/** The facts of a rule with these needs. */
export type FactsFor<Need extends Fact> = KnownFacts & Pick<NeededFacts, Need>

/** Decides whether a rule runs. */
export type Wakes = (subject: Subject, window: Window) => boolean
