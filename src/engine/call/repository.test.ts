import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git } from '../../../test/git.ts'
import { nodeFiles } from '../../files/node.ts'
import { locate } from './repository.ts'

let top: string
const at = (...names: readonly string[]) => join(top, ...names)

/** The checkout and the main checkout of a folder, from the top. */
async function found(...names: readonly string[]) {
  const { repository, main } = await locate(nodeFiles, await realpath(at(...names)))
  return [repository, main].map((path) => path?.slice(top.length + 1))
}

beforeAll(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-git-')))
  await git(top, 'init', '-q', 'repo')
  await mkdir(at('repo/packages/a'), { recursive: true })
  await writeFile(at('repo/packages/a/file'), 'x')
  await git(at('repo'), 'add', '.')
  await git(at('repo'), 'commit', '-qm', 'first')
})
afterAll(() => rm(top, { recursive: true }))

test('a checkout is its own main checkout, from any folder of it', async () => {
  expect(await found('repo')).toEqual(['repo', 'repo'])
  expect(await found('repo/packages/a')).toEqual(['repo', 'repo'])
})

test('a folder outside of any repository has neither', async () => {
  await mkdir(at('plain'))
  expect(await found('plain')).toEqual([undefined, undefined])
})

test.each(['beside', 'repo/inside'])('the worktree %s belongs to its main checkout', async (path) => {
  await git(at('repo'), 'worktree', 'add', '-q', at(path))
  expect(await found(path)).toEqual([path, 'repo'])
  expect(await found(path, 'packages/a')).toEqual([path, 'repo'])
})

test('a worktree that a link leads to is found at its real place', async () => {
  await git(at('repo'), 'worktree', 'add', '-q', at('linked'))
  await symlink(at('linked'), at('link'))
  expect(await found('link')).toEqual(['linked', 'repo'])
})

test('a submodule is a repository of its own, and so are its worktrees', async () => {
  await git(top, 'init', '-q', 'super')
  await git(at('super'), 'submodule', '--quiet', 'add', at('repo'), 'part')
  expect(await found('super/part')).toEqual(['super/part', 'super/part'])
  await git(at('super/part'), 'worktree', 'add', '-q', at('part-tree'))
  expect(await found('part-tree')).toEqual(['part-tree', 'super/part'])
})

test('the worktrees of a bare repository belong to its folder', async () => {
  await git(top, 'clone', '-q', '--bare', at('repo'), 'bare.git')
  await git(at('bare.git'), 'worktree', 'add', '-q', at('bare-tree'))
  expect(await found('bare-tree')).toEqual(['bare-tree', 'bare.git'])
})

test('a bare repository that a .git file beside it names has the folder of that file', async () => {
  await mkdir(at('layout'))
  await git(at('layout'), 'clone', '-q', '--bare', at('repo'), '.bare')
  await writeFile(at('layout/.git'), 'gitdir: ./.bare\n')
  await git(at('layout'), 'worktree', 'add', '-q', 'tree')
  expect(await found('layout')).toEqual(['layout', 'layout'])
  expect(await found('layout/tree')).toEqual(['layout/tree', 'layout'])
})

test('a worktree whose repository has moved has no main checkout', async () => {
  await git(top, 'clone', '-q', at('repo'), 'mover')
  await git(at('mover'), 'worktree', 'add', '-q', at('left'))
  await rename(at('mover'), at('moved'))
  expect(await found('left')).toEqual(['left', undefined])
})

test('a folder whose .git file names the worktree of another checkout is its own', async () => {
  await git(at('repo'), 'worktree', 'add', '-q', at('victim'))
  await mkdir(at('forged'))
  await writeFile(at('forged/.git'), `gitdir: ${at('repo/.git/worktrees/victim')}\n`)
  expect(await found('forged')).toEqual(['forged', 'forged'])
  expect(await found('victim')).toEqual(['victim', 'repo'])
})

test('a worktree that somebody moved without git still belongs to its main checkout', async () => {
  await git(at('repo'), 'worktree', 'add', '-q', at('early'))
  await rename(at('early'), at('late'))
  expect(await found('late')).toEqual(['late', 'repo'])
})

test.each([
  ['nothing', ''],
  ['no path', 'gitdir:\n'],
  ['a folder that is missing', 'gitdir: /no/such/folder\n'],
  ['a path that is too long', `gitdir: /${'x'.repeat(100_000)}\n`],
  ['what is no text', '\0\u{fffd}gitdir: \0'],
])('a .git file with %s has no main checkout', async (what, text) => {
  const folder = `broken ${what}`
  await mkdir(at(folder))
  await writeFile(at(folder, '.git'), text)
  expect(await found(folder)).toEqual([folder, undefined])
})

test('a gitdir that names a common folder without being one of its worktrees is its own', async () => {
  await mkdir(at('odd/dir'), { recursive: true })
  await writeFile(at('odd/dir/commondir'), at('repo/.git'))
  await writeFile(at('odd/.git'), 'gitdir: dir\n')
  expect(await found('odd')).toEqual(['odd', 'odd'])
})
