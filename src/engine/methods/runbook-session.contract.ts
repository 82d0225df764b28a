import { describe, expect, test } from 'vitest'
import { clientIn, contextOf, skillOf } from '../hook/client.contract.ts'
import { type Answer, failure, type World } from '../world.contract.ts'
import { compiledRunbook, runbookOf } from './runbook.contract.ts'

/** What the effort of a runbook is in a session of a client, on any database. */
export function runbookSessionContract(world: () => World): void {
  const made = (text?: string) => compiledRunbook(world(), text === undefined ? {} : { text })

  describe('the effort of a runbook in a session', () => {
    const inSession = async (text?: string) => {
      const it = await made(text)
      const client = clientIn(world(), it.root)
      const who = { native_id: client.session, cwd: it.root }
      const next = (more: object = {}) => it.next({ ...who, client: 'claude-code', ...more })
      return { ...it, client, who, next }
    }

    test('is served by the session that asks, and nobody else moves it', async () => {
      const it = await inSession()
      await it.client.start()
      const { effort } = await it.next()
      expect((await it.client.windows()).at(-1)).toMatchObject({ effort_id: effort })
      const other = clientIn(world(), it.root)
      await other.start()
      expect(await failure(it.next({ native_id: other.session }))).toMatchObject({ code: 'conflict' })
      for (const method of ['next', 'status'])
        expect(
          await failure(world().call(`runbook.${method}`, { cwd: it.root, native_id: other.session })),
        ).toMatchObject({ code: 'conflict', hint: 'holdfast runbook next NAME' })
      const mine = { cwd: it.root, native_id: it.client.session }
      await it.writeReport('step-1-1')
      expect(await world().call('runbook.status', mine)).toMatchObject({ effort })
      expect(
        await world().call('runbook.report', { ...mine, step: 'step-1-1', outcome: 'done' }),
      ).toMatchObject({
        effort,
        moved: true,
      })
    })

    test('survives a compaction and the end of its client', async () => {
      const it = await inSession()
      await it.client.start()
      const { effort } = await it.next()
      await it.client.fire('PreCompact', { trigger: 'auto' })
      const back = await it.client.start('compact')
      expect(contextOf(back)).toContain(`holdfast runbook next --effort ${effort}`)
      expect(contextOf(back)).not.toContain('step-1-2')
      expect(await it.next()).toMatchObject({ effort, step: 'step-1-1', attempt: 1 })
      await it.client.fire('SessionEnd', { reason: 'other' })
      const later = clientIn(world(), it.root)
      await later.start()
      const taken = await it.next({ native_id: later.session })
      expect(taken).toMatchObject({ effort, step: 'step-1-1', attempt: 1, resumed: true })
      expect((await later.windows()).at(-1)).toMatchObject({ effort_id: effort })
    })

    test('is the frame of the chain that called its skill, and the chain goes on behind it', async () => {
      const it = await inSession(runbookOf({ '1': 'opus' }))
      for (const name of ['orchestrate', 'commit']) await it.client.add(name, skillOf(name))
      await it.client.start()
      await it.client.prompt(`/orchestrate ${it.name} and /commit`)
      const { effort } = await it.next()
      const frames = async () => {
        const [chain] = await world().call('continuation.list', { cwd: it.root, ended: true })
        return chain.frames.map(({ skill, status, effort_id }: Answer) =>
          `${skill} ${status} ${effort_id ?? ''}`.trim(),
        )
      }
      expect(await frames()).toEqual([`orchestrate running ${effort}`, 'commit waiting'])
      await it.done('step-1', it.who)
      await it.next()
      await it.done('final-review', it.who)
      expect(await frames()).toEqual([`orchestrate completed ${effort}`, 'commit waiting'])
    })

    test('does not end its turn while steps are left, unless it waits for the user', async () => {
      const it = await inSession()
      await it.client.start()
      await it.client.prompt('go')
      const { effort } = await it.next()
      const stop = () => it.client.fire('Stop', { stop_hook_active: false, background_tasks: [] })
      expect((await stop()).reply).toMatchObject({
        decision: 'block',
        reason: expect.stringContaining(`holdfast runbook next --effort ${effort}`),
      })
      await it.client.prompt('go on')
      await it.error('step-1-1', 'ambiguity', it.who)
      expect((await stop()).reply ?? {}).not.toMatchObject({ decision: 'block' })
    })

    test('counts what the orchestrator reports, and not the end of a sub-agent', async () => {
      const it = await inSession()
      await it.client.start()
      const hand = await it.next()
      const call = {
        tool_name: 'Agent',
        tool_use_id: 'c1',
        tool_input: { prompt: hand.prompt, subagent_type: hand.agent },
      }
      await it.client.fire('PreToolUse', call)
      await it.client.fire('SubagentStart', { agent_id: 'a1', agent_type: hand.agent })
      await it.client.fire('PostToolUse', { ...call, tool_response: { status: 'completed', agentId: 'a1' } })
      await it.client.fire('SubagentStop', {
        agent_id: 'a1',
        agent_type: hand.agent,
        stop_hook_active: false,
      })
      expect((await it.states())[0]).toBe('step-1-1 started')
      await it.error('step-1-1', 'execution', { ...it.who, visit: 1 })
      await it.client.fire('SubagentStop', {
        agent_id: 'a1',
        agent_type: hand.agent,
        stop_hook_active: false,
      })
      expect((await it.status()).steps[0]).toMatchObject({ attempts: 1, outcome: 'fail' })
    })

    test('is told in the words of every other effort', async () => {
      const it = await inSession()
      await it.client.start()
      const { effort } = await it.next()
      const command = `holdfast runbook next --effort ${effort}`
      expect(await world().call('step.show', { effort_id: effort })).toMatchObject({
        notation: 'runbook',
        status: 'running',
        current: ['step-1-1'],
        next: [command],
      })
      const shown = await world().call('db.effort.get', { effort_id: effort })
      expect(shown.next_actions ?? [command]).toEqual([command])
      const line = await world().call('statusline.show', {
        client: 'claude-code',
        payload: { session_id: it.client.session, cwd: it.root },
      })
      expect(JSON.stringify(line)).toContain('orchestrate:step-1-1')
    })

    test('moves only by its own commands, which look at the report and at git', async () => {
      const it = await inSession()
      const { effort: effort_id } = await it.next({ native_id: undefined })
      const next = `holdfast runbook next --effort ${effort_id}`
      const report = `holdfast runbook report step-1-1`
      const refused = async (method: string, given: object, hint: string) =>
        expect(await failure(world().call(method, { effort_id, ...given }))).toMatchObject({
          code: 'refused',
          hint: expect.stringContaining(hint),
        })
      await refused('step.enter', { step: 'step-1-2' }, next)
      await refused('step.leave', {}, `${report} done --visit 1 --effort ${effort_id}`)
      await refused('step.leave', { outcome: 'fail', reason: 'it broke' }, `${report} error --visit 1`)
      await refused('step.leave', { step: 'step-1-2' }, next)
      expect((await it.states()).slice(0, 2)).toEqual(['step-1-1 started', 'step-1-2 waiting'])
      await it.done('step-1-1')
      await refused('step.enter', {}, next)
      expect((await it.states()).slice(0, 2)).toEqual(['step-1-1 completed', 'step-1-2 ready'])
    })
  })
}
