import * as z from 'zod'
import { AD_HOC_ORDINAL, type Effort } from '../../model/effort.ts'
import { projectNotFound } from '../../model/error.ts'
import type { Project } from '../../model/project.ts'
import { relativeTime } from '../../model/text/time.ts'
import { leastBudget, recapOf, type Section } from '../../model/recap.ts'
import { recapSections, wholeRecap } from '../../rules/recap.ts'
import type { Tx } from '../../store/query.ts'
import { findOpenByNative } from '../../store/session.ts'
import { loadBackground } from '../session/background.ts'
import { openEfforts } from '../effort/open.ts'
import { workOf } from '../effort/skill-facts.ts'
import { type Context, staleSince } from '../call/context.ts'
import type { Asker } from '../effort/holder.ts'
import { effortMeant, effortWish, placesIn, type Wish } from '../effort/meant.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { NO_DIGESTS } from '../plan/recorded.ts'
import { oneLine } from '../../model/text/line.ts'
import { effortOf } from '../../rules/told/words.ts'

export const recap = method({
  name: 'db.effort.recap',
  summary: 'Print what a new session needs to know about an effort, most important first.',
  effect: 'read',
  params: z.strictObject({
    ...effortWish,
    path: p.path.optional().describe('The folder that the caller works in; used to find the effort.'),
    budget: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(3000)
      .describe('Maximum number of tokens, estimated at three bytes each.'),
  }),
  prepare: placesIn,
  async run(tx, { budget, ...wish }, { context, now, prepared: places }) {
    const { effort, project } = await effortMeant(tx, { ...wish, ...places })
    if (project === undefined) throw nowhere(places)
    const sections = await sectionsOf(
      tx,
      { effort, project, isNamed: wish.effort_id !== undefined, asker: wish },
      { context, now },
    )
    const whole = wholeRecap(effort?.id)
    return {
      effort_id: effort?.id ?? null,
      ...recapOf(sections, { budget, whole }),
      least_budget: leastBudget(sections, whole),
    }
  },
})

const nowhere = ({ task_id = '', folder = task_id }: Pick<Wish, 'task_id' | 'folder'>) =>
  projectNotFound(folder, folder)

async function sectionsOf(
  tx: Tx,
  {
    project,
    effort,
    isNamed,
    asker,
  }: {
    readonly project: Pick<Project, 'id'>
    readonly effort: Effort | undefined
    readonly isNamed: boolean
    readonly asker: Asker
  },
  { context, now }: { readonly context: Context; readonly now: string },
): Promise<readonly Section[]> {
  const work =
    effort === undefined
      ? undefined
      : await workOf(tx, { session: { effort_id: effort.id }, digests: NO_DIGESTS })
  const background = await loadBackground(tx, {
    projectId: project.id,
    effortId: effort?.id,
    work: work?.effort,
    loadedFiles: [],
    since: staleSince(context),
    now,
  })
  const { native_id = null, agent_id = null } = asker
  const window = native_id === null ? undefined : await findOpenByNative(tx, { native_id })
  const session = { id: window?.id ?? 0, native_id, agent_id }
  const all = await openEfforts(tx, { session, project }, context)
  const open = all.filter(({ id }) => id !== effort?.id)
  const sections = recapSections({ work, openCalls: [], background, open, now })
  if (effort?.ordinal === AD_HOC_ORDINAL && isNamed) {
    const line = `Effort ${effort.id} in ${oneLine(effort.task_id)} is for work without a skill and has no plan.`
    return [{ name: 'ad-hoc', lines: [line], isEssential: true }, ...sections]
  }
  if (effort?.lifecycle !== 'finished') return sections
  const ended = effort.finished_at === null ? '' : ` ${relativeTime(effort.finished_at, Date.parse(now))}`
  const over = `${effortOf(effort.id, effort.skill)} in ${oneLine(effort.task_id)} finished${ended}.`
  return [{ name: 'finished', lines: [over], isEssential: true }, ...sections]
}
