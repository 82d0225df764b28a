import type { LedgerEntry } from '../../model/ledger.ts'
import type { Span } from '../../model/span.ts'
import type { Tx } from '../../store/query.ts'
import { completeSpan } from '../../store/span.ts'
import type { Call } from '../call/method.ts'

/** Completes the spans of an effort or session that ends, and records each in the ledger. */
export async function completeSpans(
  tx: Tx,
  spans: readonly Pick<Span, 'span_id' | 'skill' | 'effort_id'>[],
  { payload, ...known }: Pick<LedgerEntry, 'window_id' | 'project_id' | 'payload'>,
  call: Call,
): Promise<void> {
  for (const { span_id, skill, effort_id } of spans) {
    await completeSpan(tx, { span_id, now: call.now })
    const about = { ...known, skill, ...(effort_id !== null && { effort_id }) }
    await call.record(tx, { event_type: 'span.completed', ...about, payload: { span_id, ...payload } })
  }
}
