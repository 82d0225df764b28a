import { recapOf } from '../../model/recap.ts'
import type { Session } from '../../model/session.ts'
import type { Facts } from '../../rules/facts.ts'
import { wholeRecap } from '../../rules/recap.ts'
import { BUDGETS, namedSections, scopeSections, workSections } from '../../rules/told/sections.ts'
import { standing } from '../../rules/told/standing.ts'
import type { Tx } from '../../store/query.ts'
import { loadBackground } from '../session/background.ts'
import type { Scene } from './scene.ts'

/** The texts about its work that a session gets after an event: all of them for a call, else only the position. */
export async function toldOfWork(
  tx: Tx,
  scene: Scene,
  { work, session }: { readonly work: NonNullable<Facts['work']>; readonly session: Session },
): Promise<readonly string[]> {
  const { looked, project, context, now } = scene
  if (looked.invocations.length === 0) return standing(work)
  const about = { project, session, work, lookedUp: await scene.fact('lookedUp') }
  const background = await loadBackground(tx, about, { context, now })
  // The client loads the skill itself, the answer tells the folder of the run, and old work matters by its debriefs.
  const loadedFiles = [...background.loadedFiles, `${work.folder ?? ''}/SKILL.md`]
  // A sub-agent hears of its own work only.
  const finished =
    session.scope_of === null ? background.finished.filter(({ debrief }) => debrief !== undefined) : []
  // The rule that sets modes tells them.
  const areTold = (await scene.fact('moded')).modes.length > 0
  const path = { ...background.path, run: undefined, ...(areTold && { modes: [] }) }
  const known = { ...background, loadedFiles, finished, path }
  const sections = [
    ...workSections({ work, openCalls: [], background: known, now }),
    ...scopeSections(session, work),
    ...namedSections(known),
  ]
  return [recapOf(sections, { budget: BUDGETS.call, whole: wholeRecap(work.effort.id) }).text]
}
