import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeFiles } from './node.ts'

let root = ''
let outside = ''
beforeAll(async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-put-')))
  root = join(folder, 'project')
  outside = join(folder, 'outside')
  for (const path of [root, outside]) await mkdir(path)
  await writeFile(join(outside, 'secret'), 'secret')
})
afterAll(() => rm(join(root, '..'), { recursive: true }))

describe('writing a whole file', () => {
  const put = (path: string, content: string, replaces = false) =>
    nodeFiles.put({ path, root, content, replaces })

  test('stores the whole text, and writing the same text again changes nothing', async () => {
    const path = join(root, 'report.md')
    expect(await put(path, 'one')).toBe(true)
    expect(await put(path, 'one')).toBe(false)
    expect(await readFile(path, 'utf8')).toBe('one')
  })

  test('replaces a different file only on request', async () => {
    const path = join(root, 'other.md')
    await writeFile(path, 'old')
    await expect(put(path, 'new')).rejects.toMatchObject({ code: 'conflict' })
    expect(await readFile(path, 'utf8')).toBe('old')
    expect(await put(path, 'new', true)).toBe(true)
    expect(await readFile(path, 'utf8')).toBe('new')
    expect((await readdir(root)).filter((name) => name.includes('.holdfast-'))).toEqual([])
  })

  test('removes what killed processes left beside the file, and nothing else', async () => {
    const path = join(root, 'swept.md')
    const old = new Date(Date.now() - 3_600_000)
    const [left, young, other] = [
      `${path}.holdfast-7-0123abcd`,
      `${path}.holdfast-7-89abcdef`,
      `${path}.holdfast-notes`,
    ]
    for (const file of [left, young, other]) await writeFile(file, 'x')
    for (const file of [left, other]) await utimes(file, old, old)
    await put(path, 'new')
    expect((await readdir(root)).filter((name) => name.startsWith('swept')).toSorted()).toEqual([
      'swept.md',
      'swept.md.holdfast-7-89abcdef',
      'swept.md.holdfast-notes',
    ])
    for (const file of [young, other]) await rm(file)
  })

  test('keeps the permissions of the file that it replaces', async () => {
    const path = join(root, 'shared.md')
    await writeFile(path, 'old')
    await chmod(path, 0o664)
    await put(path, 'new', true)
    expect((await stat(path)).mode & 0o777).toBe(0o664)
  })

  test('replaces only the text that the caller has read, and asks right before', async () => {
    const path = join(root, 'read.md')
    await writeFile(path, 'theirs')
    const wish = { path, root, content: 'mine', replaces: true }
    for (const was of ['old', null])
      await expect(nodeFiles.put({ ...wish, was })).rejects.toMatchObject({ code: 'conflict' })
    const check = () => {
      throw new Error('not any more')
    }
    await expect(nodeFiles.put({ ...wish, was: 'theirs', check })).rejects.toThrow('not any more')
    expect(await readFile(path, 'utf8')).toBe('theirs')
    expect(await nodeFiles.put({ ...wish, was: 'theirs' })).toBe(true)
    expect(await nodeFiles.put({ ...wish, path: join(root, 'fresh.md'), was: null })).toBe(true)
    expect((await readdir(root)).filter((name) => name.includes('.holdfast-'))).toEqual([])
  })

  test('does not follow a link or leave the project', async () => {
    const path = join(root, 'put-link')
    await symlink(join(outside, 'secret'), path)
    await expect(put(path, 'x', true)).rejects.toMatchObject({ code: 'forbidden' })
    await symlink(outside, join(root, 'put-out'))
    await expect(put(join(root, 'put-out', 'x'), 'x')).rejects.toMatchObject({ code: 'forbidden' })
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret')
    expect(await readdir(outside)).toEqual(['secret'])
  })
})
