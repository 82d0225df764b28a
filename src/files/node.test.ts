import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeFiles } from './node.ts'

let [folder, root, outside] = ['', '', '']

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-files-')))
  ;[root, outside] = [join(folder, 'root'), join(folder, 'outside')]
  for (const path of [root, outside]) await mkdir(path)
  await writeFile(join(outside, 'secret'), 'secret')
})

afterAll(() => rm(folder, { recursive: true }))

const read = (path: string) => nodeFiles.read({ path, root, offset: 0, limit: 100 })
const append = (path: string, content: string) => nodeFiles.append({ path, root, content })

describe('what is opened is judged, not what was looked at before', () => {
  test('a link in the place of a file is not followed', async () => {
    const path = join(root, 'link')
    await symlink(join(outside, 'secret'), path)
    await expect(read(path)).rejects.toMatchObject({ code: 'forbidden', field: 'path' })
    await expect(append(path, 'x')).rejects.toMatchObject({ code: 'forbidden', field: 'path' })
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret')
    const inside = join(root, 'inside')
    await symlink(join(root, 'target'), inside)
    await writeFile(join(root, 'target'), '')
    await expect(read(inside)).rejects.toMatchObject({ code: 'forbidden', field: 'path' })
  })

  test('a folder on the way that has become a link out of the project is noticed', async () => {
    await symlink(outside, join(root, 'folder'))
    const path = join(root, 'folder', 'secret')
    await expect(read(path)).rejects.toMatchObject({ code: 'forbidden', field: 'path' })
    await expect(append(path, 'x')).rejects.toMatchObject({ code: 'forbidden', field: 'path' })
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret')
  })

  test('a pipe is refused without waiting for its other end', async () => {
    const path = join(root, 'pipe')
    execFileSync('mkfifo', [path])
    await expect(read(path)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(append(path, 'x')).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('where a path leads', () => {
  test('is told of what exists and of what does not', async () => {
    await mkdir(join(root, 'real'))
    await symlink(join(root, 'real'), join(root, 'alias'))
    const canonical = (path: string) => nodeFiles.canonical(join(root, path))
    expect(await canonical('alias')).toBe(join(root, 'real'))
    expect(await canonical('alias/new/deep')).toBe(join(root, 'real', 'new', 'deep'))
    expect(await canonical('alias/')).toBe(join(root, 'real'))
    expect(await canonical('missing/../other')).toBe(join(root, 'other'))
    expect(await nodeFiles.canonical('/')).toBe('/')
    expect(await nodeFiles.canonical('/no/such/folder')).toBe('/no/such/folder')
  })

  test('and what is there', async () => {
    await writeFile(join(root, 'file'), '12345')
    const kinds = ['real', 'file', 'nothing', 'file/below', 'pipe'].map((path) =>
      nodeFiles.kind(join(root, path)),
    )
    expect(await Promise.all(kinds)).toEqual(['folder', 'file', 'missing', 'missing', 'other'])
    expect(await nodeFiles.size(join(root, 'file'))).toBe(5)
    expect(await nodeFiles.size(join(root, 'nothing'))).toBe(0)
  })
})

describe('appending', () => {
  test('makes a file that only its owner may read', async () => {
    const path = join(root, 'new')
    expect(await append(path, 'a')).toEqual({ offset: 0, size: 1 })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['nothing of it', '', 'text\n'],
    ['the beginning of it', 'te', 'text\n'],
    ['all of it', 'text\n', 'text\n'],
    ['something else', 'other', 'othertext\n'],
    ['something longer that begins alike', 'text\nand more', 'text\nand more'],
  ])('goes on where %s stands already', async (_, found, expected) => {
    const path = join(root, 'resume')
    await writeFile(path, `before\n${found}`)
    const resume = { at: 7, before: Infinity }
    await nodeFiles.append({ path, root, content: 'text\n', resume })
    expect(await readFile(path, 'utf8')).toBe(`before\n${expected}`)
  })

  test('does not take for its own what others have put in its place', async () => {
    const path = join(root, 'resume')
    await writeFile(path, 'before\ntext\n')
    const written = await nodeFiles.append({ path, root, content: 'text\n', resume: { at: 7, before: 7 } })
    expect(written).toEqual({ offset: 12, size: 17 })
    expect(await readFile(path, 'utf8')).toBe('before\ntext\ntext\n')
  })

  test('is all or nothing when the disk takes only a part', async () => {
    const path = join(root, 'limited')
    await writeFile(path, 'before\n')
    const node = fileURLToPath(new URL('node.ts', import.meta.url))
    const program = `
      const { nodeFiles } = await import(${JSON.stringify(node)})
      const request = { path: ${JSON.stringify(path)}, root: ${JSON.stringify(root)}, content: 'x'.repeat(100_000) }
      await nodeFiles.append(request).then(() => console.log('written'), (error) => console.log(error.code))`
    // A limit on the size of a file cuts a write short exactly as a full disk does. The unit is 512 or 1024 bytes.
    const shell = `trap '' XFSZ; ulimit -f 20; exec "$0" --input-type=module -e "$1"`
    const { stdout } = spawnSync('sh', ['-c', shell, process.execPath, program], { encoding: 'utf8' })
    expect(stdout).toBe('storage-full\n')
    expect(await readFile(path, 'utf8')).toBe('before\n')
  })
})

describe('folders that are missing', () => {
  test('are made one by one, and told, so that they can be taken away again', async () => {
    const path = join(root, 'made', 'a', 'b')
    const made = await nodeFiles.makeFolders({ path, root })
    expect(made).toEqual([join(root, 'made'), join(root, 'made', 'a'), path])
    expect(await nodeFiles.makeFolders({ path, root })).toEqual([])
    await nodeFiles.removeFolders(made)
    expect(await nodeFiles.kind(join(root, 'made'))).toBe('missing')
    await nodeFiles.removeFolders(made)
  })

  test('stay when somebody has put something into them meanwhile', async () => {
    const made = await nodeFiles.makeFolders({ path: join(root, 'used', 'deep'), root })
    await writeFile(join(root, 'used', 'file'), 'x')
    await nodeFiles.removeFolders(made)
    expect(await nodeFiles.kind(join(root, 'used', 'deep'))).toBe('missing')
    expect(await readFile(join(root, 'used', 'file'), 'utf8')).toBe('x')
  })

  test('are made at once by many, each by one of them', async () => {
    const path = join(root, 'many', 'x', 'y')
    const all = await Promise.all(Array.from({ length: 8 }, () => nodeFiles.makeFolders({ path, root })))
    expect(all.flat().toSorted()).toEqual([join(root, 'many'), join(root, 'many', 'x'), path])
  })

  test('are not made outside of the project, by a link either', async () => {
    await symlink(tmpdir(), join(root, 'out'))
    const path = join(root, 'out', 'holdfast-must-not-be')
    await expect(nodeFiles.makeFolders({ path, root })).rejects.toMatchObject({ code: 'forbidden' })
    expect(await nodeFiles.kind(path)).toBe('missing')
  })

  test('are not made below a file', async () => {
    await writeFile(join(root, 'plain'), 'x')
    const path = join(root, 'plain', 'below')
    await expect(nodeFiles.makeFolders({ path, root })).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('a file that is put', () => {
  const put = (path: string, content: string, replaces = false) =>
    nodeFiles.put({ path, root, content, replaces })

  test('is there whole, and putting the same again is no news', async () => {
    const path = join(root, 'report.md')
    expect(await put(path, 'one')).toBe(true)
    expect(await put(path, 'one')).toBe(false)
    expect(await readFile(path, 'utf8')).toBe('one')
  })

  test('replaces another one only if that is wanted', async () => {
    const path = join(root, 'other.md')
    await writeFile(path, 'old')
    await expect(put(path, 'new')).rejects.toMatchObject({ code: 'conflict' })
    expect(await readFile(path, 'utf8')).toBe('old')
    expect(await put(path, 'new', true)).toBe(true)
    expect(await readFile(path, 'utf8')).toBe('new')
    expect((await readdir(root)).filter((name) => name.includes('.holdfast-'))).toEqual([])
  })

  test('does not go through a link, nor out of the project', async () => {
    const path = join(root, 'put-link')
    await symlink(join(outside, 'secret'), path)
    await expect(put(path, 'x', true)).rejects.toMatchObject({ code: 'forbidden' })
    await symlink(outside, join(root, 'put-out'))
    await expect(put(join(root, 'put-out', 'x'), 'x')).rejects.toMatchObject({ code: 'forbidden' })
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret')
    expect(await readdir(outside)).toEqual(['secret'])
  })
})
