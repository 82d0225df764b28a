import {
  type Author,
  type Dehydration,
  fitDehydration,
  type KeptDehydration,
} from '../../model/dehydration.ts'
import { isAdHoc, isTracked } from '../../model/effort.ts'
import type { Session } from '../../model/session.ts'
import { dehydrationOf } from '../../rules/dehydrate.ts'
import { dehydrationsOf, putDehydration, toDehydration } from '../../store/dehydration.ts'
import { findEffort } from '../../store/effort.ts'
import { toJson } from '../../store/json.ts'
import { placeOfSession } from '../../store/workplace.ts'
import type { Tx } from '../../store/query.ts'
import { findSession } from '../../store/session.ts'
import { loadTraces } from './background.ts'
import { workOf } from '../effort/skill-facts.ts'
import type { Call } from '../call/method.ts'
import { NO_DIGESTS } from '../plan/recorded.ts'

/** Stores the handover note of an effort, cut to its limits, and records it in the ledger. */
export async function keepForNext(
  tx: Tx,
  given: {
    readonly effort_id: number
    readonly author: Author
    readonly session_id: number | undefined
    readonly payload: Dehydration
  },
  call: Call,
): Promise<KeptDehydration> {
  const { effort_id, author, session_id } = given
  const { payload, cut } = fitDehydration(given.payload)
  const row = await putDehydration(tx, {
    effort_id,
    author,
    session_id: session_id ?? null,
    payload: JSON.stringify(payload),
    cut: toJson(cut.length === 0 ? undefined : cut),
    native_id: await ofOwn(tx, given),
    now: call.now,
  })
  if (row === undefined) throw new Error('The dehydration was not stored.')
  await call.record(tx, {
    event_type: 'effort.dehydrated',
    effort_id,
    ...(session_id !== undefined && { window_id: session_id }),
    payload: { author, ...(cut.length > 0 && { cut }) },
  })
  return toDehydration(row)
}

/** Sessions without a skill share an ad-hoc effort, so each keeps a note of its own. */
async function ofOwn(
  tx: Tx,
  { effort_id, session_id }: { readonly effort_id: number; readonly session_id: number | undefined },
): Promise<string> {
  const effort = await findEffort(tx, { id: effort_id })
  if (effort === undefined || !isAdHoc(effort) || session_id === undefined) return ''
  return (await findSession(tx, { id: session_id }))?.native_id ?? ''
}

/** Generates a handover note however a session ends, even if its client was killed. */
export async function keepTraces(tx: Tx, session: Session, call: Call): Promise<void> {
  const project = await placeOfSession(tx, session)
  const work = project === undefined ? undefined : await workOf(tx, { session, project, digests: NO_DIGESTS })
  if (project === undefined || work === undefined || !isTracked(work)) return
  const { id: effortId } = work.effort
  const kept = await dehydrationsOf(tx, { effort_id: effortId })
  const isKept = kept.some(
    ({ author, session_id, created_at }) =>
      author === 'engine' && session_id === session.id && created_at === call.now,
  )
  if (isKept) return
  const traces = await loadTraces(tx, session, { effortId, projectId: project.id })
  const payload = dehydrationOf(work, traces, session.open_calls)
  await keepForNext(tx, { effort_id: effortId, author: 'engine', session_id: session.id, payload }, call)
}
