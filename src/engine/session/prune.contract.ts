import { expect, test } from 'vitest'
import { timestamp } from '../../model/clock.ts'
import { pruneMessages } from '../../store/prune.ts'
import { clientAt, type ClientAt } from '../hook/client.contract.ts'
import type { World } from '../world.contract.ts'

const DAY = 24 * 3600 * 1000
const CALLS = 30

/** Pruning deletes what no view of an effort shows. */
export function pruneContract(world: () => World): void {
  const works = async (it: ClientAt) => {
    for (let call = 0; call < CALLS; call++) await it.use('Bash', { command: `ls ${call}` })
    await it.fire('SessionEnd', { reason: 'other' })
  }
  const toolMessages = async ({ session, rows }: ClientAt): Promise<number> => {
    const [found] =
      await rows(`select count(*) as count from messages m join sessions s on s.id = m.session_id
      where s.native_id = '${session}' and m.role = 'tool'`)
    return found?.count
  }
  const prune = async (days: number) => {
    const { context, store } = world()
    const before = timestamp(context.clock.now() - days * DAY)
    const told = await pruneMessages(store, { before, dryRun: true })
    const pruned = await pruneMessages(store, { before })
    expect(pruned).toEqual(told)
    return pruned.messages
  }
  /** All that commands and recaps show of a client's efforts. */
  const toldOf = async (it: ClientAt) => {
    const { call } = world()
    const told: unknown[] = [await call('db.project.status', { path: it.project })]
    told.push(
      await call('db.effort.recap', { path: it.project }),
      await call('db.session.list', { path: it.project }),
    )
    for (const { id } of await it.efforts())
      for (const method of ['db.effort.recap', 'db.effort.validate', 'db.effort.get'])
        told.push(await call(method, { effort_id: id }))
    return told
  }
  const clients = async () => {
    const [open, adHoc, finished] = [
      await clientAt(world()),
      await clientAt(world()),
      await clientAt(world()),
    ]
    for (const it of [open, adHoc, finished]) await it.start()
    for (const it of [open, finished]) {
      await it.prompt('/flow')
      await it.read(it.flow('steps/look.md'))
    }
    for (const it of [open, adHoc, finished]) await works(it)
    const [effort] = await finished.efforts()
    await world().call('db.effort.finish', { effort_id: effort?.id, abandon: 'no longer needed' })
    await world().store.flush()
    return { open, adHoc, finished }
  }

  test('tool messages of ended sessions go after their time, and nothing else changes', async () => {
    const { open, adHoc, finished } = await clients()
    await prune(30)
    expect(await toolMessages(adHoc)).toBe(CALLS)
    world().advance(31 * DAY)
    world().holdTime(true)
    const all = [open, adHoc, finished]
    const [before, kept] = [[], await world().everything()] as [unknown[], Record<string, unknown[]>]
    for (const it of all) before.push(await toldOf(it))
    expect(await prune(30)).toBeGreaterThanOrEqual(2 * CALLS)
    const after: unknown[] = []
    for (const it of all) after.push(await toldOf(it))
    expect(after).toEqual(before)
    expect([await toolMessages(adHoc), await toolMessages(finished)]).toEqual([0, 0])
    expect(await toolMessages(open)).toBe(CALLS + 1)
    const { messages, ...others } = await world().everything()
    expect(messages?.length).toBeLessThan(kept['messages']?.length ?? 0)
    for (const [table, rows] of Object.entries(others)) expect([table, rows]).toEqual([table, kept[table]])
    expect(await prune(30)).toBe(0)
    world().holdTime(false)
  })

  test('a session that goes on keeps the messages of its earlier windows', async () => {
    const it = await clientAt(world())
    await it.start()
    await works(it)
    await world().store.flush()
    world().advance(31 * DAY)
    await it.start('resume')
    await prune(30)
    expect(await toolMessages(it)).toBe(CALLS)
  })
}
