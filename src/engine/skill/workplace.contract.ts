import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { git } from '../../../test/git.ts'
import { clientIn, contextOf, FLOW, reasonOf, skillOf } from '../hook/client.contract.ts'
import { failure, type World, writeFiles } from '../world.contract.ts'

/** The skill of the other branch: it thinks only after it has planned. */
export const BRANCHED = skillOf('flow', {
  plan: 'consumes: [user-request]\nproduces: [plan]',
  think: 'consumes: [plan]\nproduces: [idea]',
})

/** A folder that no project contains. */
export const repoIn = (world: World): string => join(dirname(world.project), world.name('repo'))

/** The project of a folder. */
export const projectIn = async (world: World, path: string) =>
  (await world.call('db.project.list', { path }))[0]

/** A repository with a skill, and a worktree with another version of that skill. */
export async function worktrees(world: World) {
  const main = repoIn(world)
  const tree = `${main}-tree`
  await mkdir(main)
  await git(main, 'init', '-q', '-b', 'main')
  await writeFiles({ 'src/file.txt': 'one\n' }, main)
  await clientIn(world, main).add('flow', FLOW)
  await git(main, 'add', '.')
  await git(main, 'commit', '-qm', 'first')
  await addTree(main, tree)
  return { main, tree, here: clientIn(world, main), there: clientIn(world, tree) }
}

export async function addTree(main: string, tree: string): Promise<void> {
  await git(main, 'worktree', 'add', '-q', '-b', 'other', tree)
  await rm(join(tree, '.claude/skills/flow'), { recursive: true })
  await writeFiles(BRANCHED, join(tree, '.claude/skills/flow'))
}

/** All worktrees of a repository are one project, and each is a workplace. */
export function workplaceContract(world: () => World): void {
  const projectAt = (path: string) => projectIn(world(), path)
  const statusAt = (path: string) => world().call('db.project.status', { path })

  describe('the worktrees of a repository', () => {
    test('are one project with one level, one queue and the efforts of both', async () => {
      const { main, tree, here, there } = await worktrees(world())
      for (const client of [here, there]) {
        await client.start()
        await client.prompt('/flow')
      }
      const project = await projectAt(main)
      expect(await projectAt(tree)).toEqual(project)
      expect(project).toMatchObject({
        path: main,
        workplaces: [
          { path: main, machine: 'here', here: true },
          { path: tree, machine: 'here', here: true },
        ],
      })
      await world().call('queue.add', { path: tree, content: 'Look again.' })
      expect(await world().call('queue.list', { path: main })).toMatchObject([{ content: 'Look again.' }])
      for (const path of [main, tree])
        expect(await statusAt(path)).toMatchObject({
          project,
          queue_open: 1,
          efforts_active: 2,
          efforts: [
            { task_id: expect.stringContaining(`${tree}/.holdfast/tasks/`), workplace: tree },
            { task_id: expect.stringContaining(`${main}/.holdfast/tasks/`), workplace: main },
          ],
        })
      await world().call('db.project.setLevel', { path: tree, level: 'observe' })
      expect((await here.read(here.flow('steps/think.md'))).decision).toBe('allow')
    })

    test('hear where the unfinished work of each other lives', async () => {
      const { main, tree, there } = await worktrees(world())
      await there.start()
      await there.prompt('/flow the attic')
      await there.fire('SessionEnd', { reason: 'other' })
      const [effort] = await there.efforts()
      const next = clientIn(world(), main)
      const started = await next.start()
      const place = `in ../${basename(tree)}`
      const offer = `effort ${effort.id} of flow, "the attic", not started, `
      expect(contextOf(started)).toMatch(new RegExp(`${offer}.*, ${place}: holdfast session continue`))
      expect(started.reply.systemMessage).toContain(`(effort ${effort.id} of flow, "the attic", ${place})`)
      expect(contextOf(await next.prompt('/flow other'))).toContain(`, ${place}. To resume it instead: `)
      const { text } = await world().call('db.effort.recap', { path: main, native_id: next.session })
      expect(text).toContain(`, ${place}: holdfast session continue`)
      expect(contextOf(await clientIn(world(), tree).start())).not.toContain(place)
    })

    test('have skills of their own, by which each session is judged', async () => {
      const { here, there } = await worktrees(world())
      for (const client of [here, there]) await client.start()
      expect(contextOf(await here.prompt('/flow'))).toContain(here.flow('steps/look.md'))
      expect(contextOf(await there.prompt('/flow'))).toContain(there.flow('steps/plan.md'))
      expect(reasonOf(await here.read(here.flow('steps/think.md')))).toContain('"view"')
      expect(reasonOf(await there.read(there.flow('steps/think.md')))).toContain('"plan"')
      await here.read(here.flow('steps/look.md'))
      await there.read(there.flow('steps/plan.md'))
      for (const client of [here, there])
        expect((await client.read(client.flow('steps/think.md'))).decision).toBe('allow')
      expect(await here.spans()).toEqual(['flow active look,think'])
      expect(await there.spans()).toEqual(['flow active plan,think'])
    })

    test('gate the steps of each other, by the plan of the session that reads them', async () => {
      const { here, there } = await worktrees(world())
      for (const client of [here, there]) await client.start()
      const think = there.flow('steps/think.md')
      expect((await here.read(think)).decision).toBe('allow')
      expect(await here.spans()).toEqual([])
      await here.prompt('/flow')
      expect(reasonOf(await here.read(think))).toContain('"view"')
      expect((await here.use('Bash', { command: `cat ${think}` })).decision).toBe('block')
      await here.read(here.flow('steps/look.md'))
      for (const path of [there.flow('steps/plan.md'), think])
        expect((await here.read(path)).decision).toBe('allow')
      expect(await here.spans()).toEqual(['flow active look,think'])
    })

    test('keep records apart: a file of one never makes a record of the other stale', async () => {
      const { main, tree, there, here } = await worktrees(world())
      for (const client of [here, there]) {
        await client.start()
        await client.prompt('/flow')
      }
      const [effort] = await there.efforts()
      const put = (path: string) =>
        world().call('artifact.put', { effort_id: effort.id, name: 'plan', path: join(path, 'src/file.txt') })
      expect(await failure(put(main))).toMatchObject({ code: 'forbidden' })
      await put(tree)
      const stale = async () => (await world().call('artifact.list', { effort_id: effort.id }))[0].stale
      await writeFile(join(main, 'src/file.txt'), 'two\n')
      expect(await stale()).toBe(false)
      await writeFile(join(tree, 'src/file.txt'), 'two\n')
      expect(await stale()).toBe(true)
    })

    test('share the session gate, which guards the files of all of them', async () => {
      const { tree, here, there } = await worktrees(world())
      for (const client of [here, there]) await client.start()
      const write = (path: string) => here.use('Bash', { command: `echo two > ${path}/src/file.txt` })
      expect((await write(tree)).decision).toBe('allow')
      await world().call('db.project.setSessionGate', { path: tree, on: true })
      for (const path of [here.project, tree]) expect((await write(path)).decision).toBe('block')
      expect((await write(dirname(tree))).decision).toBe('allow')
    })

    test('start and find efforts by the shell too', async () => {
      const { main, tree } = await worktrees(world())
      const start = (path: string) =>
        world().call('commands.effort.start', { dir: join(path, 'task'), skill: 'flow', cwd: path })
      for (const path of [main, tree]) await start(path)
      const { efforts } = await statusAt(main)
      expect(efforts.map(({ workplace }: { workplace: string }) => workplace)).toEqual([tree, main])
      expect(efforts[0].next).toContain('plan')
      expect(efforts[1].next).toContain('look')
    })

    test('belong to the project before anybody has worked there, but only workplaces can be read', async () => {
      const { main, tree, here, there } = await worktrees(world())
      await here.start()
      const { id } = await projectAt(main)
      expect(await statusAt(tree)).toMatchObject({ project: { id } })
      const file = { path: join(tree, 'src/file.txt') }
      expect(await failure(world().call('fs.files.read', file))).toMatchObject({ code: 'forbidden' })
      await there.start()
      expect(await world().call('fs.files.read', file)).toMatchObject({ content: 'one\n' })
    })

    test('can be removed: their efforts stay, and continue in another workplace with the plan that they keep', async () => {
      const { main, tree, there } = await worktrees(world())
      await there.start()
      await there.prompt('/flow')
      await there.read(there.flow('steps/plan.md'))
      const [effort] = await there.efforts()
      await there.fire('SessionEnd', { reason: 'other' })
      expect(await statusAt(main)).toMatchObject({ workplaces_gone: [] })
      await git(main, 'worktree', 'remove', '--force', tree)
      // The watcher deletes the skills of a folder that is gone.
      const { id: project_id } = await projectAt(main)
      await world().call('db.skills.delete', { project_id, path: tree, name: 'flow' })
      expect(await statusAt(main)).toMatchObject({
        workplaces_gone: [tree],
        efforts: [{ id: effort.id, workplace: tree, position: '0 of 2 steps done, started: plan' }],
        next: `holdfast session continue ${effort.id}`,
      })
      const heir = clientIn(world(), main)
      await heir.start()
      const look = { effort_id: effort.id, cwd: main }
      expect(await world().call('commands.session.continue', look)).toMatchObject({ state: 'shown' })
      expect(await statusAt(main)).toMatchObject({ efforts: [{ id: effort.id, workplace: tree }] })
      const wish = { effort_id: effort.id, native_id: heir.session, client: 'claude-code', cwd: main }
      const { markdown } = await world().call('commands.session.continue', wish)
      expect(markdown).toContain(`then do step "think" (read ${heir.flow('steps/think.md')})`)
      expect(await statusAt(main)).toMatchObject({ efforts: [{ id: effort.id, workplace: main }] })
      const { plan_edit } = await world().call('db.effort.get', { effort_id: effort.id })
      expect(plan_edit).toContain('none of the steps done so far')
      expect((await heir.read(heir.flow('steps/think.md'))).decision).toBe('allow')
    })

    test('have plans of their own, and an effort that moves keeps the one that it began with', async () => {
      const { main, here, there } = await worktrees(world())
      for (const client of [here, there]) await client.start()
      await there.prompt('/flow')
      await there.fire('SessionEnd', { reason: 'other' })
      const [effort] = await there.efforts()
      const wish = { effort_id: effort.id, native_id: here.session, client: 'claude-code', cwd: main }
      await world().call('commands.session.continue', wish)
      expect(reasonOf(await here.read(here.flow('steps/think.md')))).toContain('"plan"')
      const { changed, added } = await world().call('db.effort.accept', { effort_id: effort.id })
      expect([changed, added]).toEqual([['think'], ['look', 'do']])
      expect(reasonOf(await here.read(here.flow('steps/think.md')))).toContain('"view"')
    })

    test('stay in their project while the repository is somewhere else', async () => {
      const { main, tree, there } = await worktrees(world())
      await there.start()
      const { id } = await projectAt(tree)
      await rename(main, `${main}-moved`)
      await clientIn(world(), tree).start()
      expect(await projectAt(tree)).toMatchObject({ id })
    })
  })
}
