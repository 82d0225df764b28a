import type { TasksThere } from '../../session/project-session.ts'
import type { Client } from '../../../model/client.ts'
import type { Memory } from '../../../model/search/memory.ts'
import type { HookEvent } from '../../../model/event.ts'
import type { Seen as SeenLines } from '../../../model/plan/shown.ts'
import type { Subject } from '../../../model/subject.ts'
import type { Content } from '../../../rules/told/content.ts'
import type { Tx } from '../../../store/query.ts'
import type { Context } from '../../call/context.ts'
import type { Seen } from '../../effort/work-files.ts'
import type { Digests, Unwritten } from '../../plan/recorded.ts'
import type { Arrival } from '../../skill/arrival.ts'
import type { RunPlace } from '../../skill/skill-run.ts'
import type { ReadTranscript } from './transcript.ts'

/** A folder of an event, and its real path once it is resolved. */
export interface WorkedFolder {
  readonly folder: string
  readonly isWritten: boolean
  readonly real?: string | undefined
}

/** The facts about an event from before its transaction. */
export interface Looked extends Subject {
  /** The folder of the client; set only if the store may not know it. */
  readonly place?: Arrival | undefined
  /** Files that an ended command wrote. */
  readonly changed?: readonly string[] | undefined
  /** The identities of files with several names: those that are read, and those given to programs. */
  readonly shared?: { readonly read: readonly string[]; readonly given: readonly string[] } | undefined
  readonly worked?: readonly WorkedFolder[] | undefined
  /** The current digests of files with records. */
  readonly digests: Digests
  readonly transcript?: ReadTranscript | undefined
  /** What phases name, by skill, phase and mode. */
  readonly contents?: ReadonlyMap<string, readonly Content[]> | undefined
  /** The standards of the project. */
  readonly standards?: readonly Content[] | undefined
  /** What the event shows of step files, by their names in plans. */
  readonly shown?: ReadonlyMap<string, SeenLines> | undefined
  /** Which files of efforts exist. */
  readonly written?: Seen | undefined
  /** The same event of a sub-agent in its own scope, if there may be one. */
  readonly scope?: Looked | undefined
  /** Where tasks lie, if the event may begin an effort. */
  readonly tasks?: TasksThere | undefined
  /** The session file of the project, from its root; only for a new session and a prompt that may be a shortcut. */
  readonly sessionFile?: string | undefined
  /** What the project knows about the request of a call. */
  readonly memory?: Memory | undefined
  /** The place for the run of a called skill. */
  readonly run?: RunPlace | undefined
  /** The results that runs lack, by effort; only where the event may end one. */
  readonly unwritten?: Unwritten | undefined
}

/** The event, with the facts found so far. */
export interface Looking {
  readonly context: Context
  readonly client: Client
  readonly event: HookEvent
  readonly found: Looked
}

type Finding = Promise<Partial<Looked>>

/** A read of the store; it returns the work to do on the disk. */
type Question = (tx: Tx) => Promise<(looking: Looking) => Finding>

/** Gathers one fact before the transaction, which must not wait for the disk. */
export interface Look {
  /** Only for a main thread, or a sub-agent in its own scope, whose session is known. */
  readonly isOfSession?: true
  /** No rule wakes by it: the store is asked only if a rule that needs it may wake. */
  readonly isForFactsOnly?: true
  /** From the event and the disk alone; undefined if it does not apply. */
  find?(looking: Looking): Finding | undefined
  /** Reads the store, in one transaction with all other looks. */
  ask?(looking: Looking): Question | undefined
}
