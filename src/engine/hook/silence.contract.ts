import { describe, expect, test } from 'vitest'
import { begunAt, type ClientAt, clientIn, contextOf } from './client.contract.ts'
import type { World } from '../world.contract.ts'
import { STARTED } from '../../rules/told/words.ts'

/** How stale and ended sessions are distinguished from active ones. */
export function hookSilenceContract(world: () => World): void {
  const begun = () => begunAt(world())
  const STALE = 400_000

  describe('a silent client', () => {
    test('and returns without a start event is active again, and its steps are guarded', async () => {
      const it = await begun()
      world().advance(STALE)
      await clientIn(world(), it.project).start()
      expect(await it.spans()).toEqual(['flow completed look'])
      const back = await it.fire('PreToolUse', {
        tool_name: 'Read',
        tool_input: { file_path: it.flow('steps/do.md') },
      })
      expect(back.decision).toBe('block')
      expect(contextOf(back)).toContain(`${STARTED}: look`)
      expect((await it.read(it.flow('steps/think.md'))).decision).toBe('allow')
      expect(await it.spans()).toEqual(['flow completed look', 'flow active think'])
      expect(await it.efforts()).toHaveLength(1)
    })

    test('is shown with its effort as silent, also after another session has started, until it ends', async () => {
      const it = await begun()
      const shown = async () => (await world().call('db.project.status', { path: it.project })).efforts[0]
      const [{ id }] = (await it.windows()) as [{ id: number }]
      world().advance(STALE)
      await clientIn(world(), it.project).start()
      expect(await shown()).toMatchObject({ session: { id, native_id: it.session }, is_set_aside: false })
      await it.prompt('go on')
      await it.fire('SessionEnd', { reason: 'other' })
      expect(await shown()).toMatchObject({ session: null, is_set_aside: false })
    })

    test('and returns after another session took over its effort does not share it', async () => {
      const it = await begun()
      world().advance(STALE)
      const other = clientIn(world(), it.project)
      await other.start()
      await other.prompt('/flow --continue')
      await other.read(it.flow('steps/think.md'))
      await it.prompt('go on')
      expect(await it.spans()).toEqual(['flow completed look'])
      await it.prompt('/flow')
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('block')
      expect((await other.read(it.flow('steps/do.md'))).decision).toBe('allow')
      expect(await it.efforts()).toHaveLength(2)
    })

    test('is ended by the session that takes over its effort, even without a start event', async () => {
      const it = await begun()
      const other = clientIn(world(), it.project)
      await other.start()
      world().advance(STALE)
      await other.prompt('/flow --continue')
      await other.read(it.flow('steps/think.md'))
      expect(await it.efforts()).toHaveLength(1)
      const [window] = await it.windows()
      expect(window).toMatchObject({ ended_reason: 'orphaned' })
      const ended = { event_type: 'span.completed', session_id: it.session }
      const { id: effort_id } = (await it.efforts())[0]
      expect(await world().call('ledger.list', ended)).toMatchObject([
        { skill: 'flow', effort_id, window_id: window.id, payload: { orphaned: true } },
      ])
      await it.prompt('go on')
      expect(await it.spans()).toEqual(['flow completed look'])
      expect(await other.spans()).toEqual(['flow active think'])
    })

    test('and returns while its successor is silent too learns who has the effort, and can ask for it', async () => {
      const it = await begun()
      await it.fire('SessionEnd', { reason: 'other' })
      const other = clientIn(world(), it.project)
      await other.start()
      const [{ id: effort_id }] = await it.efforts()
      const go = ({ session: native_id }: ClientAt) =>
        world().call('commands.session.continue', { effort_id, native_id, client: 'claude-code' })
      await go(other)
      world().advance(STALE)
      expect(contextOf(await it.start('resume'))).toContain(other.session)
      expect(await it.spans()).toEqual(['flow completed look'])
      expect((await go(it)).markdown).toContain(`${STARTED}: look`)
      expect(await it.spans()).toEqual(['flow completed look', 'flow active'])
      expect(await other.spans()).toEqual(['flow completed'])
    })

    test('and reports a start is active again', async () => {
      const it = await begun()
      await world().store.flush()
      world().advance(STALE)
      await it.start('startup')
      await clientIn(world(), it.project).start()
      expect(await it.spans()).toEqual(['flow active look'])
    })

    test('with recent activity is not stale, and neither is its effort', async () => {
      const it = await begun()
      await world().store.flush()
      world().advance(STALE)
      await it.use('Bash', { command: 'true' })
      const other = clientIn(world(), it.project)
      await other.start()
      await other.prompt('/flow')
      expect(await it.spans()).toEqual(['flow active look'])
      expect(await it.efforts()).toHaveLength(2)
    })

    test('with a recent log entry keeps its effort', async () => {
      const it = await begun()
      const [effort] = await it.efforts()
      world().advance(STALE / 2)
      await world().call('commands.log.append', { effort_id: effort.id, text: 'Thinking.' })
      world().advance(STALE / 2)
      const other = clientIn(world(), it.project)
      await other.start()
      await other.prompt('/flow')
      expect(await it.spans()).toEqual(['flow active look'])
      expect(await it.efforts()).toHaveLength(2)
    })

    test('whose sub-agent works is not stale', async () => {
      const it = await begun()
      await world().store.flush()
      world().advance(STALE)
      await it.use('Bash', { command: 'true' }, { agent_id: 'a1', agent_type: 'x' })
      await clientIn(world(), it.project).start()
      expect(await it.spans()).toEqual(['flow active look'])
      await world().store.flush()
      expect(await it.windows()).toMatchObject([{ ended_at: null, heartbeat_counter: 1 }])
    })
  })

  describe('a window with recent activity', () => {
    const look = (it: ClientAt) => it.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } })
    const working = async () => {
      const it = await begun()
      await look(it)
      const [{ id, task_id }] = await it.windows()
      return { ...it, id: id as number, task_id: task_id as string }
    }
    const reasons = async (it: ClientAt) => {
      await world().store.flush()
      return (await it.windows()).map(({ ended_reason: reason }) => reason as string | null)
    }

    test.each([
      ['finished', ({ id }) => world().call('db.session.finish', { session_id: id })],
      ['continued', ({ id, task_id }) => world().call('db.session.start', { task_id, prev_session_id: id })],
      ['finished', (it) => it.fire('SessionEnd', { reason: 'other' })],
      [
        'orphaned',
        async (it) => {
          await world().store.flush()
          world().advance(STALE)
          await clientIn(world(), it.project).start()
        },
      ],
    ] satisfies [string, (it: Awaited<ReturnType<typeof working>>) => Promise<unknown>][])(
      'and is %s is no longer open: the next call opens another one',
      async (reason, end) => {
        const it = await working()
        await end(it)
        expect(await reasons(it)).toEqual([reason])
        await look(it)
        expect(await reasons(it)).toEqual([reason, null])
      },
    )

    test('and has a successor counts the calls of the new session', async () => {
      const it = await working()
      await it.start('compact')
      for (let calls = 0; calls < 3; calls++) await look(it)
      expect(await reasons(it)).toEqual(['continued', null])
      expect((await it.windows()).map(({ heartbeat_counter: beats }) => beats as number)).toEqual([2, 3])
    })

    test('and could not be ended continues', async () => {
      const it = await working()
      world().watch.failOn = /insert into "life_event"/
      await expect(world().call('db.session.finish', { session_id: it.id })).rejects.toThrow('made to fail')
      world().watch.failOn = undefined
      await look(it)
      expect(await reasons(it)).toEqual([null])
      expect(await it.windows()).toMatchObject([{ heartbeat_counter: 3 }])
    })
  })
}
