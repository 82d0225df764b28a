import * as z from 'zod'
import { type Effort, isAdHoc } from '../../model/effort.ts'
import { projectNotFound } from '../../model/error.ts'
import type { Project } from '../../model/project.ts'
import { relativeTime } from '../../model/text/time.ts'
import { leastBudget, recapOf, type Section } from '../../model/recap.ts'
import { wholeRecap } from '../../rules/recap.ts'
import { type LookedUp, NOTHING_LOOKED_UP } from '../../rules/told/background.ts'
import { BUDGETS, toldSections } from '../../rules/told/sections.ts'
import type { Tx } from '../../store/query.ts'
import { lastFinished, toEffort } from '../../store/effort.ts'
import { findOpenByNative, toSession } from '../../store/session.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import { loadBackground } from '../session/background.ts'
import { openEfforts } from '../effort/open.ts'
import { workOf } from '../effort/skill-facts.ts'
import type { Context } from '../call/context.ts'
import type { Asker } from '../effort/holder.ts'
import { effortWish, placesIn, type Wish } from '../effort/meant.ts'
import { threadOf } from '../effort/thread.ts'
import { effortToTell } from '../effort/to-continue.ts'
import type { Ask } from '../call/keyed.ts'
import { method } from '../call/method.ts'
import { lookFor, toldPaths } from '../effort/work-files.ts'
import * as p from '../call/params.ts'
import { readContents } from '../skill/contents.ts'
import { namedByEffort } from '../effort/named-contents.ts'
import { NO_DIGESTS } from '../plan/recorded.ts'
import { oneLine } from '../../model/text/line.ts'
import { effortOf } from '../../rules/told/words.ts'

const params = z.strictObject({
  ...effortWish,
  path: p.cwd.optional().describe('The folder that the caller works in; used to find the effort.'),
  budget: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(BUDGETS.session)
    .describe('Maximum number of tokens, estimated at three bytes each.'),
})

/** Looks for the files of the efforts that may be told. */
async function prepare(context: Context, wish: z.output<typeof params>, ask: Ask) {
  const places = await placesIn(context, wish)
  const { paths, named } = await ask(async (tx) => {
    const { asker } = await threadOf(tx, wish, context)
    const { effort } = await effortToTell(tx, { ...wish, ...places, ...asker }, context)
    if (effort === undefined) return { paths: [], named: [] }
    const finished = (await lastFinished(tx, effort)).map(toEffort)
    return { paths: [effort, ...finished].flatMap(toldPaths), named: await namedByEffort(tx, effort) }
  })
  const written = await lookFor(context, paths)
  return {
    ...places,
    lookedUp: { ...NOTHING_LOOKED_UP, written, contents: await readContents(context, named) },
  }
}

export const recap = method({
  name: 'db.effort.recap',
  summary: 'Print what a new session needs to know about an effort, most important first.',
  effect: 'read',
  params,
  prepare,
  async run(tx, { budget, ...wish }, { context, now, prepared: { lookedUp, ...places } }) {
    const { asker } = await threadOf(tx, wish, context)
    const { effort, project, root } = await effortToTell(tx, { ...wish, ...places, ...asker }, context)
    if (project === undefined) throw nowhere(places)
    const sections = await sectionsOf(
      tx,
      { effort, project, at: root, isNamed: wish.effort_id !== undefined, asker, lookedUp },
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
    at,
    isNamed,
    asker,
    lookedUp,
  }: {
    readonly project: Pick<Project, 'id'>
    readonly effort: Effort | undefined
    /** The checkout of the caller. */
    readonly at: string | undefined
    readonly isNamed: boolean
    readonly asker: Asker
    readonly lookedUp: LookedUp
  },
  { context, now }: { readonly context: Context; readonly now: string },
): Promise<readonly Section[]> {
  const work =
    effort === undefined
      ? undefined
      : await workOf(tx, { session: { effort_id: effort.id }, digests: NO_DIGESTS })
  const { native_id = null, agent_id = null } = asker
  const window = native_id === null ? undefined : await findOpenByNative(tx, { native_id })
  const { root = '' } = (effort === undefined ? undefined : await placeOfEffort(tx, effort)) ?? {}
  const background = await loadBackground(
    tx,
    {
      project: { id: project.id, root },
      session: window === undefined ? undefined : context.store.volatile.overlay(toSession(window)),
      work,
      effortId: effort?.id,
      lookedUp,
      tellsChains: true,
    },
    { context, now },
  )
  const session = { id: window?.id ?? 0, native_id, agent_id }
  const all = await openEfforts(tx, { session, project, root: at }, context)
  const open = all.filter(({ id }) => id !== effort?.id)
  const sections = toldSections({ work, openCalls: [], background, open, now })
  if (effort !== undefined && isAdHoc(effort) && isNamed) {
    const line = `Effort ${effort.id} in ${oneLine(effort.task_id)} is for work without a skill and has no plan.`
    return [{ name: 'ad-hoc', lines: [line], isEssential: true }, ...sections]
  }
  if (effort?.lifecycle !== 'finished') return sections
  const ended = effort.finished_at === null ? '' : ` ${relativeTime(effort.finished_at, Date.parse(now))}`
  const over = `${effortOf(effort.id, effort.skill)} in ${oneLine(effort.task_id)} finished${ended}.`
  return [{ name: 'finished', lines: [over], isEssential: true }, ...sections]
}
