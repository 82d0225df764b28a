import type { ProjectPlace } from '../../model/project.ts'
import type { Section } from '../../model/recap.ts'
import type { Session } from '../../model/session.ts'
import type { Facts } from '../../rules/facts.ts'
import { toldSections } from '../../rules/told/sections.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import type { Digests } from '../plan/recorded.ts'
import { workOf } from '../effort/skill-facts.ts'
import type { Seen } from '../effort/work-files.ts'
import { loadBackground } from './background.ts'

/** What a command tells of an effort, by the same builder as a recap. */
export async function toldByCommand(
  tx: Tx,
  about: {
    readonly effortId: number
    readonly project: ProjectPlace
    readonly session: Session | undefined
    readonly seen: Seen
    readonly digests: Digests
  },
  { context, now }: Call,
): Promise<readonly Section[]> {
  const { effortId, project, session, seen, digests } = about
  const work: Facts['work'] = await workOf(tx, { session: { effort_id: effortId }, project, digests })
  const background = await loadBackground(
    tx,
    { project, session, work, effortId, written: seen },
    { context, now },
  )
  return toldSections({ work, openCalls: [], background, open: [], now })
}
