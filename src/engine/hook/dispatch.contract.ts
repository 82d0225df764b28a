import { describe, expect, test } from 'vitest'
import { type ClientAt, contextOf, skillOf } from './client.contract.ts'
import { delegating } from './delegation.contract.ts'
import { type Answer, failure, type World } from '../world.contract.ts'

/** Steps that are given to several sub-agents, whose reports decide. */
export function dispatchContract(world: () => World): void {
  const begun = () => delegating(world())

  describe('a step for several sub-agents', () => {
    const DISPATCH = 'dispatch: {count: 3, join: 2}'
    const many = async (more = '') => {
      const it = await begun()
      await it.add('many', {
        ...skillOf('many'),
        'steps/check.md': `---\nconsumes: [user-request]\nproduces: [view]\n${DISPATCH}\n${more}---\n`,
        'steps/tell.md': '---\nconsumes: [view]\nproduces: [result]\n---\n',
      })
      return { ...it, begin: await it.prompt('/many') }
    }
    const effortOf = async ({ efforts }: ClientAt) => Number((await efforts()).at(-1)?.id)
    const stateOf = async (it: ClientAt) => {
      const { steps } = await world().call('step.show', { effort_id: await effortOf(it) })
      return steps.map(({ label, state }: Answer) => `${label} ${state}`)
    }
    const GIVE = 'give it to 3 sub-agents; 2 of them must succeed'

    test('ends when enough of them have succeeded, each counted once', async () => {
      const it = await many()
      expect(contextOf(it.begin)).toContain(GIVE)
      for (const id of ['c1', 'c2', 'c3'])
        expect((await it.dispatch(id, 'Do steps/check.md.')).decision).toBe('allow')
      await it.answer('c1', { status: 'completed', agentId: 'a1' })
      await it.answer('c1', { status: 'completed', agentId: 'a1' })
      await it.stop('a1')
      const effort_id = await effortOf(it)
      expect(await failure(world().call('step.leave', { effort_id, step: 'check' }))).toMatchObject({
        code: 'refused',
        message: 'Step "check" waits for 1 more of its sub-agents.',
        hint: expect.stringContaining(GIVE),
      })
      expect((await it.read((await it.add('many', {}))('steps/tell.md'))).decision).toBe('block')
      const [{ value }] = await it.rows(`select value from plan_state where effort_id = ${effort_id}`)
      expect(JSON.parse(value).progress.visits.check.children).toEqual({ ok: 1, fail: 0 })
      await it.answer('c2', { isAsync: true, status: 'async_launched', agentId: 'a2' })
      expect(await stateOf(it)).toEqual(['check started', 'tell waiting'])
      await it.stop('a2')
      expect(await stateOf(it)).toEqual(['check completed', 'tell ready'])
      await it.fire('PostToolUseFailure', { ...it.callOf('c3', 'x.md'), error: 'It broke.' })
      expect(await stateOf(it)).toEqual(['check completed', 'tell ready'])
    })

    test('fails when too many of them have failed, and the others do not count for the next round', async () => {
      const it = await many()
      for (const id of ['c1', 'c2', 'c3', 'c4']) await it.dispatch(id, 'Do steps/check.md.')
      const fails = (id: string) =>
        it.fire('PostToolUseFailure', { ...it.callOf(id, 'x.md'), error: 'It broke.' })
      await fails('c1')
      await fails('c1')
      expect(await stateOf(it)).toEqual(['check started', 'tell waiting'])
      await fails('c2')
      expect(await stateOf(it)).toEqual(['check ready', 'tell waiting'])
      for (const id of ['c3', 'c4']) await it.answer(id, { status: 'completed', agentId: id })
      expect(await stateOf(it)).toEqual(['check ready', 'tell waiting'])
    })

    test.each<[string, string, object]>([
      ['was reported as failed', 'step.leave', { outcome: 'fail' }],
      ['was left for an earlier one', 'step.enter', { step: '1', reason: 'the user wants another draft' }],
    ])('that %s begins its next round without those that are still out', async (_, method, move) => {
      const it = await begun()
      await it.add('many', {
        ...skillOf('many'),
        'holdfast.yaml': `phases:\n  - {label: "1", name: Draft}\n  - {label: "2", name: Review it, ${DISPATCH}, next: {fail: "1"}}\n  - {label: "3", name: Tell}\n`,
      })
      await it.prompt('/many')
      const effort_id = await effortOf(it)
      for (const step of ['1', '2']) await world().call('step.enter', { effort_id, step })
      for (const id of ['c1', 'c2']) await it.dispatch(id, 'Review it')
      await world().call(method, { effort_id, ...move })
      await world().call('step.enter', { effort_id, step: '2' })
      for (const id of ['c1', 'c2']) await it.answer(id, { status: 'completed', agentId: id })
      expect(await stateOf(it)).toEqual(['1 completed', '2 started', '3 waiting'])
      expect((await world().call('step.show', { effort_id })).steps[1].attempts).toBe(2)
      for (const id of ['c3', 'c4']) {
        await it.dispatch(id, 'Review it')
        await it.answer(id, { status: 'completed', agentId: id })
      }
      expect(await stateOf(it)).toEqual(['1 completed', '2 completed', '3 ready'])
    })

    test('opens the next phase, which is not done before it was entered', async () => {
      const it = await begun()
      await it.add('many', {
        ...skillOf('many'),
        'holdfast.yaml': `phases:\n  - {label: "1", name: Build it, limit: 3}\n  - {label: "2", name: Review by panel, ${DISPATCH}, next: {fail: "1"}}\n  - {label: "3", name: Release it}\n`,
      })
      await it.prompt('/many')
      const effort_id = await effortOf(it)
      await world().call('step.enter', { effort_id, step: '1' })
      await world().call('step.leave', { effort_id })
      const next = async () => (await world().call('step.show', { effort_id })).next
      const failing = `holdfast step fail 2 --effort ${effort_id} --reason '____'`
      const give = (so: string) =>
        `do step "2": give it to 3 sub-agents; 2 of them must succeed${so} (name "Review by panel" in each prompt)`
      const heard = [await next()]
      for (const id of ['c1', 'c2']) {
        await it.dispatch(id, 'Review by panel')
        await it.answer(id, { status: 'completed', agentId: id })
        heard.push(await next())
      }
      expect(heard.slice(0, 2)).toEqual([
        [give(''), failing],
        [give(', 1 has and 0 have failed'), failing],
      ])
      expect(await stateOf(it)).toEqual(['1 completed', '2 completed', '3 ready'])
      expect(await failure(world().call('step.leave', { effort_id }))).toMatchObject({
        message: 'Step "3" has not started.',
        hint: `holdfast step go '3: Release it' --effort ${effort_id}`,
      })
      await world().call('step.enter', { effort_id })
      expect(await world().call('step.leave', { effort_id })).toMatchObject({ status: 'finished' })
      expect((await world().call('db.effort.validate', { effort_id })).checks[1]).toMatchObject({
        pass: true,
      })
    })

    test('closes its effort with the last report, if it was the last step', async () => {
      const it = await begun()
      await it.add('many', {
        ...skillOf('many'),
        'holdfast.yaml': `phases:\n  - {label: "1", name: Draft}\n  - {label: "2", name: Review it, ${DISPATCH}}\n`,
      })
      await it.prompt('/many')
      const effort_id = await effortOf(it)
      for (const step of ['1', '2']) await world().call('step.enter', { effort_id, step })
      for (const id of ['c1', 'c2']) {
        await it.dispatch(id, 'Review it')
        await it.answer(id, { status: 'completed', agentId: id })
      }
      expect(await world().call('db.effort.get', { effort_id })).toMatchObject({ lifecycle: 'finished' })
      const [last] = await it.rows(
        `select payload from life_event where effort_id = ${effort_id} and event_type = 'effort.finished'`,
      )
      expect(JSON.parse(last.payload)).toMatchObject({ outcome: 'completed', steps_left: [] })
    })

    test('does not count a call that never ran, nor one that was shown a part of the step', async () => {
      const it = await many()
      await it.add('many', {
        'steps/check.md': `---\nconsumes: [user-request]\nproduces: [view]\n${DISPATCH}\n---\nOne line.\nAnother line.\n`,
      })
      for (const id of ['c1', 'c2']) {
        await it.dispatch(id, 'Do steps/check.md.')
        await it.fire('PermissionDenied', { ...it.callOf(id, 'Do steps/check.md.'), reason: 'Not allowed' })
      }
      for (const id of ['c3', 'c4']) {
        await it.dispatch(id, 'Do steps/check.md: One line.')
        await it.answer(id, { status: 'completed', agentId: id })
      }
      expect(await stateOf(it)).toEqual(['check started', 'tell waiting'])
    })

    test('is named by its title where it has no file, and still owes its proof', async () => {
      const it = await begun()
      await it.add('many', {
        ...skillOf('many'),
        'holdfast.yaml': `phases:\n  - {label: "1", name: Review it, ${DISPATCH}, proof: [found]}\n  - {label: "2", name: Tell}\n`,
      })
      await it.prompt('/many')
      const effort_id = await effortOf(it)
      expect(await world().call('step.enter', { effort_id, step: '1' })).toMatchObject({
        next: [expect.stringContaining(`${GIVE} (name "Review it" in each prompt)`)],
      })
      for (const [id, prompt] of [
        ['c1', 'Please review it thoroughly'],
        ['c2', 'Look for something else'],
        ['c3', 'Do "Review it".'],
      ] as const) {
        expect(await failure(world().call('db.effort.phase', { effort_id, label: '2' }))).toMatchObject({
          message: expect.stringMatching(/waits for [12] more of its sub-agents/),
          hint: expect.stringContaining(GIVE),
        })
        await it.dispatch(id, prompt)
        await it.answer(id, { status: 'completed', agentId: id })
      }
      expect(await failure(world().call('step.leave', { effort_id }))).toMatchObject({
        message: 'Step "1" still owes "found". Replace ____ with what shows it.',
      })
      expect(await world().call('step.leave', { effort_id, proof: { found: 'two' } })).toMatchObject({
        current: ['2'],
      })
    })
  })
}
