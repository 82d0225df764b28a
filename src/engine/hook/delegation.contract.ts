import { describe, expect, test } from 'vitest'
import { type ClientAt, clientAt, contextOf, reasonOf, skillOf } from './client.contract.ts'
import { type Answer, failure, type World } from '../world.contract.ts'
import { withSubagent } from '../../rules/told/words.ts'

/** Steps delegated to sub-agents, with captured events of the client. */
export function delegationContract(world: () => World): void {
  const begun = async () => {
    const it = await clientAt(world())
    await it.start()
    await it.prompt('/flow')
    const visited = async () =>
      Object.keys(
        JSON.parse(
          (await it.rows(`select value from plan_state where effort_id = ${(await it.efforts())[0]?.id}`))[0]
            ?.value ?? '{"progress":{"visits":{}}}',
        ).progress.visits,
      )
    const told = async () =>
      (
        await it.rows(
          `select event_type, phase, payload from life_event where effort_id = '${(await it.efforts())[0]?.id}' and (event_type like '%delegat%' or event_type = 'step.visited') order by seq`,
        )
      ).map(({ event_type: kind, phase, payload }) =>
        kind === 'delegation.ended' ? `${kind} ${JSON.parse(payload).outcome}` : `${kind} ${phase}`,
      )
    const callOf = (id: string, prompt: string) => ({
      tool_name: 'Agent',
      tool_input: { description: 'Do it', prompt, subagent_type: 'reviewer' },
      tool_use_id: id,
    })
    const dispatch = (id: string, prompt: string) => it.fire('PreToolUse', callOf(id, prompt))
    const answer = (id: string, tool_response: object) =>
      it.fire('PostToolUse', { ...callOf(id, 'x.md'), tool_response })
    const inAgent = (agent: string) => ({ agent_id: agent, agent_type: 'reviewer' })
    const stop = (agent: string) =>
      it.fire('SubagentStop', { ...inAgent(agent), stop_hook_active: false, background_tasks: [] })
    return { ...it, visited, told, callOf, dispatch, answer, inAgent, stop }
  }

  describe('steps that are delegated to a sub-agent', () => {
    test('in the foreground count when it returns, and not before', async () => {
      const it = await begun()
      expect((await it.dispatch('c1', `Read ${it.flow('steps/look.md')} and do it.`)).decision).toBe('allow')
      await it.dispatch('c1', `Read ${it.flow('steps/look.md')} and do it.`)
      const early = await it.read(it.flow('steps/think.md'))
      expect(early.decision).toBe('block')
      expect(reasonOf(early)).toContain(withSubagent(['look']))
      await it.fire('SubagentStart', it.inAgent('a1'))
      // The gate does not apply to the reads of a sub-agent.
      const inside = await it.read(it.flow('steps/do.md'), it.inAgent('a1'))
      expect([inside.decision, inside.reply]).toEqual(['allow', undefined])
      const stopped = await it.stop('a1')
      expect([stopped.decision, stopped.reply]).toEqual(['allow', undefined])
      expect(await it.visited()).toEqual([])
      await it.answer('c1', { status: 'completed', agentId: 'a1' })
      await it.answer('c1', { status: 'completed', agentId: 'a1' })
      expect(await it.visited()).toEqual(['look'])
      expect(await it.told()).toEqual(['step.delegated look', 'step.visited look', 'delegation.ended ok'])
      expect((await it.read(it.flow('steps/think.md'))).decision).toBe('allow')
    })

    test('in the background count when that sub-agent stops, even before its call returns', async () => {
      const it = await begun()
      await it.dispatch('c1', 'Do steps/look.md.')
      await it.answer('c1', { isAsync: true, status: 'async_launched', agentId: 'a1' })
      await it.stop('other')
      expect(await it.visited()).toEqual([])
      await it.stop('a1')
      expect(await it.visited()).toEqual(['look'])
      await it.dispatch('c2', 'Do flow/steps/think.md, then flow/steps/do.md.')
      await it.stop('a2')
      expect(await it.visited()).toEqual(['look'])
      await it.answer('c2', { isAsync: true, status: 'async_launched', agentId: 'a2' })
      expect((await it.visited()).toSorted()).toEqual(['do', 'look', 'think'])
      await it.stop('a1')
      expect((await it.told()).filter((line) => line.startsWith('delegation'))).toEqual([
        'delegation.ended ok',
        'delegation.ended ok',
      ])
    })

    test('never count if it failed, was killed or never ended', async () => {
      const it = await begun()
      await it.dispatch('c1', 'Do steps/look.md.')
      await it.fire('PostToolUseFailure', { ...it.callOf('c1', 'x.md'), error: 'It broke.' })
      await it.stop('a1')
      await it.dispatch('c2', 'Do steps/look.md.')
      await it.answer('c2', { status: 'async_launched', agentId: 'a2' })
      await it.fire('StopFailure', { ...it.inAgent('a2'), error: 'rate_limit' })
      await it.stop('a2')
      await it.dispatch('c3', 'Do steps/look.md.')
      await it.answer('c3', { status: 'async_launched', agentId: 'a3' })
      await it.fire('SessionEnd', { reason: 'other' })
      await it.start('resume')
      expect(await it.visited()).toEqual([])
      expect((await it.told()).filter((line) => line.startsWith('delegation'))).toEqual([
        'delegation.ended failed',
        'delegation.ended failed',
        'delegation.ended failed',
      ])
    })

    test.each([
      [
        'ends',
        async (it: Awaited<ReturnType<typeof begun>>) =>
          void (await it.fire('SessionEnd', { reason: 'other' })),
      ],
      ['crashes', async () => undefined],
    ])('are for the main thread again when the client %s and resumes', async (_, end) => {
      const it = await begun()
      await it.dispatch('c1', 'Do steps/look.md.')
      await it.start('compact')
      expect(reasonOf(await it.read(it.flow('steps/think.md')))).toContain(withSubagent(['look']))
      await end(it)
      await it.start('resume')
      expect(await it.told()).toEqual(['step.delegated look', 'delegation.ended failed'])
      const refused = reasonOf(await it.read(it.flow('steps/think.md')))
      expect(refused).not.toContain(withSubagent(['look']))
      expect(refused).toContain('Next: do step "look"')
      // The sub-agent is gone, so its late end counts for nothing.
      await it.stop('a1')
      await it.answer('c1', { status: 'completed', agentId: 'a1' })
      expect(await it.visited()).toEqual([])
    })

    test('end if the client does not allow the call', async () => {
      const it = await begun()
      await it.dispatch('c1', 'Do steps/look.md.')
      await it.fire('PermissionDenied', { ...it.callOf('c1', 'Do steps/look.md.'), reason: 'Not allowed' })
      await it.stop('a1')
      expect(await it.visited()).toEqual([])
      expect(await it.told()).toEqual(['step.delegated look', 'delegation.ended failed'])
    })

    test('are refused like reads if their inputs are missing', async () => {
      const it = await begun()
      const refused = await it.dispatch('c1', `Follow ${it.flow('steps/do.md')}.`)
      expect([refused.decision, reasonOf(refused)]).toEqual([
        'block',
        expect.stringMatching(/needs "idea", which step "think" produces\. Next: do step "look" \(read/),
      ])
      expect(await it.told()).toEqual([])
      const free = await it.dispatch('c2', 'Review notes.md')
      expect([free.decision, contextOf(free)]).toEqual(['allow', ''])
    })
  })

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
      expect(await next()).toEqual([give(''), failing])
      for (const [id, so] of [
        ['c1', ', 1 has and 0 have failed'],
        ['c2', ''],
      ] as const) {
        await it.dispatch(id, 'Review by panel')
        await it.answer(id, { status: 'completed', agentId: id })
        if (so !== '') expect(await next()).toEqual([give(so), failing])
      }
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
