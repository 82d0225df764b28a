import { isAdHoc, isUnfinished } from '../../../model/effort.ts'
import type { LostEffort } from '../../../rules/facts.ts'
import { findEffort, toEffort } from '../../../store/effort.ts'
import { findSession, toSession } from '../../../store/session.ts'
import { againCommand } from '../../effort/ending.ts'
import { askerOf, backCommand, holderOf, holderText } from '../../effort/holder.ts'
import type { Loader } from './loader.ts'

/** Efforts that the session had before, and that another session or agent has now or has ended. */
export const lost: Loader<'lost'> = {
  looks: [],
  async load(tx, scene) {
    const { session } = scene.window
    const { effort_id: own, prev_session_id: before, lost_efforts: untold } = session
    const isStart = scene.looked.event.kind === 'session.started'
    const last = before === null || !isStart ? undefined : await findSession(tx, { id: before })
    const previous = last === undefined ? undefined : toSession(last)
    const spans = isStart ? await scene.fact('spans') : []
    const had = new Set([
      previous?.effort_id ?? null,
      ...spans.map((span) => span.effort_id),
      ...(previous?.lost_efforts ?? []),
      ...untold,
    ])
    const found: LostEffort[] = []
    for (const id of had) {
      const row = id === null || id === own ? undefined : await findEffort(tx, { id })
      if (row === undefined) continue
      const effort = toEffort(row)
      const isEnded = id === previous?.effort_id && previous?.ended_reason === 'superseded' && !isAdHoc(row)
      if (row.lifecycle === 'finished' && isEnded)
        found.push({ effort, by: undefined, command: await againCommand(tx, effort) })
      if (!isUnfinished(row)) continue
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
