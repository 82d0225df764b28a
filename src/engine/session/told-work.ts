import type { ProjectPlace } from '../../model/project.ts'
import type { Section } from '../../model/recap.ts'
import type { Session } from '../../model/session.ts'
import type { Facts } from '../../rules/facts.ts'
import type { LookedUp } from '../../rules/told/background.ts'
import { toldSections } from '../../rules/told/sections.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import type { Digests } from '../plan/recorded.ts'
import { workOf } from '../effort/skill-facts.ts'
import { loadBackground } from './background.ts'

/** What a command tells of an effort, by the same builder as a recap. */
export async function toldByCommand(
  tx: Tx,
  about: {
    readonly effortId: number
    readonly project: ProjectPlace
    readonly session: Session | undefined
    readonly lookedUp: LookedUp
    readonly digests: Digests
  },
  { context, now }: Call,
): Promise<readonly Section[]> {
  const { effortId, project, session, lookedUp, digests } = about
  const work: Facts['work'] = await workOf(tx, { session: { effort_id: effortId }, project, digests })
  const background = await loadBackground(
    tx,
    { project, session, work, effortId, lookedUp, tellsChains: true },
    { context, now },
  )
  return toldSections({ work, openCalls: [], background, open: [], now })
}
