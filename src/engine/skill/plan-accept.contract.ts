import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { byUser, reasonOf } from '../hook/client.contract.ts'
import { openStore } from '../../store/store.ts'
import { call } from '../call/call.ts'
import { type Answer, type World, writeFiles } from '../world.contract.ts'

import { editsIn, FREE } from './edits-in.contract.ts'

/** How an edited plan comes into force, and what every reader of the plan makes of it. */
export function planAcceptContract(world: () => World): void {
  const { bash, begun } = editsIn(world)

  describe('an accepted edit', () => {
    test('keeps the progress of steps that still exist, and says what it changes', async () => {
      const { it, id, sync, accept, entries, shown } = await begun('strict')
      await it.read(it.flow('steps/think.md'))
      await rm(it.flow('steps/think.md'))
      await writeFile(it.flow('steps/do.md'), '---\nconsumes: [view]\nproduces: [result]\n---\n')
      await writeFile(it.flow('steps/tell.md'), '---\nconsumes: [result]\nproduces: [word]\n---\n')
      await sync()
      expect(await accept()).toMatchObject({
        effort_id: id,
        added: ['tell'],
        removed: ['think'],
        changed: ['do'],
        steps_kept: ['look'],
        steps_dropped: ['think'],
        next: [`read ${it.flow('steps/do.md')}`],
      })
      const [edited, accepted] = await entries()
      expect(accepted).toMatchObject({
        event_type: 'plan.accepted',
        payload: { by: 'user', from: edited?.payload.from, to: edited?.payload.to },
      })
      expect(edited?.payload.from).not.toBe(edited?.payload.to)
      expect((await shown()).plan_edit).toBeNull()
      expect((await it.read(it.flow('steps/tell.md'))).decision).toBe('block')
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('allow')
    })

    test('is read from the files when it is accepted', async () => {
      for (const level of ['enforce', 'strict']) {
        const { it, accept, isGated } = await begun(level)
        await byUser(it.project, () => writeFile(it.flow('steps/do.md'), FREE))
        expect(await accept()).toMatchObject({ changed: ['do'] })
        expect(await isGated()).toBe(false)
      }
    })

    test('must have a step that the effort has done', async () => {
      const { it, sync, accept } = await begun('strict')
      await rm(it.flow('steps'), { recursive: true })
      await writeFiles({ 'steps/new.md': FREE }, it.flow('.'))
      await sync()
      await expect(accept()).rejects.toMatchObject({
        message: expect.stringContaining('none of the steps that effort'),
        hint: expect.stringContaining('holdfast effort start'),
      })
    })
  })

  test('an effort of an older version keeps the plan that was stored before the next edit', async () => {
    const { it, id, sync, isGated, entries } = await begun('strict')
    const sql = `update efforts set plan_digest = null where id = ${id}`
    await world().store.transact((tx) => tx.execute({ sql, parameters: [] }))
    await writeFile(it.flow('steps/do.md'), FREE)
    await sync()
    expect(await isGated()).toBe(true)
    expect(await entries()).toMatchObject([{ event_type: 'plan.edited' }])
  })

  test('two daemons on one database agree on the plan, and one accept counts for both', async () => {
    const { it, id, isGated } = await begun('strict')
    const { context, opened } = world()
    const other = await openStore(opened.database, { clock: context.clock })
    const caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }
    const second = (method: string, params: object) =>
      call({ ...context, store: other }, method, params, caller) as Promise<Answer>
    const [project] = await it.rows(`select id from projects where path = '${it.project}'`)
    await writeFile(it.flow('steps/do.md'), FREE)
    await second('agent.skills.list', { project_id: project.id })
    const shown = await Promise.all(
      [second, world().call].map((ask) => ask('db.effort.get', { effort_id: id })),
    )
    expect(shown.map(({ plan_edit }) => plan_edit)).toEqual(
      shown.map(() => expect.stringContaining(`holdfast effort accept ${id}`)),
    )
    expect(await isGated()).toBe(true)
    await second('db.effort.accept', { effort_id: id })
    expect(await isGated()).toBe(false)
  })

  test('a refusal names the steps of the plan that the effort keeps', async () => {
    const { it, sync } = await begun()
    await bash(it, 'rm', () => rm(it.flow('steps/think.md')))
    await sync()
    expect(reasonOf(await it.read(it.flow('steps/do.md')))).toContain(it.flow('steps/think.md'))
  })

  test('a folder that was removed gates nothing that others read', async () => {
    const { it, sync } = await begun()
    await mkdir(join(it.project, 'docs'), { recursive: true })
    await bash(it, 'rm', () => rm(it.flow('.'), { recursive: true }))
    await sync()
    expect((await it.read(join(it.project, 'docs/a.md'))).decision).toBe('allow')
  })
}
