import { isUnfinished } from '../../../model/effort.ts'
import type { LostEffort } from '../../../rules/facts.ts'
import { findEffort, toEffort } from '../../../store/effort.ts'
import { findSession } from '../../../store/session.ts'
import { askerOf, backCommand, holderOf, holderText } from '../../effort/holder.ts'
import type { Loader } from './loader.ts'

/** Efforts that the session had before, and that another session or agent has now. */
export const lost: Loader<'lost'> = {
  looks: [],
  async load(tx, scene) {
    const { session } = scene.window
    const { effort_id: own, prev_session_id: before } = session
    const previous = before === null ? undefined : await findSession(tx, { id: before })
    const spans = await scene.fact('spans')
    const had = new Set([previous?.effort_id ?? null, ...spans.map((span) => span.effort_id)])
    const found: LostEffort[] = []
    for (const id of had) {
      const row = id === null || id === own ? undefined : await findEffort(tx, { id })
      if (row === undefined || !isUnfinished(row)) continue
      const effort = toEffort(row)
      const holder = await holderOf(tx, effort, askerOf(session), scene.context)
      if (holder === undefined) continue
      found.push({
        effort,
        by: holderText(holder, scene.context),
        command: backCommand(effort.id, holder),
      })
    }
    return found
  },
}
