import { describe, expect, test } from 'vitest'
import type { LedgerRow } from '../../store/ledger.ts'
import { begunAt, clientAt, clientIn, repository, silence } from '../hook/client.contract.ts'
import { failure, type World } from '../world.contract.ts'

/** Which session and which agent the entries of the ledger name. */
export function ledgerSessionContract(world: () => World): void {
  const kinds = (rows: readonly LedgerRow[]) => rows.map(({ event_type }) => event_type)
  const ids = (rows: readonly LedgerRow[]) => [
    ...new Set(rows.map(({ session_id, window_id }) => `${session_id} ${window_id}`)),
  ]

  describe('the ledger of a session', () => {
    test("has the client's id and ours in every entry, whoever made the call", async () => {
      const it = await clientAt(world())
      await it.start()
      const seq = await world().lastSeq()
      await it.prompt('/flow')
      await it.read(it.flow('steps/do.md'))
      await it.read(it.flow('steps/look.md'))
      const effort_id = (await it.efforts())[0].id
      await world().call('artifact.put', { effort_id, name: 'view' })
      await world().call('db.effort.approve', { effort_id, subject: 'do', reason: 'Because.' })
      await world().call('queue.add', { effort_id, content: 'Later.' })
      await world().call('commands.log.append', { effort_id, text: 'Said.' })
      await world().call('db.effort.dehydrate', { effort_id, payload: { summary: 'Half.' } })
      await world().call('db.effort.finish', { effort_id, abandon: 'no longer needed' })
      await it.fire('SessionEnd', { reason: 'other' })
      const rows = await world().since(seq)
      expect(new Set(kinds(rows))).toEqual(
        new Set([
          'task.created',
          'span.opened',
          'effort.started',
          'session.switched',
          'step.refused',
          'step.visited',
          'artifact.recorded',
          'approval.given',
          'queue.added',
          'file.appended',
          'effort.dehydrated',
          'span.completed',
          'effort.finished',
          'session.ended',
        ]),
      )
      expect(ids(rows)).toEqual([`${it.session} ${(await it.windows())[0].id}`])
    })

    test("has the client's id even before the session has ours", async () => {
      const seq = await world().lastSeq()
      const it = await clientAt(world())
      await it.start()
      const rows = await world().since(seq)
      expect(kinds(rows)).toContain('project.registered')
      expect(new Set(rows.map(({ session_id }) => session_id))).toEqual(new Set([it.session]))
      const begun = rows.findIndex(({ event_type }) => event_type === 'session.started')
      expect(ids(rows.slice(begun))).toEqual([`${it.session} ${(await it.windows())[0].id}`])
    })

    test('names the caller of a command, not the session that serves the effort', async () => {
      const it = await repository(world())
      await it.hook('SessionStart', { source: 'startup' })
      const { id: effort_id } = await it.start({ native_id: it.native, client: 'claude-code' })
      const other = clientIn(world(), it.project)
      await other.start()
      const seq = await world().lastSeq()
      await it.log('Mine.')
      await failure(it.log('Of another.', { effort_id, native_id: other.session }))
      expect((await world().since(seq)).map(({ session_id }) => session_id)).toEqual([
        it.native,
        other.session,
      ])
    })

    test('names the session that died, not the one that found it dead', async () => {
      const it = await begunAt(world())
      silence(world())
      const seq = await world().lastSeq()
      const next = clientIn(world(), it.project)
      await next.start()
      const ended = (await world().since(seq)).filter(({ event_type }) =>
        ['effort.dehydrated', 'session.ended', 'span.completed'].includes(event_type),
      )
      expect(ended).toHaveLength(3)
      expect(ids(ended)).toEqual([`${it.session} ${(await it.windows())[0].id}`])
    })

    test('is found by our number, by its text and by the id of the client', async () => {
      const it = await begunAt(world())
      const [window] = await it.windows()
      const list = (session_id: unknown) => world().call('ledger.list', { session_id, limit: 1000 })
      const [ours, text, native] = [await list(window.id), await list(`${window.id}`), await list(it.session)]
      expect(kinds(ours)).toContain('step.visited')
      expect(text).toEqual(ours)
      expect(native).toEqual(expect.arrayContaining(ours))
      expect(await list('no-such-session')).toEqual([])
    })
  })

  describe('the ledger of an effort', () => {
    test('names its owner in every entry', async () => {
      const [agent_id, rival] = [await world().agent(), await world().agent()]
      const seq = await world().lastSeq()
      const { id: effort_id, task_id } = await world().effort({ agent_id })
      const session = await world().call('db.session.start', { task_id, effort_id })
      const enter = (label: string, more: object = {}) =>
        world().call('db.effort.phase', { effort_id, label, ...more })
      await enter('0')
      await expect(enter('3')).rejects.toMatchObject({ code: 'refused' })
      await enter('3', { proof: { mode: 'tdd' }, reason: 'The user said so.' })
      const claim = world().call('db.agents.claim', { agent_id: rival, effort_id })
      await expect(claim).rejects.toMatchObject({ code: 'conflict' })
      await world().call('db.effort.finish', { effort_id, abandon: 'no longer needed' })
      const rows = (await world().since(seq)).filter(({ event_type }) => event_type !== 'task.created')
      const refused = rows.filter(({ event_type }) => event_type === 'agent.refused')
      const others = rows.filter((row) => !refused.includes(row))
      expect(kinds(others)).toEqual([
        'effort.started',
        'agent.claimed',
        'session.started',
        'phase.entered',
        'phase.refused',
        'phase.skipped',
        'phase.entered',
        'effort.finished',
      ])
      expect(new Set(others.map((row) => row.agent_id))).toEqual(new Set([agent_id]))
      expect(others.map((row) => row.window_id)).toEqual([null, null, ...Array(6).fill(session.id)])
      // The rival works elsewhere.
      expect(refused).toMatchObject([{ agent_id: rival, window_id: null, session_id: '' }])
    })
  })

  describe('the kinds of the ledger', () => {
    test.each([
      ['step_enter', ['step.visited']],
      ['session_start', ['session.started', 'span.opened']],
      ['session_end', ['span.completed', 'session.ended']],
      ['subagent_step_delegate', ['step.delegated']],
    ])('have the name %s of the seeds', async (event_type, ours) => {
      const seq = await world().lastSeq()
      const it = await begunAt(world())
      const input = { description: 'Do it', prompt: `Read ${it.flow('steps/think.md')}.` }
      await it.fire('PreToolUse', { tool_name: 'Agent', tool_input: input, tool_use_id: 'c1' })
      await it.fire('SessionEnd', { reason: 'other' })
      expect(kinds(await world().call('ledger.list', { after: seq, event_type }))).toEqual(ours)
    })

    test.each([
      ['phase.enterd', 'phase.entered'],
      ['step_entr', 'step_enter'],
      ['constructor', undefined],
    ])('do not include %s', async (event_type, meant) => {
      for (const method of ['ledger.list', 'ledger.subscribe'])
        await expect(world().call(method, { event_type })).rejects.toMatchObject({
          code: 'invalid',
          field: 'event_type',
          ...(meant !== undefined && { hint: `holdfast ledger --type ${meant}` }),
        })
    })
  })
}
