import { clients } from '../clients/index.ts'
import type { CountedStatus, Programs } from '../engine/call/context.ts'
import { timestamp } from '../model/clock.ts'
import type { Counts } from '../model/count.ts'
import { addressed, spoken } from '../model/decision.ts'
import { EngineError } from '../model/error.ts'
import { isRepair } from '../model/shell/repair.ts'
import { clockTime } from '../model/text/time.ts'
import { refusedLine } from '../rules/told/notice.ts'
import type { Breaker } from '../store/breaker.ts'
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
  /** Of a server that machines share. */
  readonly breaker?: Pick<Breaker, 'openSince' | 'suspect'>
}

/** Logs and counts failed hooks, and makes refusals for strict projects. */
export class HookFaults {
  readonly #options: HookFaultsOptions
  #last: Omit<CountedStatus, 'count'> | undefined
  /** The sessions whose users know that the server is away, since when. */
  #told = { since: undefined as number | undefined, sessions: new Set<string | undefined>() }
  #loggedSince: number | undefined

  constructor(options: HookFaultsOptions) {
    this.#options = options
  }

  /** Failures since the daemon started; undefined if there are none. */
  get status(): CountedStatus | undefined {
    return this.#last && { count: this.#options.counts.faults, ...this.#last }
  }

  note(fault: HookFault): void {
    const { cause, ...about } = fault
    this.#options.counts.faults++
    this.#last = { last: sentenceOf(fault), last_at: timestamp(Date.now()) }
    const { breaker } = this.#options
    // A hook that came late may be the first that knows of a lost server.
    breaker?.suspect()
    const since = breaker?.openSince
    if (since !== undefined && since === this.#loggedSince) return
    this.#loggedSince = since
    this.#options.log.write('warn', 'hook fault', {
      ...about,
      ...(cause !== undefined && { cause: errorDetails(cause) }),
    })
  }

  /** A line for the user while the server is away, once for each session; undefined if there is none. */
  tell(payload: unknown, fault: HookFault): object | undefined {
    const since = this.#options.breaker?.openSince
    if (since === undefined) return undefined
    if (since !== this.#told.since) this.#told = { since, sessions: new Set() }
    const client = clients.get(fault.client)
    const event = client?.decode(payload)
    if (event === undefined || this.#told.sessions.has(event.session)) return undefined
    const notice = `No rule is enforced until PostgreSQL answers; it has not since ${clockTime(timestamp(since))}. Next: holdfast doctor`
    const said = addressed(
      spoken({ kind: 'allow', contexts: [], notice }),
      this.#options.programs.of(event.session),
    )
    const reply = client?.encode(said, event)
    if (typeof reply !== 'object' || reply === null) return undefined
    this.#told.sessions.add(event.session)
    return reply
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
