import { describe, expect, test } from 'vitest'
import { failure, type Params, type World } from '../world.contract.ts'
import { bodyAt, DIAMOND } from './work-body.contract.ts'

/** How items come into a body of work, on any database. */
export function workItemsContract(world: () => World): void {
  const at = (items: readonly Params[] = DIAMOND) => bodyAt(world(), items)

  describe('items', () => {
    test('may be added while work goes on, and name results of others', async () => {
      const it = await at([{ item: 'schema', title: 'Schema', produces: ['schema'] }])
      const add = (...items: Params[]) => world().call('work.add', { cwd: it.cwd, items })
      expect(await add({ title: 'Store', consumes: ['schema'] }, { title: 'Other' })).toEqual({
        effort_id: it.effort_id,
        begun: false,
        added: ['1', '2'],
        known: [],
      })
      expect(await it.states()).toEqual({ schema: 'open', '1': 'waiting', '2': 'open' })
      await it.next()
      expect(await add({ title: 'Page', blocked_by: ['1', 'schema'] })).toMatchObject({ added: ['3'] })
      expect(await it.next()).toBe('1')
      expect(await it.states()).toEqual({ schema: 'done', '1': 'done', '2': 'open', '3': 'open' })
    })

    test('that wait for what failed for good are blocked from the start', async () => {
      const it = await at([
        { item: 'a', title: 'A', limit: 1 },
        { item: 'b', title: 'B', blocked_by: ['a'] },
        { title: 'C' },
      ])
      await it.next('failed', 'no')
      const added = [
        { item: 'd', title: 'D', blocked_by: ['b'] },
        { item: 'e', title: 'E', blocked_by: ['d'] },
      ]
      await world().call('work.add', { effort_id: it.effort_id, items: added })
      expect((await it.list()).items.slice(-2)).toMatchObject([
        { state: 'blocked', blocker: 'a' },
        { state: 'blocked', blocker: 'a' },
      ])
    })

    test('that are there stay as they are, so a plan may be imported again', async () => {
      const it = await at()
      await it.next()
      const again = await world().call('work.add', {
        effort_id: it.effort_id,
        items: [...DIAMOND, { item: 'new', title: 'New' }],
      })
      expect(again).toMatchObject({ added: ['new'], known: DIAMOND.map(({ item }) => item) })
      expect(await it.states()).toMatchObject({ top: 'done', left: 'open', new: 'open' })
    })

    test('that cannot be are refused, and nothing of the call is stored', async () => {
      const it = await at()
      const before = await world().everything()
      const add = (...items: Params[]) => world().call('work.add', { effort_id: it.effort_id, items })
      expect(await failure(add({ title: 'X' }, { title: 'Y', blocked_by: ['nobody'] }))).toMatchObject({
        code: 'invalid',
        field: 'items',
      })
      expect(await failure(add({ title: 'X', item: '../x' }))).toMatchObject({
        code: 'invalid',
        field: 'items',
      })
      expect(await world().everything()).toEqual(before)
    })

    test('belong to the only body of work of a project, else to the one that is named', async () => {
      const it = await at()
      const here = { cwd: it.cwd }
      expect((await world().call('work.list', here)).effort_id).toBe(it.effort_id)
      const other = await world().call('work.add', {
        ...here,
        begin: true,
        title: 'Other',
        items: [{ title: 'One' }],
      })
      expect(other).toMatchObject({ begun: true, added: ['1'] })
      expect(await failure(world().call('work.list', here))).toMatchObject({
        code: 'conflict',
        field: 'effort_id',
      })
      const { id } = await world().effort()
      expect(await failure(world().call('work.list', { effort_id: id }))).toMatchObject({ code: 'conflict' })
    })
  })
}
