import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { exactly } from '../model/text/glob.ts'
import { nodeFiles } from './node.ts'

async function project(files: Readonly<Record<string, string>>) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-cover-')))
  onTestFinished(() => rm(folder, { recursive: true }))
  const root = join(folder, 'root')
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  for (const [path, text] of Object.entries(files)) await write(path, text)
  const digest = (...patterns: string[]) => nodeFiles.digest({ root, patterns })
  return { folder, root, write, digest }
}

test('the digest is that of the files, whichever patterns find them', async () => {
  const it = await project({ 'src/a.ts': 'a', 'src/deep/b.ts': 'b', 'README.md': 'r' })
  const all = await it.digest('src/**')
  expect(all.files).toBe(2)
  expect(await it.digest('src')).toEqual(all)
  expect(await it.digest('src/deep/*.ts', 'src/*.ts', 'src/**')).toEqual(all)
  expect(await it.digest('src/*')).not.toEqual(all)
  await it.write('README.md', 'changed')
  expect(await it.digest('src/**')).toEqual(all)
})

test('exceptions are not covered', async () => {
  const it = await project({ 'src/a.ts': 'a', 'src/a.test.ts': 'b', 'src/gen/c.ts': 'c' })
  const plain = await it.digest('src/**', '!**/*.test.*', '!src/gen')
  expect(plain.files).toBe(1)
  await it.write('src/a.test.ts', 'changed')
  expect(await it.digest('src/*', '!src/*.test.ts')).toEqual(plain)
})

test.each<[string, (it: Awaited<ReturnType<typeof project>>) => Promise<unknown>]>([
  ['another text', (it) => it.write('src/a.ts', 'x')],
  ['a new file', (it) => it.write('src/new.ts', '')],
  ['a missing file', (it) => rm(join(it.root, 'src/a.ts'))],
  ['another name', (it) => rename(join(it.root, 'src/a.ts'), join(it.root, 'src/c.ts'))],
  ['swapping two texts', (it) => it.write('src/a.ts', 'b').then(() => it.write('src/deep/b.ts', 'a'))],
])('%s changes the digest', async (_, change) => {
  const it = await project({ 'src/a.ts': 'a', 'src/deep/b.ts': 'b' })
  const before = await it.digest('src/**')
  await change(it)
  expect(await it.digest('src/**')).not.toEqual(before)
})

test('a link counts with its text, and its target is never read', async () => {
  const it = await project({ 'src/a.ts': 'a' })
  await mkdir(join(it.folder, 'outside'))
  await writeFile(join(it.folder, 'outside/secret'), 'one')
  await symlink('../../outside', join(it.root, 'src/folder'))
  await symlink('../../outside/secret', join(it.root, 'src/file'))
  const before = await it.digest('src/**')
  expect(before.files).toBe(3)
  await writeFile(join(it.folder, 'outside/secret'), 'two')
  expect(await it.digest('src/**')).toEqual(before)
  expect((await it.digest('src/folder/*', '../outside/**', 'src/../../outside/*')).files).toBe(0)
  await rm(join(it.root, 'src/file'))
  await symlink('elsewhere', join(it.root, 'src/file'))
  expect(await it.digest('src/**')).not.toEqual(before)
})

test('generated, fetched, hidden and special files count only if a pattern names them', async () => {
  const it = await project({ 'node_modules/x/a.ts': 'a', '.git/b.ts': 'b', 'c.ts': 'c' })
  execFileSync('mkfifo', [join(it.root, 'pipe')])
  expect((await it.digest('**')).files).toBe(1)
  expect((await it.digest('node_modules/**', '.git/*.ts')).files).toBe(2)
})

test('a name with pattern characters is matched exactly', async () => {
  const it = await project({ 'app/[id].ts': 'a', 'app/i.ts': 'b', 'app/*.ts': 'c' })
  expect((await it.digest(exactly('app/[id].ts'))).files).toBe(1)
  expect((await it.digest(exactly('app/*.ts'))).files).toBe(1)
})

test('the last byte of a large file counts', async () => {
  const content = Buffer.alloc(5 * 1024 * 1024)
  const it = await project({ large: '' })
  await writeFile(join(it.root, 'large'), content)
  const before = await it.digest('large')
  content[content.length - 1] = 1
  await writeFile(join(it.root, 'large'), content)
  expect((await it.digest('large')).digest).not.toBe(before.digest)
})

test('too many files and too large files are refused', async () => {
  const it = await project({ 'src/a.ts': 'a' })
  await Promise.all(Array.from({ length: 5001 }, (_, index) => writeFile(join(it.root, `${index}.txt`), '')))
  await expect(it.digest('*.txt')).rejects.toMatchObject({ code: 'too-large', message: /5000 files/ })
  await writeFile(join(it.root, 'large'), Buffer.alloc(64 * 1024 * 1024 + 1))
  await expect(it.digest('large')).rejects.toMatchObject({ code: 'too-large', message: /bytes/ })
})
