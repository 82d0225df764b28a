import { clients } from '../clients/index.ts'
import type { HookFaultStatus } from '../engine/call/context.ts'
import { timestamp } from '../model/clock.ts'
import type { Counts } from '../model/count.ts'
import { EngineError } from '../model/error.ts'
import { isRepair } from '../model/shell/repair.ts'
import { errorDetails, type Log } from './log.ts'

/** What went wrong with a hook that was let go on all the same. */
export interface HookFault {
  readonly client: string
  readonly problem: string
  readonly cause?: unknown
}

interface HookFaultsOptions {
  readonly log: Log
  readonly counts: Counts
  readonly isPaused: () => boolean
}

/** What becomes of hooks that fail: they are told to the log and counted, and strict clients are told why. */
export class HookFaults {
  readonly #options: HookFaultsOptions
  #last: Omit<HookFaultStatus, 'count'> | undefined

  constructor(options: HookFaultsOptions) {
    this.#options = options
  }

  /** Since the daemon started; undefined where none has failed. */
  get status(): HookFaultStatus | undefined {
    return this.#last && { count: this.#options.counts.faults, ...this.#last }
  }

  note(fault: HookFault): void {
    const { cause, ...about } = fault
    this.#options.counts.faults++
    this.#last = { last: sentenceOf(fault), last_at: timestamp(Date.now()) }
    this.#options.log.write('warn', 'hook fault', {
      ...about,
      ...(cause !== undefined && { cause: errorDetails(cause) }),
    })
  }

  /** Strict is also where the engine fails; a client that has no words for it gets an error. */
  close(payload: unknown, fault: HookFault): object | undefined {
    return this.#options.isPaused() ? undefined : refusalOf(payload, fault)
  }
}

function refusalOf(payload: unknown, fault: HookFault): object | undefined {
  const client = clients.get(fault.client)
  const event = client?.decode(payload)
  const does = event?.kind === 'tool.before' ? event.tool.does : undefined
  // What mends it must be possible.
  if (does?.kind === 'command' && isRepair(does.command)) return undefined
  const reason = `Holdfast: this project is strict, and the engine could not decide: ${sentenceOf(fault)} Until it can, only plain holdfast commands are allowed. Next: run holdfast doctor`
  const reply = event && client?.encode({ kind: 'block', reason, contexts: [] }, event)
  if (typeof reply === 'object' && reply !== null) return reply
  throw new EngineError('invalid', `${fault.client} cannot refuse this event.`)
}

/** For whoever is kept from going on by it. */
function sentenceOf({ problem, cause }: HookFault): string {
  if (cause instanceof EngineError) return cause.message
  return cause instanceof Error ? `${problem} ${cause.message}`.replace(/\.*$/, '.') : problem
}
