import { describe, expect, test } from 'vitest'
import { failure, type Answer, type Params, type World } from '../world.contract.ts'

/** What sessions and their volatile state promise. */
export function sessionContract(world: () => World): void {
  const start = async (params: Params = {}) =>
    await world().call('db.session.start', {
      task_id: params['task_id'] ?? (await world().task()),
      ...params,
    })
  const now = ({ id }: Answer) => world().session(id)
  const finish = ({ id }: Answer, more: Params = {}) =>
    world().call('db.session.finish', { session_id: id, ...more })

  describe('a session', () => {
    test('serves the ad-hoc effort of its task, or the effort that is named', async () => {
      const effort = await world().effort()
      const planned = await start({
        task_id: effort.task_id,
        effort_id: effort.id,
        pid: 42,
        client: 'claude-code',
      })
      expect(planned).toMatchObject({
        effort_id: effort.id,
        pid: 42,
        client: 'claude-code',
        heartbeat_counter: 0,
        ended_at: null,
      })
      const loose = await start({ task_id: effort.task_id })
      const [adHoc] = await world().call('db.effort.list', { task_id: effort.task_id, ad_hoc: true })
      expect(loose.effort_id).toBe(adHoc.id)
    })

    test('cannot serve the effort of another task', async () => {
      const effort = await world().effort()
      expect(await failure(start({ effort_id: effort.id }))).toMatchObject({
        code: 'conflict',
        field: 'effort_id',
        hint: `holdfast session start ${effort.task_id} --effort ${effort.id}`,
      })
    })

    test('ends the open session of the same agent, and no other', async () => {
      const [agent_id, other] = [await world().agent(), await world().agent()]
      const task_id = await world().task()
      const [before, foreign, loose] = [
        await start({ task_id, agent_id }),
        await start({ task_id, agent_id: other }),
        await start({ task_id }),
      ]
      const seq = await world().lastSeq()
      const after = await start({ agent_id })
      expect(await now(before)).toMatchObject({ ended_at: expect.any(String), ended_reason: 'superseded' })
      for (const session of [foreign, loose, after]) expect((await now(session)).ended_at).toBeNull()
      expect((await world().since(seq)).slice(-2)).toMatchObject([
        { event_type: 'session.ended', window_id: before.id, payload: { reason: 'superseded' } },
        { event_type: 'session.started', window_id: after.id, agent_id },
      ])
    })

    test('works for the owner of its effort, and so ends the open session of that agent', async () => {
      const agent_id = await world().agent()
      const before = await start({ agent_id })
      const effort = await world().effort({ agent_id })
      const after = await start({ task_id: effort.task_id, effort_id: effort.id })
      expect(after.agent_id).toBe(agent_id)
      expect(await now(before)).toMatchObject({ ended_reason: 'superseded' })
    })

    test('is the only open one of its agent, even with concurrent starts', async () => {
      const agent_id = await world().agent()
      const task_id = await world().task()
      await Promise.all(Array.from({ length: 8 }, () => start({ task_id, agent_id })))
      expect(await world().call('db.session.find', { agent_id, open: true })).toHaveLength(1)
    })

    test('continues its predecessor, which ends', async () => {
      const before = await start()
      const after = await start({ task_id: before.task_id, prev_session_id: before.id })
      expect(after.prev_session_id).toBe(before.id)
      expect(await now(before)).toMatchObject({ ended_reason: 'continued' })
      const elsewhere = await failure(start({ prev_session_id: before.id }))
      expect(elsewhere).toMatchObject({ code: 'conflict', field: 'prev_session_id' })
      const missing = await failure(start({ task_id: before.task_id, prev_session_id: 999_999_999 }))
      expect(missing).toMatchObject({ code: 'not-found', field: 'session_id' })
    })

    test('continues the effort of its predecessor while that is active', async () => {
      const effort = await world().effort()
      const { task_id } = effort
      const before = await start({ task_id, effort_id: effort.id })
      const after = await start({ task_id, prev_session_id: before.id })
      expect(after.effort_id).toBe(effort.id)
      const other = await world().effort({ task_id })
      const turned = await start({ task_id, prev_session_id: after.id, effort_id: other.id })
      expect(turned.effort_id).toBe(other.id)
      await world().call('db.effort.finish', { effort_id: other.id, abandon: 'no longer needed' })
      const last = await start({ task_id, prev_session_id: turned.id })
      const [adHoc] = await world().call('db.effort.list', { task_id, ad_hoc: true })
      expect(last.effort_id).toBe(adHoc.id)
    })

    test('that has ended returns how to continue it', async () => {
      const dir_path = `${world().project}/one's own`
      await world().call('db.task.upsert', { dir_path })
      const session = await start({ task_id: dir_path })
      await finish(session)
      const path = String.raw`'${world().project}/one'\''s own'`
      expect(await failure(world().call('db.session.heartbeat', { session_id: session.id }))).toMatchObject({
        code: 'conflict',
        hint: `holdfast session start ${path} --prev-session ${session.id}`,
      })
    })

    // INV_SESSIONS_ARE_EPHEMERAL
    test('that is finished has a time and a reason, and keeps its first payload', async () => {
      const session = await start()
      const payload = { next: ['a', 1], proof: false }
      const finished = await finish(session, { dehydration_payload: payload })
      expect(finished).toMatchObject({ ended_reason: 'overflow', dehydration_payload: payload })
      const seq = await world().lastSeq()
      world().advance(1000)
      expect(await finish(session, { dehydration_payload: 'other' })).toEqual(finished)
      expect(await finish(session)).toEqual(finished)
      expect(await world().since(seq)).toEqual([])
      expect(await finish(await start())).toMatchObject({
        ended_reason: 'finished',
        dehydration_payload: null,
      })
      const late = await start()
      await finish(late)
      expect(await finish(late, { dehydration_payload: 'text' })).toMatchObject({
        ended_reason: 'finished',
        dehydration_payload: 'text',
      })
    })

    test('is found by task, effort, agent and native id, and by whether it is open', async () => {
      const agent_id = await world().agent()
      const native_id = world().name('native')
      const effort = await world().effort({ agent_id })
      const { task_id } = effort
      const session = await start({ task_id, effort_id: effort.id, native_id })
      const loose = await start({ task_id })
      const ids = async (filter: object) =>
        (await world().call('db.session.find', filter)).map(({ id }: Answer) => id)
      expect(await ids({ task_id })).toEqual([loose.id, session.id])
      for (const filter of [{ effort_id: effort.id }, { agent_id }, { native_id }])
        expect(await ids(filter)).toEqual([session.id])
      await finish(loose)
      expect(await ids({ task_id, open: true })).toEqual([session.id])
      expect(await ids({ task_id, open: false })).toEqual([loose.id])
      expect(await ids({ task_id, limit: 1 })).toEqual([loose.id])
    })
  })

  // INV_SESSION_CONTINUITY
  describe('the same window', () => {
    test('keeps its session', async () => {
      const native_id = world().name('native')
      const session = await start({ native_id })
      const seq = await world().lastSeq()
      expect(await start({ task_id: session.task_id, native_id })).toEqual(session)
      expect(await world().since(seq)).toEqual([])
    })

    test('is one session even with many concurrent starts', async () => {
      const native_id = world().name('native')
      const task_id = await world().task()
      const started = await Promise.all(Array.from({ length: 8 }, () => start({ task_id, native_id })))
      expect(new Set(started.map(({ id }) => Number(id))).size).toBe(1)
    })

    test('switches from one skill to the next in one session', async () => {
      const native_id = world().name('native')
      const agent_id = await world().agent()
      const first = await world().effort({ skill: 'brainstorm', agent_id })
      const { task_id } = first
      const session = await start({ task_id, effort_id: first.id, native_id })
      await world().call('db.session.heartbeat', { session_id: session.id })
      await world().call('db.effort.finish', { effort_id: first.id, abandon: 'no longer needed' })
      const second = await world().effort({ task_id, agent_id })
      const seq = await world().lastSeq()
      const moved = await start({ task_id, effort_id: second.id, native_id })
      expect(moved).toMatchObject({ id: session.id, effort_id: second.id, agent_id, heartbeat_counter: 0 })
      expect(await world().since(seq)).toMatchObject([
        { event_type: 'session.switched', effort_id: second.id, payload: { from_effort: first.id } },
      ])
    })

    test('that switches to the effort of an agent works for that agent', async () => {
      const native_id = world().name('native')
      const session = await start({ native_id })
      const agent_id = await world().agent()
      const before = await start({ agent_id })
      const effort = await world().effort({ task_id: session.task_id, agent_id })
      const moved = await start({ task_id: session.task_id, effort_id: effort.id, native_id })
      expect(moved).toMatchObject({ id: session.id, agent_id })
      expect(await now(before)).toMatchObject({ ended_reason: 'superseded' })
      expect(await world().call('db.session.find', { agent_id, open: true })).toMatchObject([
        { id: session.id },
      ])
    })

    test('after a compaction is a new session with a link to the old one', async () => {
      const native_id = world().name('native')
      const before = await start({ native_id })
      const { task_id } = before
      const after = await start({ task_id, native_id, prev_session_id: before.id })
      expect(after.id).not.toBe(before.id)
      expect(after).toMatchObject({ native_id, prev_session_id: before.id })
      expect(await now(before)).toMatchObject({ ended_reason: 'continued' })
      expect(await start({ task_id, native_id })).toEqual(after)
    })

    test('never has two open sessions, even when it continues an older one', async () => {
      const native_id = world().name('native')
      const oldest = await start()
      const { task_id } = oldest
      const open = await start({ task_id, native_id })
      const after = await start({ task_id, native_id, prev_session_id: oldest.id })
      expect(await now(open)).toMatchObject({ ended_reason: 'superseded' })
      expect(await world().call('db.session.find', { native_id, open: true })).toMatchObject([
        { id: after.id },
      ])
    })

    test('that has ended starts a new session', async () => {
      const native_id = world().name('native')
      const before = await start({ native_id })
      await finish(before)
      expect((await start({ task_id: before.task_id, native_id })).id).not.toBe(before.id)
    })
  })

  describe('heartbeats', () => {
    test('are visible at once, add up, and end with the session', async () => {
      const session = await start()
      const { id: session_id } = session
      world().advance(5000)
      const beat = () => world().call('db.session.heartbeat', { session_id })
      expect(await beat()).toMatchObject({ session_id, heartbeat_counter: 1 })
      expect(await beat()).toMatchObject({ heartbeat_counter: 2 })
      expect((await now(session)).last_heartbeat > session.last_heartbeat).toBe(true)
      await world().call('db.session.updateContextUsage', { session_id, usage: 0.8 })
      await world().call('db.session.updateContextUsage', { session_id, usage: 0.25 })
      await world().call('db.session.updateLoadedFiles', { session_id, files: ['/a', '/b'] })
      await world().call('db.session.updateLoadedFiles', { session_id, files: ['/b', '/c'] })
      const expected = { heartbeat_counter: 2, context_usage: 0.25, loaded_files: ['/a', '/b', '/c'] }
      expect(await now(session)).toMatchObject(expected)
      expect(await finish(session)).toMatchObject(expected)
      for (const [method, params] of [
        ['heartbeat', {}],
        ['updateContextUsage', { usage: 0.5 }],
        ['updateLoadedFiles', { files: ['/d'] }],
      ] as const)
        expect(await failure(world().call(`db.session.${method}`, { session_id, ...params }))).toMatchObject({
          code: 'conflict',
          field: 'session_id',
        })
      expect(await now(session)).toMatchObject(expected)
    })

    test('that are concurrent all count', async () => {
      const { id: session_id } = await start()
      await Promise.all(
        Array.from({ length: 20 }, () => world().call('db.session.heartbeat', { session_id })),
      )
      expect(await now({ id: session_id })).toMatchObject({ heartbeat_counter: 20 })
    })

    test('show silent sessions, including the state in memory', async () => {
      const task_id = await world().task()
      const [silent, alive, gone] = [
        await start({ task_id }),
        await start({ task_id }),
        await start({ task_id }),
      ]
      await finish(gone)
      world().advance(400_000)
      await world().call('db.session.heartbeat', { session_id: alive.id })
      const find = async (seconds: number) =>
        (await world().call('db.session.find', { task_id, silent_for_seconds: seconds })).map(
          ({ id }: Answer) => id,
        )
      expect(await find(300)).toEqual([silent.id])
      expect(await find(500)).toEqual([])
      expect(await find(0)).toEqual([alive.id, silent.id])
    })

    test('of a session that does not exist are refused', async () => {
      for (const [method, params] of [
        ['heartbeat', {}],
        ['finish', {}],
        ['updateContextUsage', { usage: 0.5 }],
        ['updateLoadedFiles', { files: [] }],
      ] as const)
        expect(
          await failure(world().call(`db.session.${method}`, { session_id: 999_999_999, ...params })),
        ).toMatchObject({ code: 'not-found', field: 'session_id' })
    })
  })
}
