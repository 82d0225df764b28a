import * as z from 'zod'
import { eventsNamed } from '../../model/ledger.ts'
import { type LedgerFilter, listLedger, settledSeq } from '../../store/ledger.ts'
import type { Caller, Context } from '../call/context.ts'
import { directMethod, method } from '../call/method.ts'
import * as p from '../call/params.ts'

const filters = {
  event_type: p.name.optional().describe('Only entries of this type, such as phase.entered or step_enter.'),
  skill: p.skillName.optional(),
  effort_id: p.id.optional(),
  project_id: p.id.optional(),
  session_id: z
    .union([p.id, p.name], 'must be a number or a text')
    .optional()
    .describe("Only entries of this session: our number or the client's id."),
}

type Filters = z.output<z.ZodObject<typeof filters>>

const filterOf = ({ event_type, session_id, ...rest }: Filters) => ({
  ...rest,
  session: session_id,
  event_types: event_type === undefined ? undefined : eventsNamed(event_type),
})

export const list = method({
  name: 'ledger.list',
  summary: 'Read the ledger, newest first; with `after`, oldest first from that entry.',
  effect: 'read',
  params: z.strictObject({
    ...filters,
    after: z.int().min(0).optional().describe('Only entries with a seq greater than this.'),
    before: p.id.optional().describe('Only entries with a seq less than this.'),
    limit: p.limit,
  }),
  run: (tx, { after, before, limit, ...given }) =>
    listLedger(tx, { ...filterOf(given), after, before, limit, newestFirst: after === undefined }),
})

const PAGE = 200
/** Other machines write to the same database without notifying this daemon. */
const POLL_MILLISECONDS = 500

export const subscribe = directMethod({
  name: 'ledger.subscribe',
  summary:
    'Stream new ledger entries as `ledger.entry` notifications, in order, until the connection closes.',
  effect: 'none',
  params: z.strictObject({
    ...filters,
    after: z.int().min(0).optional().describe('Start after this seq. Default: only new entries.'),
  }),
  async call(context, { after, ...given }, caller) {
    const filter = filterOf(given)
    const start = after ?? (await context.store.transact(settledSeq, { reads: true }))
    const subscription = context.newId()
    // Starts after the reply, so that the caller knows the subscription before its first entry.
    setImmediate(() => void follow(context, caller, { subscription, start, filter }).catch(() => undefined))
    return { subscription, after: start }
  },
})

interface Following {
  readonly subscription: string
  readonly start: number
  readonly filter: Omit<LedgerFilter, 'after' | 'newestFirst' | 'limit'>
}

async function follow(
  context: Context,
  caller: Caller,
  { subscription, start, filter }: Following,
): Promise<void> {
  let after = start
  if (caller.gone.aborted) return
  const bell = newsOf(context, caller.gone)
  while (!caller.gone.aborted) {
    const rows = await context.store
      .transact(
        (tx) => listLedger(tx, { ...filter, after, newestFirst: false, limit: PAGE, settled: true }),
        { reads: true },
      )
      .catch(() => [])
    for (const entry of rows) {
      if (caller.gone.aborted) return
      await caller.notify('ledger.entry', { subscription, entry })
      after = entry.seq
    }
    if (rows.length < PAGE) await bell()
  }
}

/** Resolves at the next commit, at the next poll, or when the caller disconnects. */
function newsOf(context: Context, gone: AbortSignal): () => Promise<void> {
  let ring = () => undefined as void
  let rung = false
  const wake = () => {
    rung = true
    ring()
  }
  const off = context.store.database.onCommit(wake)
  const beat = setInterval(wake, POLL_MILLISECONDS)
  gone.addEventListener('abort', () => {
    off()
    clearInterval(beat)
    wake()
  })
  return async () => {
    if (!rung) await new Promise<void>((resolve) => void (ring = resolve))
    rung = false
  }
}
