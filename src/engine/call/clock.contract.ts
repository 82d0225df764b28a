import { describe, expect, test } from 'vitest'
import { begunAt, clientAt, clientIn } from '../hook/client.contract.ts'
import type { World } from '../world.contract.ts'

const DAY = 24 * 3600 * 1000

/** Clocks are changed and machines sleep, so order never depends on the time. */
export function clockContract(world: () => World): void {
  describe.each([
    ['forward', DAY],
    ['back', -DAY],
  ])('a clock that jumps %s by a day', (_, jump) => {
    /** Runs work at another time, then restores the clock. */
    async function jumped<T>(work: () => Promise<T>): Promise<T> {
      world().advance(jump)
      return await work().finally(() => world().advance(-jump))
    }

    test('leaves the ledger and new ids in the order in which things happened', async () => {
      const { call, name, lastSeq, since, context } = world()
      const before = await lastSeq()
      const [first, second] = [name('agent'), name('agent')]
      await call('db.agents.register', { id: first })
      const id = context.newId()
      await jumped(async () => {
        await call('db.agents.register', { id: second })
        expect(context.newId() > id).toBe(true)
      })
      const told = (await since(before)).filter(({ event_type: type }) => type === 'agent.registered')
      expect(told.map(({ agent_id: agent }) => agent)).toEqual([first, second])
    })

    test('ends no session and no effort: phases continue in order, and finishing works', async () => {
      const { call, effort, lastSeq, since } = world()
      const { id, task_id } = await effort()
      const session = await call('db.session.start', { task_id, effort_id: id })
      await call('db.effort.phase', { effort_id: id, label: '0: Setup' })
      const before = await lastSeq()
      await jumped(async () => {
        await call('db.session.heartbeat', { session_id: session.id })
        await call('db.effort.phase', { effort_id: id, label: '1: Planning', proof: { mode: 'tdd' } })
        expect(await call('db.session.find', { session_id: session.id })).toMatchObject([{ ended_at: null }])
      })
      await call('db.effort.phase', { effort_id: id, label: '2: Execution' })
      const entered = (await since(before)).filter(({ event_type: type }) => type === 'phase.entered')
      expect(entered.map(({ phase }) => phase)).toEqual(['1: Planning', '2: Execution'])
      expect(await call('db.session.finish', { session_id: session.id })).toMatchObject({
        ended_reason: 'finished',
      })
    })

    test('does not change the gate', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      await it.read(it.flow('steps/look.md'))
      await jumped(() => it.read(it.flow('steps/think.md')))
      expect(await it.spans()).toEqual(['flow active look,think'])
    })

    const atWork = async () => {
      const it = await begunAt(world())
      await world().store.flush()
      return it
    }

    test('makes a session stale only forward, and only until its next event', async () => {
      const { call, store } = world()
      const it = await atWork()
      const isMarked = async () => {
        while ((await call('db.session.markStale', { limit: 1000 })).marked > 0);
        return (await it.windows())[0]?.stale_at !== null
      }
      await jumped(async () => {
        expect(await isMarked()).toBe(jump > 0)
        await it.use('Bash', { command: 'true' })
        await store.flush()
        expect(await isMarked()).toBe(false)
      })
    })

    test('takes no effort from a session that another session has ended meanwhile', async () => {
      const it = await atWork()
      await jumped(async () => {
        await clientIn(world(), it.project).start()
        expect((await it.read(it.flow('steps/do.md'))).decision).toBe('block')
        expect((await it.read(it.flow('steps/think.md'))).decision).toBe('allow')
      })
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('allow')
      expect(await it.efforts()).toHaveLength(1)
      expect(await it.windows()).toHaveLength(jump > 0 ? 2 : 1)
    })

    test('returns the stored answer to a repeated call', async () => {
      const { call, effort } = world()
      const params = { effort_id: (await effort()).id, label: '0: Setup', idempotency_key: `jump ${jump}` }
      const answer = await call('db.effort.phase', params)
      await jumped(async () => {
        expect(await call('db.effort.phase', params)).toEqual(answer)
      })
    })
  })
}
