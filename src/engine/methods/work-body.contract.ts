import { folderAt, type Params, type World } from '../world.contract.ts'

/** A body of work in a project of its own. */
export async function bodyAt(world: World, items: readonly Params[]) {
  const cwd = await folderAt(`${world.project}/${world.name('body')}`)
  await world.call('db.project.upsert', { path: cwd })
  const { effort_id } = await world.call('work.add', { cwd, title: 'A body', items })
  const claim = (worker: string, more: Params = {}) =>
    world.call('work.claim', { effort_id, worker, ...more })
  const report = (item: string, fence: number, outcome: string, reason?: string) =>
    world.call('work.report', { effort_id, item, fence, outcome, ...(reason !== undefined && { reason }) })
  const list = async () => await world.call('work.list', { effort_id })
  return {
    cwd,
    effort_id: Number(effort_id),
    claim,
    report,
    list,
    states: async () =>
      Object.fromEntries((await list()).items.map((one: Params) => [one['item'], one['state']])),
    /** Takes the next item and ends it. */
    next: async (outcome = 'done', reason?: string) => {
      const { item } = await claim('w')
      await report(item.item, item.fence, outcome, reason)
      return item.item as string
    },
    /** Makes every lease of the body one of the past. */
    expire: () =>
      world.store.transact((tx) =>
        tx.execute({
          sql: `update work_items set lease_until = '2020-01-01T00:00:00.000Z' where state = 'taken' and effort_id = ${effort_id}`,
          parameters: [],
        }),
      ),
  }
}

/** Two ways from one item to another, and one beside. */
export const DIAMOND = [
  { item: 'top', title: 'Top' },
  { item: 'left', title: 'Left', blocked_by: ['top'] },
  { item: 'right', title: 'Right', blocked_by: ['top'] },
  { item: 'bottom', title: 'Bottom', blocked_by: ['left', 'right'] },
  { item: 'beside', title: 'Beside' },
]

const workerOf = async (world: World) => {
  const { effort_id } = await bodyAt(world, [{ title: 'One' }])
  const worker = world.name('worker')
  await world.call('worker.start', { effort_id, worker, pid: 1, log: '/tmp/log' })
  return worker
}

export const WORK_CHANGES = {
  'worker.start': async (world: World) => ({
    effort_id: (await bodyAt(world, [{ title: 'One' }])).effort_id,
    worker: world.name('worker'),
    pid: 1,
    log: '/tmp/log',
  }),
  'worker.beat': async (world: World) => ({
    worker: await workerOf(world),
    item: '1',
    worktree: '/tmp/tree',
    branch: 'b',
  }),
  'worker.stop': async (world: World) => ({ worker: await workerOf(world) }),
  'worker.end': async (world: World) => ({
    worker: await workerOf(world),
    status: 'failed',
    reason: 'it broke',
  }),
  'scheduler.expire': async (world: World) => {
    // What other bodies have lost is no part of this call.
    await world.call('scheduler.expire')
    const it = await bodyAt(world, DIAMOND)
    await it.claim('w')
    await it.expire()
    return {}
  },
  'work.add': async (world: World) => ({
    cwd: (await bodyAt(world, [{ title: 'One' }])).cwd,
    title: 'Other',
    begin: true,
    items: [{ item: 'a', title: 'A', prompt: 'Do it.', files: ['a.ts'], produces: ['x'] }],
  }),
  'work.claim': async (world: World) => ({
    effort_id: (await bodyAt(world, [{ title: 'One' }])).effort_id,
    item: '1',
    worker: 'w',
    lease_seconds: 60,
  }),
  'work.renew': async (world: World) => {
    const it = await bodyAt(world, [{ title: 'One' }])
    const { item } = await it.claim('w')
    return { effort_id: it.effort_id, item: item.item, fence: item.fence, lease_seconds: 3600 }
  },
  'work.report': async (world: World) => {
    const it = await bodyAt(world, DIAMOND)
    const { item } = await it.claim('w')
    return {
      effort_id: it.effort_id,
      item: item.item,
      fence: item.fence,
      outcome: 'failed',
      reason: 'it broke',
    }
  },
  'work.allow': async (world: World) => {
    const it = await bodyAt(world, DIAMOND)
    await it.next('blocked', 'which?')
    return { effort_id: it.effort_id, item: 'top', reason: 'this one' }
  },
  'scheduler.recover': async (world: World) => {
    const it = await bodyAt(world, DIAMOND)
    await it.claim('w')
    await it.expire()
    return { effort_id: it.effort_id }
  },
}

export const WORK_READS = {
  'worker.list': async (world: World) => ({ effort_id: (await bodyAt(world, [{ title: 'One' }])).effort_id }),
  'work.list': async (world: World) => ({
    effort_id: (await bodyAt(world, DIAMOND)).effort_id,
    states: ['open'],
    limit: 1,
  }),
  'work.show': async (world: World) => ({ cwd: (await bodyAt(world, DIAMOND)).cwd, item: 'bottom' }),
}
