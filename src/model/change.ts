import type { Added, call } from './chain/move.ts'
import type { Quote } from './search/memory.ts'
import type { Progress } from './plan/advance.ts'
import type { UnsureWhy } from './subject.ts'
import type { Seen } from './plan/shown.ts'
import type { SeenRun } from './plan/evidence.ts'
import type { Dehydration } from './dehydration.ts'
import type { OurWords } from './door.ts'
import type { ToldDirective } from './directive.ts'
import type { OpenCall } from './open-call.ts'

/** How an event moves a chain. */
export type ChainMove =
  | ({ readonly kind: 'call' } & Parameters<typeof call>[1])
  /** The end of the turn may ask for what follows at once. */
  | { readonly kind: 'end'; readonly frame: number; readonly asks?: boolean }
  | { readonly kind: 'fail'; readonly frame: number; readonly reason: string }
  | { readonly kind: 'park'; readonly reason: string }
  /** The end of the turn asked for the next skill. */
  | { readonly kind: 'ask'; readonly frame: number }

/** An effect of an event, applied in its transaction and recorded in the ledger. */
export type Change =
  | {
      readonly kind: 'span.opened'
      readonly skill: string
      readonly parent: string | undefined
      /** The first step; undefined if the skill itself was called or read. */
      readonly step: string | undefined
      readonly args: string
      readonly mode: 'quick' | 'full'
      readonly effort: EffortWish
    }
  | { readonly kind: 'span.resumed'; readonly span: string }
  | { readonly kind: 'span.suspended'; readonly span: string }
  | { readonly kind: 'span.completed'; readonly span: string }
  | {
      readonly kind: 'step.visited'
      readonly skill: string
      readonly step: string
      /** The new progress; undefined if the visit does not count. */
      readonly progress: Progress | undefined
      /** Set if it counts only by the user's approval. */
      readonly approved?: boolean
      /** What the session has seen of it, if that was not all at once. */
      readonly seen?: Seen
    }
  /** Lines of a step that a call or a sub-agent was shown; they count once the sub-agent is done. */
  | {
      readonly kind: 'lines.shown'
      readonly effort: number
      /** The id of the call or of the sub-agent. */
      readonly to: string
      readonly step: string
      readonly seen: Seen
    }
  | {
      readonly kind: 'refused'
      readonly rule: string
      readonly skill: string
      readonly step?: string
      readonly phase?: string
      /** Set if the end of a turn was refused. */
      readonly turn?: true
      readonly effort: number | undefined
      readonly reason: string
      /** Recorded but not enforced, because the project only observes. */
      readonly observed: boolean
    }
  /** A call was told of earlier work and documents. */
  | { readonly kind: 'memory.told'; readonly skill: string; readonly quotes: readonly Quote[] }
  /** The index did not answer in time, or failed. */
  | { readonly kind: 'memory.missed'; readonly skill: string; readonly why: string }
  /** The user is asked whether a call may loosen the rules. */
  | {
      readonly kind: 'asked'
      readonly call: string
      readonly doors: readonly OurWords[]
      readonly files: readonly string[]
    }
  /** A command may have read steps that its text does not name. */
  | {
      readonly kind: 'read.unresolved'
      readonly why: UnsureWhy
      readonly command: string
      readonly skill: string
      /** The steps that it names. */
      readonly steps: readonly string[]
    }
  /** A command may have written gated files that its text does not name. */
  | { readonly kind: 'write.unresolved'; readonly command: string }
  | { readonly kind: 'evidence.seen'; readonly run: SeenRun }
  | {
      readonly kind: 'stage.entered'
      readonly skill: string
      readonly stage: string
      /** What the call plans. */
      readonly about: string
    }
  /** The modes of the effort that the session serves for a called skill. */
  | { readonly kind: 'modes.set'; readonly skill: string; readonly modes: readonly string[] }
  /** Steps that a call hands to a sub-agent; they do not count yet. */
  | {
      readonly kind: 'steps.delegated'
      readonly skill: string
      readonly effort: number | undefined
      readonly call: string
      readonly steps: readonly string[]
    }
  /** One of the sub-agents of a step succeeded or failed. */
  | {
      readonly kind: 'step.reported'
      readonly effort: number
      readonly step: string
      readonly outcome: 'ok' | 'fail'
    }
  /** A call of a skill that the client gives to a sub-agent. */
  | {
      readonly kind: 'skill.forked'
      readonly skill: string
      readonly request: string
      readonly call: string
      /** The client's id of the prompt, which its sub-agent has too. */
      readonly prompt: string | undefined
    }
  /** The sub-agent of the call, an unmatched one that stopped, or the outcome. */
  | {
      readonly kind: 'delegation.noted'
      readonly skill: string
      readonly call: string
      readonly agent?: string
      readonly stopped?: string
      readonly outcome?: 'ok' | 'failed'
    }
  /** News about required todos from the client's list. */
  | {
      readonly kind: 'todos.heard'
      readonly effort: number
      readonly items: readonly { readonly text: string; readonly done: boolean }[]
    }
  /** The agent was reminded to write to its log; a refused call carries no reminder. */
  | { readonly kind: 'heartbeat.reminded'; readonly effort: number }
  /** The mark that the agent was warned of; lower once the context shrinks. */
  | { readonly kind: 'context.told'; readonly mark: number; readonly usage: number | null }
  | { readonly kind: 'directives.told'; readonly told: readonly ToldDirective[] }
  /** The session heard which efforts it lost. */
  | { readonly kind: 'losses.told' }
  /** The session heard what became of an edit of its plan. */
  | { readonly kind: 'plan.told'; readonly effort: number }
  /** The effort needs no more, and the session turns to something else. */
  | { readonly kind: 'effort.carried-out'; readonly effort: number }
  /** A prompt asks for several skills. */
  | {
      readonly kind: 'chain.begun'
      readonly frames: readonly Added[]
      /** The first skill, if the prompt calls it. */
      readonly skill: string | undefined
    }
  | {
      readonly kind: 'chain.moved'
      readonly chain: number
      readonly move: ChainMove
      /** The skill of a call. */
      readonly skill?: string
    }
  /** Notes for later from the conversation. */
  | { readonly kind: 'noted'; readonly notes: readonly string[]; readonly effort: number | undefined }
  | { readonly kind: 'rule.failed'; readonly rule: string; readonly message: string }
  /** Calls that were running when the client ended; their outcome is unknown. */
  | { readonly kind: 'calls.unknown'; readonly calls: readonly OpenCall[] }
  /** The handover note for the next session, made from the store. */
  | { readonly kind: 'dehydrated'; readonly effort: number; readonly payload: Dehydration }

/** Changes that decide which skill is in charge. */
export type SpanChange = Extract<Change, { kind: `span.${string}` }>

/** The effort of a new span: none, a waiting one, or a new one. */
export type EffortWish =
  | { readonly kind: 'none' }
  | { readonly kind: 'resume'; readonly id: number }
  | {
      readonly kind: 'start'
      /** The previous effort, if its plan is complete or nothing was done for it. */
      readonly finishes: number | undefined
      /** The task of its chain. */
      readonly task?: string | undefined
      /** Set if the words are the user's; other words than those of the task get a task of their own. */
      readonly inWords?: true
    }
