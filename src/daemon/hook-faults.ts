import { clients } from '../clients/index.ts'
import type { HookFaultStatus, Programs } from '../engine/call/context.ts'
import { timestamp } from '../model/clock.ts'
import type { Counts } from '../model/count.ts'
import { addressed, spoken } from '../model/decision.ts'
import { EngineError } from '../model/error.ts'
import { isRepair } from '../model/shell/repair.ts'
import { refusedLine } from '../rules/told/notice.ts'
import { errorDetails, type Log } from './log.ts'

/** A problem with a hook that was allowed anyway. */
export interface HookFault {
  readonly client: string
  readonly problem: string
  readonly cause?: unknown
}

interface HookFaultsOptions {
  readonly log: Log
  readonly counts: Counts
  readonly programs: Pick<Programs, 'of'>
  readonly isPaused: () => boolean
}

/** Logs and counts failed hooks, and makes refusals for strict projects. */
export class HookFaults {
  readonly #options: HookFaultsOptions
  #last: Omit<HookFaultStatus, 'count'> | undefined

  constructor(options: HookFaultsOptions) {
    this.#options = options
  }

  /** Failures since the daemon started; undefined if there are none. */
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

  /** Refuses the event in a strict project; throws if the client cannot refuse it. */
  close(payload: unknown, fault: HookFault): object | undefined {
    return this.#options.isPaused() ? undefined : refusalOf(payload, fault, this.#options.programs)
  }
}

function refusalOf(payload: unknown, fault: HookFault, programs: Pick<Programs, 'of'>): object | undefined {
  const client = clients.get(fault.client)
  const event = client?.decode(payload)
  const does = event?.kind === 'tool.before' ? event.tool.does : undefined
  const [program, launcher] = [programs.of(event?.session), programs.of(undefined)]
  // Repair commands must stay possible.
  if (does?.kind === 'command' && isRepair(does.command, launcher)) return undefined
  const reason = `This project is strict, and the engine could not decide: ${sentenceOf(fault)} Until it can, only plain holdfast commands are allowed. Next: run holdfast doctor`
  const notice = event && refusedLine(event, { reason, skill: '' })
  const refusal = addressed(spoken({ kind: 'block', reason, contexts: [], notice }), program)
  const reply = event && client?.encode(refusal, event)
  if (typeof reply === 'object' && reply !== null) return reply
  throw new EngineError('invalid', `${fault.client} cannot refuse this event.`)
}

/** The sentence that the refused agent reads. */
function sentenceOf({ problem, cause }: HookFault): string {
  if (cause instanceof EngineError) return cause.message
  return cause instanceof Error ? `${problem} ${cause.message}`.replace(/\.*$/, '.') : problem
}
