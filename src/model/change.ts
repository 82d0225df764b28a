import type { Progress } from './plan/advance.ts'
import type { SeenRun } from './plan/evidence.ts'
import type { Dehydration } from './dehydration.ts'
import type { ToldDirective } from './directive.ts'
import type { OpenCall } from './open-call.ts'

/** Something that becomes true with an event: applied in the event's own transaction, and told to the ledger. */
export type Change =
  | {
      readonly kind: 'span.opened'
      readonly skill: string
      readonly parent: string | undefined
      /** What it began with: a step, or nothing where the skill itself was called or read. */
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
      /** Where the plan stands now; nothing where the visit does not count. */
      readonly progress: Progress | undefined
      /** Only the user's approval let it count. */
      readonly approved?: boolean
    }
  | {
      readonly kind: 'refused'
      readonly rule: string
      readonly skill: string
      readonly step?: string
      readonly phase?: string
      readonly effort: number | undefined
      readonly reason: string
      /** Only recorded, because the project is observed and not enforced. */
      readonly observed: boolean
    }
  /** A command may have read steps, which its text does not tell for sure. */
  | {
      readonly kind: 'read.unresolved'
      readonly why: 'variable' | 'program'
      readonly command: string
      readonly skill: string
      /** The steps that it names. */
      readonly steps: readonly string[]
    }
  /** A command may have written files that a gate guards, which its text does not tell for sure. */
  | { readonly kind: 'write.unresolved'; readonly command: string }
  | { readonly kind: 'evidence.seen'; readonly run: SeenRun }
  | {
      readonly kind: 'stage.entered'
      readonly skill: string
      readonly stage: string
      /** What is planned, as the call names it. */
      readonly about: string
    }
  /** What a call hands to a sub-agent; it does not count yet. */
  | {
      readonly kind: 'steps.delegated'
      readonly skill: string
      readonly effort: number | undefined
      readonly call: string
      readonly steps: readonly string[]
    }
  /** Whose it is, who has stopped before that was known, or how it ended. */
  | {
      readonly kind: 'delegation.noted'
      readonly skill: string
      readonly call: string
      readonly agent?: string
      readonly stopped?: string
      readonly outcome?: 'ok' | 'failed'
    }
  /** What the client's own list says of the todos that a skill asks for. */
  | {
      readonly kind: 'todos.heard'
      readonly effort: number
      readonly items: readonly { readonly text: string; readonly done: boolean }[]
    }
  /** The mark that a window was told of how full it is; a lower one where it has become emptier. */
  | { readonly kind: 'context.told'; readonly mark: number; readonly usage: number | null }
  | { readonly kind: 'directives.told'; readonly told: readonly ToldDirective[] }
  /** Marked as something for later, by whoever said it. */
  | { readonly kind: 'noted'; readonly notes: readonly string[]; readonly effort: number | undefined }
  | { readonly kind: 'rule.failed'; readonly rule: string; readonly message: string }
  /** The client ended in the middle of these; nobody knows what became of them. */
  | { readonly kind: 'calls.unknown'; readonly calls: readonly OpenCall[] }
  /** What the next window of the effort must know, as the store has it. */
  | { readonly kind: 'dehydrated'; readonly effort: number; readonly payload: Dehydration }

/** Those that say which skill is in charge. */
export type SpanChange = Extract<Change, { kind: `span.${string}` }>

/** What a new span works on: nothing of its own, an effort that waits, or a new one. */
export type EffortWish =
  | { readonly kind: 'none' }
  | { readonly kind: 'resume'; readonly id: number }
  | {
      readonly kind: 'start'
      /** The one before it, whose plan was carried out. */
      readonly finishes: number | undefined
    }
