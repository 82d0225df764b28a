import * as z from 'zod'
import { EngineError } from '../../model/error.ts'
import { ITEM_STATES, MOST_ADDED, MOST_BLOCKERS } from '../../model/work/item.ts'
import { rootOf } from '../../model/project.ts'
import { findWorkItem } from '../../store/work.ts'
import { bodiesWithExpired } from '../../store/work-lease.ts'
import { listRoots } from '../../store/workplace.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { tasksThere } from '../session/own-task.ts'
import { findOrRegisterPlace, locationOf } from '../skill/arrival.ts'
import { addItems } from '../work/add.ts'
import { beginBody, bodyMeant, bodyWish, lockAny, lockBody, onlyBody, whereFrom } from '../work/body.ts'
import { allowItem, recoverBody } from '../work/recover.ts'
import { existing, takeBackExpired } from '../work/turn.ts'
import { bodyView, wholeItem } from '../work/view.ts'

const LONGEST_TITLE = 500
const LONGEST_PROMPT = 50_000
const names = z.array(p.name).max(MOST_BLOCKERS)

const draft = z.strictObject({
  item: p.name.optional().describe('What it is called. Default: the next number.'),
  title: p.words(LONGEST_TITLE),
  prompt: p.words(LONGEST_PROMPT).optional().describe('What its worker is told. Default: the title.'),
  skill: p.skillName.optional().describe('The skill that its worker calls.'),
  phase: p.name.optional(),
  files: z.array(p.textUpTo(4096)).max(MOST_BLOCKERS).optional(),
  blocked_by: names.optional().describe('The items that must be done before.'),
  consumes: names.optional().describe('Results of other items that it needs.'),
  produces: names.optional().describe('Names of its results.'),
  limit: z.int().min(1).max(100).optional().describe('How often it is tried.'),
  model: p.name.optional(),
  proof: p.words(2000).optional().describe('The command that must pass once its work is merged.'),
})

export const add = method({
  name: 'work.add',
  summary: 'Add items to a body of work; begin one if the project has none.',
  effect: 'durable',
  params: z.strictObject({
    ...bodyWish,
    items: z.array(draft).min(1).max(MOST_ADDED),
    title: p.words(LONGEST_TITLE).optional().describe('What a new body of work is called.'),
    begin: z.boolean().default(false).describe('Whether to begin one beside those that there are.'),
  }),
  async prepare(context, given, ask) {
    const wish = await whereFrom(context, given)
    const location = await locationOf(context, given.cwd)
    if (location === undefined) return { wish, location, tasks: undefined }
    const roots = await ask((tx) => listRoots(tx, context.machine))
    const tasks = await tasksThere(context, rootOf(roots, location).path, roots)
    return { wish, location, tasks }
  },
  async run(tx, { items, begin, title = items[0]?.title ?? '' }, call) {
    const { wish, location, tasks } = call.prepared
    const known =
      begin && wish.effort_id === undefined ? undefined : (wish.effort_id ?? (await onlyBody(tx, wish)))
    if (known === undefined && location === undefined)
      throw new EngineError('invalid', 'Name the body of work, or the folder of a project.', {
        field: 'cwd',
        hint: 'holdfast work add TITLE',
      })
    const effort =
      known === undefined && location !== undefined
        ? await beginBody(tx, { place: await findOrRegisterPlace(tx, location, call), tasks, title }, call)
        : await bodyMeant(tx, { ...wish, effort_id: known })
    const changed = await addItems(tx, await lockBody(tx, effort), items, call)
    return { effort_id: effort.id, begun: known === undefined, ...changed }
  },
})

export const list = method({
  name: 'work.list',
  summary: 'Show a body of work: its items in order, how many stand where, and what the user must decide.',
  effect: 'read',
  params: z.strictObject({
    ...bodyWish,
    states: z.array(z.enum(ITEM_STATES)).min(1).optional().describe('Only items in these states.'),
    limit: p.limit,
  }),
  prepare: whereFrom,
  async run(tx, { states, limit }, { prepared }) {
    return await bodyView(tx, await bodyMeant(tx, prepared), { states, limit })
  },
})

const oneItem = { ...bodyWish, item: p.name.describe('The item.') }

export const show = method({
  name: 'work.show',
  summary: 'Show an item of a body of work with its prompt, what it waits for and what waits for it.',
  effect: 'read',
  params: z.strictObject(oneItem),
  prepare: whereFrom,
  async run(tx, { item }, { prepared }) {
    const { id: effort_id } = await bodyMeant(tx, prepared)
    await existing(tx, { effort_id, item })
    const row = await findWorkItem(tx, { effort_id, item })
    if (row === undefined) throw new Error('The item is gone.')
    return await wholeItem(tx, row)
  },
})

export const allow = method({
  name: 'work.allow',
  summary: 'Let an item that failed for good, or needs the user, be tried once more.',
  effect: 'durable',
  params: z.strictObject({ ...oneItem, reason: p.reason }),
  prepare: whereFrom,
  async run(tx, { item, reason }, call) {
    const effort = await lockBody(tx, await bodyMeant(tx, call.prepared))
    await allowItem(tx, effort, { effort_id: effort.id, item, reason }, call)
    return await bodyView(tx, effort, { limit: 1000 })
  },
})

export const recover = method({
  name: 'scheduler.recover',
  summary:
    'Take items back from workers that are silent, and compute where every item stands from its visits.',
  effect: 'durable',
  params: z.strictObject(bodyWish),
  prepare: whereFrom,
  async run(tx, _, call) {
    const effort = await lockBody(tx, await bodyMeant(tx, call.prepared))
    return { effort_id: effort.id, ...(await recoverBody(tx, effort, call)) }
  },
})

export const expire = method({
  name: 'scheduler.expire',
  summary: 'Take items back from silent workers, in every body of work.',
  effect: 'durable',
  params: z.strictObject({}),
  async run(tx, _, call) {
    const found: { readonly effort_id: number; readonly items: readonly string[] }[] = []
    for (const { effort_id } of await bodiesWithExpired(tx, { now: call.now })) {
      const effort = await lockAny(tx, { id: effort_id })
      // Somebody may have finished it meanwhile.
      if (effort.lifecycle === 'active')
        found.push({ effort_id, items: await takeBackExpired(tx, effort, call) })
    }
    return found
  },
})
