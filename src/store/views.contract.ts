import { describe, expect, test } from 'vitest'
import { queryOf } from './query.ts'
import type { Open } from './open.contract.ts'
import { insert, LONG_AGO, migrated } from './constraints.contract.ts'

/** What the views must show on any database. */
export function viewsContract(open: Open): void {
  const world = async () => {
    const it = await migrated(open)
    const view = (name: string) =>
      it.store.transact((tx) => tx.execute<object>({ sql: `select * from ${name}`, parameters: [] }))
    await it.store.transact(async (tx) => {
      await insert(tx, 'projects', { path: '/p' })
      await insert(tx, 'projects', { path: '/q' })
      await insert(tx, 'tasks', { dir_path: '/p/t', project_id: 1 })
      await insert(tx, 'tasks', { dir_path: '/p/idle', project_id: 1 })
      await insert(tx, 'efforts', { task_id: '/p/t', skill: 'do', ordinal: 0 })
    })
    return { ...it, view, add: it.store.transact.bind(it.store) }
  }

  describe('the views', () => {
    test('the latest skill of a task is the one with the highest ordinal, not the last in the alphabet', async () => {
      await using it = await world()
      await it.add(async (tx) => {
        await insert(tx, 'efforts', { task_id: '/p/t', skill: 'write', ordinal: 1 })
        const ended = { lifecycle: 'finished', finished_at: LONG_AGO }
        await insert(tx, 'efforts', { task_id: '/p/t', skill: 'analyze', ordinal: 2, ...ended })
      })
      expect(await it.view('task_summary order by dir_path')).toMatchObject([
        { dir_path: '/p/idle', effort_count: 0, active_count: 0, latest_skill: null, last_activity: null },
        { dir_path: '/p/t', effort_count: 2, active_count: 1, latest_skill: 'analyze' },
      ])
    })

    test('the ad-hoc effort makes a task neither active nor worked on', async () => {
      await using it = await world()
      expect(await it.view(`task_summary where dir_path = '/p/t'`)).toMatchObject([
        { effort_count: 0, active_count: 0, latest_skill: null },
      ])
      expect(await it.view('active_efforts')).toEqual([])
    })

    test('an active effort is listed once even if two workplaces know its skill', async () => {
      await using it = await world()
      await it.add(async (tx) => {
        await insert(tx, 'workplaces', { id: 11, project_id: 1, path: '/p/main' })
        await insert(tx, 'workplaces', { id: 12, project_id: 1, path: '/p/branch' })
        await insert(tx, 'skills', { project_id: 1, workplace_id: 11, name: 'brainstorm' })
        await insert(tx, 'skills', { project_id: 1, workplace_id: 12, name: 'brainstorm' })
        await insert(tx, 'skills', { project_id: 1, workplace_id: 12, name: 'elsewhere' })
        const here = { task_id: '/p/t', workplace_id: 11 }
        await insert(tx, 'efforts', { ...here, skill: 'brainstorm', ordinal: 1 })
        await insert(tx, 'efforts', { ...here, skill: 'elsewhere', ordinal: 2 })
        const ended = { lifecycle: 'finished', finished_at: LONG_AGO }
        await insert(tx, 'efforts', { task_id: '/p/t', skill: 'brainstorm', ordinal: 3, ...ended })
      })
      expect(await it.view('active_efforts order by ordinal')).toMatchObject([
        { ordinal: 1, project_id: 1, skill_name: 'brainstorm' },
        { ordinal: 2, project_id: 1, skill_name: null },
      ])
    })

    test('an agent whose effort has two open sessions is listed once, with the newest', async () => {
      await using it = await world()
      await it.add(async (tx) => {
        await insert(tx, 'efforts', { task_id: '/p/t', skill: 'brainstorm', ordinal: 1 })
        await insert(tx, 'agents', { id: 'fox', label: 'Fox', effort_id: 2 })
        await insert(tx, 'agents', { id: 'owl' })
        for (const heartbeat_counter of [1, 2])
          await insert(tx, 'sessions', { task_id: '/p/t', effort_id: 2, heartbeat_counter })
        const ended = { ended_at: LONG_AGO, ended_reason: 'finished' }
        await insert(tx, 'sessions', { task_id: '/p/t', effort_id: 2, heartbeat_counter: 3, ...ended })
      })
      expect(await it.view('fleet_status')).toMatchObject([
        {
          agent: 'fox',
          label: 'Fox',
          skill: 'brainstorm',
          project_id: 1,
          session_id: 2,
          heartbeat_counter: 2,
        },
      ])
    })

    test('the time until a silent session is stale is a setting', async () => {
      await using it = await world()
      const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
      await it.add(async (tx) => {
        const session = { task_id: '/p/t', effort_id: 1 }
        await insert(tx, 'sessions', { ...session, last_heartbeat: minutesAgo(4) })
        await insert(tx, 'sessions', { ...session, last_heartbeat: minutesAgo(6) })
        await insert(tx, 'sessions', { ...session, created_at: minutesAgo(6) })
        const ended = { ended_at: LONG_AGO, ended_reason: 'finished' }
        await insert(tx, 'sessions', { ...session, ...ended, last_heartbeat: LONG_AGO })
      })
      const stale = async () => (await it.view('stale_sessions order by id')) as { id: number }[]
      expect(await stale()).toMatchObject([
        { id: 2, task_dir: '/p/t' },
        { id: 3, task_dir: '/p/t' },
      ])
      const setting = (value: string) =>
        it.add((tx) =>
          queryOf(tx, (db) =>
            db.updateTable('settings').set({ value }).where('name', '=', 'stale_after_seconds'),
          ),
        )
      await setting('200')
      expect((await stale()).map(({ id }) => id)).toEqual([1, 2, 3])
      await setting('3600')
      expect(await stale()).toEqual([])
    })
  })
}
