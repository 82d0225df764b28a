import type { Client } from '../../../model/client.ts'
import type { HookEvent } from '../../../model/event.ts'
import type { Subject } from '../../../model/subject.ts'
import type { Tx } from '../../../store/query.ts'
import type { Context } from '../../call/context.ts'
import type { Digests } from '../../plan/recorded.ts'
import type { Arrival } from '../../skill/arrival.ts'
import type { RunPlace } from '../../skill/skill-run.ts'
import type { ReadTranscript } from './transcript.ts'

/** A folder that an event works in, and its real path once somebody has asked for it. */
export interface WorkedFolder {
  readonly folder: string
  readonly isWritten: boolean
  readonly real?: string | undefined
}

/** All that is found out about an event before its transaction. */
export interface Looked extends Subject {
  /** Where the client works; only where the store may not know it. */
  readonly place?: Arrival | undefined
  readonly worked?: readonly WorkedFolder[] | undefined
  /** What the files are now that something was recorded of. */
  readonly digests: Digests
  readonly transcript?: ReadTranscript | undefined
  /** Where the run of a skill that is called will lie. */
  readonly run?: RunPlace | undefined
}

/** The event that is looked into, with what was found so far. */
export interface Looking {
  readonly context: Context
  readonly client: Client
  readonly event: HookEvent
  readonly found: Looked
}

type Finding = Promise<Partial<Looked>>

/** Put to the store; its answer is what is then done on the disk. */
type Question = (tx: Tx) => Promise<(looking: Looking) => Finding>

/** One thing to find out before the transaction, which must not wait for the disk. */
export interface Look {
  /** From the event and the disk alone; nothing where the event has no such thing. */
  find?(looking: Looking): Finding | undefined
  /** Put to the store together with the questions of all others, in one transaction. */
  ask?(looking: Looking): Question | undefined
}
