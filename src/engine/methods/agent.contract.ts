import { describe, expect, test } from 'vitest'
import { failure, type World } from '../world.contract.ts'

/** What agents and their ownership of efforts promise. INV_AGENT_OWNS_EFFORT */
export function agentContract(world: () => World): void {
  const get = (id: string) => world().call('db.agents.get', { id })
  const claim = (agent_id: string, effort_id: number) =>
    world().call('db.agents.claim', { agent_id, effort_id })

  describe('registering an agent', () => {
    // Defect 13 of the originals: the last registration replaced the agent.
    test('again keeps the known values', async () => {
      const id = world().name('agent')
      const effort = await world().effort()
      const known = { id, label: 'Fox', claims: ['implement', 'test'] }
      expect(await world().call('db.agents.register', known)).toEqual({ ...known, effort_id: null })
      await claim(id, effort.id)
      for (const again of [
        {},
        { label: '' },
        { label: '  ' },
        { claims: [] },
        { claims: '' },
        { claims: ' , ' },
      ])
        expect(await world().call('db.agents.register', { id, ...again })).toEqual({
          ...known,
          effort_id: effort.id,
        })
      const label = { ...known, label: 'Owl', effort_id: effort.id }
      expect(await world().call('db.agents.register', { id, label: ' Owl ' })).toEqual(label)
      const claims = { ...label, claims: ['a', 'b'] }
      expect(await world().call('db.agents.register', { id, claims: 'a, b,,a' })).toEqual(claims)
      expect(await get(id)).toMatchObject({ ...claims, effort: { id: effort.id, agent_id: id } })
    })

    test('is recorded in the ledger only when it changes something', async () => {
      const id = world().name('agent')
      const seq = await world().lastSeq()
      for (const more of [{ label: 'A' }, { label: 'A' }, {}, { label: 'B' }])
        await world().call('db.agents.register', { id, ...more })
      expect(await world().since(seq)).toMatchObject([
        { event_type: 'agent.registered', agent_id: id, payload: { label: 'A' } },
        { event_type: 'agent.registered', agent_id: id, payload: { label: 'B' } },
      ])
    })

    test('lists it with what it does', async () => {
      const [idle, busy] = [await world().agent(), await world().agent()]
      const effort = await world().effort({ agent_id: busy })
      const list = await world().call('db.agents.list')
      expect(list).toContainEqual({ id: idle, label: null, claims: [], effort_id: null, effort: null })
      expect(list.find(({ id }: { id: string }) => id === busy)).toMatchObject({
        effort: {
          id: effort.id,
          skill: 'implement',
          ordinal: 1,
          current_phase: null,
          task_id: effort.task_id,
        },
      })
    })
  })

  describe('an effort', () => {
    test('belongs to one agent and cannot be stolen', async () => {
      const [owner, thief] = [await world().agent(), await world().agent()]
      const effort = await world().effort({ agent_id: owner })
      const seq = await world().lastSeq()
      expect(await failure(claim(thief, effort.id))).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(owner),
        hint: 'holdfast status',
      })
      const start = { task_id: effort.task_id, effort_id: effort.id, agent_id: thief }
      expect(await failure(world().call('db.session.start', start))).toMatchObject({ code: 'conflict' })
      expect(await get(owner)).toMatchObject({ effort_id: effort.id })
      expect(await get(thief)).toMatchObject({ effort_id: null })
      expect(await world().since(seq)).toMatchObject(
        Array.from({ length: 2 }, () => ({
          event_type: 'agent.refused',
          agent_id: thief,
          effort_id: effort.id,
          project_id: world().projectId,
        })),
      )
    })

    test('is claimed by exactly one of many concurrent agents', async () => {
      const agents = await Promise.all(Array.from({ length: 10 }, () => world().agent()))
      const effort = await world().effort()
      const outcomes = await Promise.allSettled(agents.map((agent) => claim(agent, effort.id)))
      const winners = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [agents[index]] : []))
      expect(winners).toHaveLength(1)
      for (const { reason } of outcomes.filter((one) => one.status === 'rejected'))
        expect(reason).toMatchObject({ code: 'conflict' })
      expect(await world().call('db.effort.get', { effort_id: effort.id })).toMatchObject({
        agent_id: winners[0],
      })
    })

    test('can be released, and then claimed by another agent', async () => {
      const [first, second] = [await world().agent(), await world().agent()]
      const effort = await world().effort({ agent_id: first })
      expect(await world().call('db.agents.release', { agent_id: first })).toMatchObject({ effort: null })
      expect(await claim(second, effort.id)).toMatchObject({ effort: { id: effort.id, agent_id: second } })
      expect(await world().call('db.effort.get', { effort_id: effort.id })).toMatchObject({
        agent_id: second,
      })
    })
  })

  describe('an agent', () => {
    test('owns one active effort at a time, even with concurrent claims', async () => {
      const agent = await world().agent()
      const efforts = await Promise.all(Array.from({ length: 6 }, () => world().effort()))
      const outcomes = await Promise.allSettled(efforts.map(({ id }) => claim(agent, id)))
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const { effort_id } = await get(agent)
      const owned = await world().call('db.effort.findActive', { agent_id: agent })
      expect(owned).toMatchObject([{ id: effort_id }])
    })

    test('that is busy cannot start an effort, and the ledger has no trace of one', async () => {
      const agent_id = await world().agent()
      const mine = await world().effort({ agent_id })
      await world().call('db.skills.upsert', { name: 'test', project_id: world().projectId })
      const seq = await world().lastSeq()
      const refused = await failure(world().effort({ agent_id, task_id: mine.task_id, skill: 'test' }))
      expect(refused).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(`${mine.id}`),
        hint: `holdfast agent release ${agent_id}`,
      })
      expect(await world().call('db.effort.list', { task_id: mine.task_id })).toHaveLength(1)
      expect(await world().since(seq)).toMatchObject([
        { event_type: 'agent.refused', agent_id, effort_id: null, skill: 'test' },
      ])
    })

    test('that claims its own effort or releases another one changes nothing', async () => {
      const agent_id = await world().agent()
      const effort = await world().effort({ agent_id })
      const seq = await world().lastSeq()
      await claim(agent_id, effort.id)
      const other = await world().agent()
      await world().call('db.agents.release', { agent_id: other })
      expect((await world().since(seq)).map(({ event_type }) => event_type)).toEqual(['agent.registered'])
      const wrong = { agent_id, effort_id: effort.id + 1 }
      expect(await failure(world().call('db.agents.release', wrong))).toMatchObject({ code: 'conflict' })
    })

    test('must be registered', async () => {
      const effort = await world().effort()
      const nobody = 'nobody'
      const start = { task_id: effort.task_id, effort_id: effort.id, agent_id: nobody }
      for (const work of [
        () => claim(nobody, effort.id),
        () => get(nobody),
        () => world().call('db.agents.release', { agent_id: nobody }),
        () => world().call('db.session.start', start),
        () => world().effort({ agent_id: nobody }),
      ])
        expect(await failure(work())).toMatchObject({
          code: 'not-found',
          field: 'agent_id',
          hint: 'holdfast agent register nobody',
        })
    })
  })
}
