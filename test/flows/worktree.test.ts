import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git } from '../git.ts'
import { unwrapped, User } from '../holdfast.ts'

let user: User
let tree: string
beforeAll(async () => {
  user = new User()
  tree = join(user.folder, 'tree')
  await git(user.project, 'init', '-q')
  writeFileSync(join(user.project, 'file.txt'), 'one\n')
  await user.json(['skill', 'new', 'ship', '--notation', 'steps'])
  await git(user.project, 'add', '.')
  await git(user.project, 'commit', '-qm', 'first')
  await git(user.project, 'worktree', 'add', '-q', tree)
})
afterAll(() => user[Symbol.asyncDispose]())

test('commands in a worktree work on the project of its repository, and show where each effort is', async () => {
  const inTree = { cwd: tree }
  await user.json(['effort', 'start', 'tasks/one', 'ship'])
  await user.json(['effort', 'start', 'tasks/two', 'ship'], inTree)
  await user.json(['enforce', 'strict'], inTree)
  await user.json(['queue', 'add', 'Look again.'], inTree)
  const [project] = await user.json<readonly object[]>(['project', 'list'])
  expect(project).toMatchObject({
    path: user.project,
    level: 'strict',
    workplaces: [
      { path: user.project, here: true },
      { path: tree, here: true },
    ],
  })
  for (const around of [{}, inTree])
    expect(await user.json(['status'], around)).toMatchObject({
      project,
      queue_open: 1,
      efforts: [{ workplace: tree }, { workplace: user.project }],
    })
  const wide = { ...inTree, width: 300 }
  expect(unwrapped((await user.run(['status'], wide)).stdout)).toContain(`also: ${tree}\n`)
  expect((await user.run(['project', 'list'], wide)).stdout).toContain(tree)
})

test('status says that the checkout of an effort is gone, and where to resume it', async () => {
  await git(user.project, 'worktree', 'remove', '--force', tree)
  // The watch of its skills sees that they are gone.
  await expect
    .poll(() => user.json(['status']), { timeout: 30_000 })
    .toMatchObject({
      efforts: [{ plan_edit: expect.any(String) as string }, { plan_edit: null }],
    })
  const wide = { width: 300 }
  const shown = unwrapped((await user.run(['status'], wide)).stdout)
  expect(shown).toContain(`The checkout ${tree} is gone, and with it the files of its task.`)
  expect(shown).toMatch(/Resume it here: holdfast session continue \d+\n/)
  expect(shown).not.toContain('also:')
})
