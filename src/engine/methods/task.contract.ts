import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { failure, folderAt, type World } from '../world.contract.ts'

/** What tasks promise. */
export function taskContract(world: () => World): void {
  describe('a task', () => {
    test('is created once and keeps values that are not given', async () => {
      const dir_path = join(world().project, world().name('task'))
      const seq = await world().lastSeq()
      const created = await world().call('db.task.upsert', { dir_path, title: 'T', workspace: 'w' })
      expect(created).toMatchObject({ dir_path, title: 'T', workspace: 'w', project_id: world().projectId })
      const changed = await world().call('db.task.upsert', { dir_path, description: 'D' })
      expect(changed).toEqual({ ...created, description: 'D' })
      expect(await world().call('db.task.upsert', { dir_path })).toEqual(changed)
      const told = (await world().since(seq)).map(({ event_type }) => event_type)
      expect(told).toEqual(['task.created', 'task.updated'])
    })

    test('belongs to the innermost project around it, and to none outside', async () => {
      const inner = await world().task()
      const { id } = await world().call('db.project.upsert', { path: await folderAt(inner) })
      const task = await world().call('db.task.upsert', { dir_path: join(inner, 'deep', 'er') })
      expect(task.project_id).toBe(id)
      const outside = await failure(world().call('db.task.upsert', { dir_path: '/nowhere/at/all' }))
      expect(outside).toMatchObject({
        code: 'not-found',
        message: '/nowhere/at/all is not inside a registered project.',
        hint: 'holdfast project upsert .',
      })
    })

    test('is a folder, or will be one', async () => {
      const file = join(world().project, world().name('file'))
      await writeFile(file, '')
      for (const dir_path of [file, join(file, 'below'), join(file, 'far', 'below'), '/dev/null'])
        expect(await failure(world().call('db.task.upsert', { dir_path }))).toMatchObject({
          code: 'invalid',
          field: 'dir_path',
          message: expect.stringContaining(`not a folder`),
        })
      const dir_path = join(world().project, world().name('not'), 'yet')
      expect(await world().call('db.task.upsert', { dir_path })).toMatchObject({ dir_path })
    })

    test('is one task through any link', async () => {
      const task_id = await folderAt(await world().task())
      const link = join(world().project, world().name('link'))
      await symlink(task_id, link)
      const effort = await world().effort({ task_id: link })
      expect(effort.task_id).toBe(task_id)
      const session = await world().call('db.session.start', { task_id: link })
      for (const method of ['db.effort.findActive', 'db.effort.list', 'db.session.find'])
        expect(await world().call(method, { task_id: link })).toMatchObject([{ task_id }])
      expect(session.task_id).toBe(task_id)
    })

    test('whose path does not resolve is an error that names the parameter', async () => {
      const link = join(world().project, world().name('link'))
      await symlink('/no/where', link)
      for (const [method, params] of [
        ['db.task.upsert', { dir_path: link }],
        ['db.task.list', { project: link }],
        ['db.effort.start', { task_id: link, skill: 's' }],
        ['db.effort.findActive', { task_id: link }],
        ['db.session.start', { task_id: link }],
        ['db.project.upsert', { path: link }],
      ] as const)
        expect(await failure(world().call(method, params))).toMatchObject({
          code: 'forbidden',
          field: Object.keys(params)[0],
        })
    })

    test('is found by all words of a query, in any of its texts', async () => {
      const dir_path = join(world().project, world().name('find'))
      const text = { title: 'Ärger mit 100%_Rabatt', description: 'the LOGIN page', workspace: 'apps/x' }
      await world().call('db.task.upsert', { dir_path, ...text })
      const found = async (query: string, more: object = {}) =>
        (await world().call('db.task.find', { query, ...more })).map(
          (task: { dir_path: string }) => task.dir_path,
        )
      for (const query of ['rabatt login', 'LOGIN', 'Ärger', '100%_', dir_path, `${dir_path} page`])
        expect([query, ...(await found(query))]).toEqual([query, dir_path])
      for (const query of ['rabatt logout', '100x', '%%%', String.raw`\\`])
        expect(await found(query)).toEqual([])
      expect(await found('rabatt', { workspace: 'apps/x', project: world().projectId })).toEqual([dir_path])
      expect(await found('rabatt', { workspace: 'apps' })).toEqual([])
      expect(await found('rabatt', { project: world().project })).toEqual([dir_path])
    })

    test('is listed page by page', async () => {
      const all = await world().call('db.task.list', { limit: 1000 })
      const pages = []
      for (let offset = 0; offset < all.length; offset += 2)
        pages.push(...(await world().call('db.task.list', { limit: 2, offset })))
      expect(pages).toEqual(all)
      expect(await failure(world().call('db.task.list', { project: '/no/such/project' }))).toMatchObject({
        code: 'not-found',
        field: 'project',
        hint: 'holdfast project list',
      })
    })
  })
}
