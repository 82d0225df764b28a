import type { ProjectPlace } from '../../model/project.ts'
import type { Session } from '../../model/session.ts'
import { endsWhenLeft } from '../../rules/spans.ts'
import type { Tx } from '../../store/query.ts'
import { openSpansOf } from '../../store/span.ts'
import type { Call } from '../call/method.ts'
import { closeEffort } from '../effort/after-move.ts'
import { askerOf, holderOf } from '../effort/holder.ts'
import { workOf } from '../effort/skill-facts.ts'
import type { Digests, Unwritten } from '../plan/recorded.ts'

/** Before a session ends, finishes its efforts whose plans are carried out, so that nobody hears of them as open. */
export async function finishCarriedOut(
  tx: Tx,
  {
    session,
    project,
    digests,
    unwritten,
  }: {
    readonly session: Session
    readonly project: ProjectPlace
    readonly digests: Digests
    readonly unwritten: Unwritten | undefined
  },
  call: Call,
): Promise<void> {
  const spans = await openSpansOf(tx, { session_id: session.native_id ?? '' })
  for (const effort_id of new Set([session.effort_id, ...spans.map((span) => span.effort_id)])) {
    const work =
      effort_id === null
        ? undefined
        : await workOf(tx, { session: { effort_id }, project, digests, unwritten })
    if (work === undefined || !endsWhenLeft(work)) continue
    // Somebody else may be at it.
    if ((await holderOf(tx, work.effort, askerOf(session), call.context)) !== undefined) continue
    await closeEffort(tx, { effort_id: work.effort.id }, call)
  }
}
