import { describe, expect, test } from 'vitest'
import type { World } from '../world.contract.ts'

/** What a client with this context usage gives to its status line. */
const told = (session_id: string, percent: number | null, window = 200_000) => ({
  payload: {
    session_id,
    context_window: {
      used_percentage: percent,
      context_window_size: window,
      current_usage:
        percent === null ? null : { input_tokens: 1000, cache_read_input_tokens: 2000, output_tokens: 5 },
    },
  },
})

/** What a status line shows and what its client reports with it, on any database. */
export function statusLineContract(world: () => World): void {
  const show = (native: string, percent: number | null) =>
    world().call('statusline.show', told(native, percent))

  async function atWork(ordinal = 1) {
    const task = await world().task()
    const native = world().name('native')
    for (let started = 1; started < ordinal; started++) {
      const { id } = await world().effort({ task_id: task })
      await world().call('db.effort.finish', { effort_id: id, abandon: 'no longer needed' })
    }
    const effort = await world().effort({ task_id: task })
    const { id } = await world().call('db.session.start', {
      task_id: task,
      effort_id: effort.id,
      native_id: native,
    })
    return { native, session: id as number, effort: effort.id as number }
  }

  describe('the status line', () => {
    test('shows the position of the effort and the context usage', async () => {
      const { native, session, effort } = await atWork(2)
      expect(await show(native, null)).toEqual({ line: '[2:implement]', session_id: session, context: null })
      await world().call('db.effort.phase', { effort_id: effort, label: '0' })
      expect(await show(native, 62)).toEqual({
        line: '[2:implement:P0] 62%',
        session_id: session,
        context: { usage: 0.62, tokens: 3000, window: 200_000 },
      })
    })

    test('keeps the last measurement while the client reports none', async () => {
      const { native } = await atWork()
      await show(native, 30)
      await world().store.flush()
      expect(await show(native, null)).toMatchObject({ line: '[implement] 30%', context: { usage: 0.3 } })
    })

    test.each([
      [0, '0%'],
      [100, '100%'],
      [104, '100%'],
      [-1, '0%'],
    ])('at %d percent shows %s', async (percent, text) => {
      const { native } = await atWork()
      expect(await show(native, percent)).toMatchObject({ line: `[implement] ${text}` })
    })

    test('is empty without an effort: no session, an unknown session, the ad-hoc effort, a finished one', async () => {
      expect(await world().call('statusline.show', { payload: null })).toEqual({ line: '' })
      expect(await show('unknown', 5)).toEqual({ line: '' })
      const native = world().name('native')
      await world().call('db.session.start', { task_id: await world().task(), native_id: native })
      expect(await show(native, 5)).toMatchObject({ line: '', context: { usage: 0.05 } })
      const finished = await atWork()
      await world().call('db.effort.finish', { effort_id: finished.effort, abandon: 'no longer needed' })
      expect(await show(finished.native, 5)).toMatchObject({ line: '' })
    })

    test('of a session that has ended is empty', async () => {
      const { native, session } = await atWork()
      await world().call('db.session.finish', { session_id: session })
      expect(await show(native, 5)).toEqual({ line: '' })
    })

    test('cannot be forged by the name of a skill', async () => {
      const { native, effort } = await atWork()
      await world().store.transact(async (tx) => {
        await tx.execute({
          sql: `update efforts set skill = 'a' || cast(${tx.kind === 'sqlite' ? 'char(10)' : 'chr(10)'} as text) || 'b' where id = ${effort}`,
          parameters: [],
        })
      })
      expect((await show(native, null)).line).not.toContain('\n')
    })
  })

  test('a measurement is visible to readers of the session at once, and stays when written', async () => {
    const { native, session } = await atWork()
    const usage = async () => (await world().session(session)).context_usage as number | null
    expect(await usage()).toBeNull()
    await show(native, 41)
    expect(await usage()).toBe(0.41)
    await world().store.flush()
    expect(await usage()).toBe(0.41)
  })

  test('measuring the same value again needs no commit', async () => {
    const { native } = await atWork()
    await show(native, 10)
    await world().store.flush()
    const { committed } = world().watch
    const writes = () => committed.flat().filter((sql) => sql.startsWith('update "sessions"')).length
    const before = writes()
    for (let times = 0; times < 20; times++) await show(native, 10)
    expect(world().store.volatile.isEmpty()).toBe(true)
    expect(writes()).toBe(before)
  })
}
