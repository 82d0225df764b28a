import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { failure, folderAt, type World } from '../world.contract.ts'

/** What projects promise. */
export function projectContract(world: () => World): void {
  describe('a project', () => {
    test('is registered once, whatever link leads to it, and keeps its name', async () => {
      const path = await folderAt(join(world().project, world().name('project')))
      const link = join(world().project, world().name('link'))
      await symlink(path, link)
      const seq = await world().lastSeq()
      const project = await world().call('db.project.upsert', { path: link, name: 'One' })
      expect(project).toMatchObject({ path, name: 'One' })
      expect(await world().call('db.project.upsert', { path })).toEqual(project)
      expect(await world().call('db.project.upsert', { path, name: 'Two' })).toMatchObject({ name: 'Two' })
      expect((await world().since(seq)).map(({ event_type }) => event_type)).toEqual([
        'project.registered',
        'project.renamed',
      ])
      const listed = await world().call('db.project.list')
      expect(listed).toContainEqual({ ...project, name: 'Two' })
    })

    test('has its own level, or else the default, and changes are in the ledger', async () => {
      const { call, name, project, lastSeq, since } = world()
      const path = await folderAt(join(project, name('project')))
      const level = async () =>
        (await call('db.project.list')).find((one: { path: string }) => one.path === path).level
      expect(await call('db.project.upsert', { path })).toMatchObject({ level: 'enforce' })
      const seq = await lastSeq()
      await call('db.project.setLevel', { level: 'observe' })
      expect(await level()).toBe('observe')
      await call('db.project.setLevel', { path, level: 'strict' })
      await call('db.project.setLevel', { level: 'enforce' })
      expect(await level()).toBe('strict')
      expect(await call('db.project.upsert', { path })).toMatchObject({ level: 'strict' })
      await call('db.project.setLevel', { path, level: 'strict' })
      expect((await since(seq)).map(({ event_type, payload }) => [event_type, payload])).toEqual([
        ['project.level', { level: 'observe', before: 'enforce', path: null }],
        ['project.level', { level: 'strict', before: 'observe', path }],
        ['project.level', { level: 'enforce', before: 'observe', path: null }],
      ])
      expect(
        await failure(call('db.project.setLevel', { path: '/no/such/project', level: 'observe' })),
      ).toMatchObject({ code: 'not-found' })
    })

    test.each(['/', '/no/such/folder', '/dev/null'])('cannot be %s', async (path) => {
      expect(await failure(world().call('db.project.upsert', { path }))).toMatchObject({
        code: 'invalid',
        field: 'path',
      })
    })

    test('cannot be our home or a folder in it, whatever link leads there', async () => {
      const { home, project, name, call } = world()
      const link = join(project, name('link'))
      await symlink(home, link)
      for (const path of [home, await folderAt(join(home, 'inner')), join(home, 'not-there'), link])
        expect(await failure(call('db.project.upsert', { path }))).toMatchObject({
          code: 'forbidden',
          field: 'path',
        })
    })
  })
}
