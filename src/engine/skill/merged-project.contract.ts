import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { git } from '../../../test/git.ts'
import { call } from '../call/call.ts'
import { clientIn, FLOW, reasonOf } from '../hook/client.contract.ts'
import { mergedText } from './entry.ts'
import { type World } from '../world.contract.ts'

import { addTree, BRANCHED, projectIn, repoIn, worktrees } from './workplace.contract.ts'

/** Worktrees that an older program stored as projects become one project. */
export function mergedProjectContract(world: () => World): void {
  const projectAt = (path: string) => projectIn(world(), path)
  const statusAt = (path: string) => world().call('db.project.status', { path })

  describe('a worktree that was a project of its own', () => {
    /** As an older program has stored it: both folders are repositories. */
    async function apart() {
      const main = repoIn(world())
      const tree = `${main}-tree`
      const [here, there] = [clientIn(world(), main), clientIn(world(), tree)]
      for (const [client, files] of [
        [here, FLOW],
        [there, BRANCHED],
      ] as const) {
        await mkdir(client.project)
        await git(client.project, 'init', '-q', '-b', 'main')
        await client.add('flow', files)
        await client.start()
        await client.prompt('/flow')
        await world().call('queue.add', { path: client.project, content: client.project })
      }
      await git(main, 'add', '.')
      await git(main, 'commit', '-qm', 'first')
      const [old, kept] = [await projectAt(tree), await projectAt(main)]
      expect(old.id).not.toBe(kept.id)
      await rename(tree, `${tree}-aside`)
      await git(main, 'worktree', 'prune')
      await addTree(main, tree)
      return { main, tree, here, there, old, kept }
    }

    test('is merged when it is next seen, with the stricter level, and its old id still works', async () => {
      const { main, tree, here, there, old, kept } = await apart()
      await world().call('db.project.setLevel', { path: main, level: 'observe' })
      const seq = await world().lastSeq()
      const [effort] = await there.efforts()
      const shown = async () => (await clientIn(world(), tree).start()).reply?.systemMessage
      const told = mergedText({ from: tree, into: main, level: 'enforce' })
      expect(await shown()).toContain(told)
      expect((await shown()) ?? '').not.toContain(told)
      expect(await projectAt(tree)).toMatchObject({
        id: kept.id,
        level: 'enforce',
        workplaces: [{ path: main }, { path: tree }],
      })
      const merged = (await world().since(seq)).filter(({ event_type }) => event_type === 'project.merged')
      expect(merged).toMatchObject([
        { project_id: kept.id, payload: { from: old.id, path: tree, level: 'enforce', before: 'observe' } },
      ])
      expect(await statusAt(main)).toMatchObject({ queue_open: 2, efforts_active: 2 })
      const rows = await world().call('ledger.list', { project_id: kept.id, limit: 1000 })
      expect(rows.map((row: { project_id: number }) => row.project_id)).toContain(old.id)
      expect(await world().call('ledger.list', { project_id: old.id, limit: 1000 })).toEqual(rows)
      expect(await world().call('queue.list', { project_id: old.id })).toHaveLength(2)
      expect(await world().call('db.project.list')).not.toContainEqual(
        expect.objectContaining({ id: old.id }),
      )
      // The session that was open goes on, judged by its own branch and the common level.
      expect(reasonOf(await there.read(there.flow('steps/think.md')))).toContain('"plan"')
      expect((await here.read(here.flow('steps/think.md'))).decision).toBe('block')
      expect(await there.efforts()).toMatchObject([{ id: effort.id, lifecycle: 'active' }])
    })

    test('brings its level and name to a repository that nobody has registered', async () => {
      const { main, tree, there } = await worktrees(world())
      await rename(join(tree, '.git'), `${tree}.git`)
      await mkdir(join(tree, '.git'))
      await there.start()
      await world().call('db.project.upsert', { path: tree, name: 'Ours' })
      await world().call('db.project.setLevel', { path: tree, level: 'observe' })
      await rm(join(tree, '.git'), { recursive: true })
      await rename(`${tree}.git`, join(tree, '.git'))
      await clientIn(world(), tree).start()
      expect(await projectAt(main)).toMatchObject({ path: main, name: 'Ours', level: 'observe' })
    })

    test('is merged once, even if both are seen at the same moment', async () => {
      const { main, tree, old, kept } = await apart()
      const seq = await world().lastSeq()
      await Promise.all([main, tree, tree].map((path) => clientIn(world(), path).start()))
      const merged = (await world().since(seq)).filter(({ event_type }) => event_type === 'project.merged')
      expect(merged).toMatchObject([{ payload: { from: old.id } }])
      expect((await projectAt(tree)).id).toBe(kept.id)
    })

    test('is a project again where a repository of its own takes its place', async () => {
      const { main, tree, old, kept } = await apart()
      await clientIn(world(), tree).start()
      await git(main, 'worktree', 'remove', '--force', tree)
      await mkdir(tree)
      await git(tree, 'init', '-q')
      const again = clientIn(world(), tree)
      await again.start()
      expect(await projectAt(tree)).toMatchObject({ id: old.id, path: tree, workplaces: [{ path: tree }] })
      expect(await projectAt(main)).toMatchObject({ id: kept.id, workplaces: [{ path: main }] })
    })
  })

  test('two machines with the same path have two workplaces of one project', async () => {
    const { main, here } = await worktrees(world())
    await here.start()
    const machine = { machine_id: 'another-machine', label: 'elsewhere', isRunning: () => true }
    const caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }
    await call({ ...world().context, machine }, 'db.project.upsert', { path: main }, caller)
    expect((await projectAt(main)).workplaces).toMatchObject([
      { path: main, machine: 'here', here: true },
      { path: main, machine: 'elsewhere', here: false },
    ])
  })
}
