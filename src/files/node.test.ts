import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import {
  link,
  mkdir,
  mkdtemp,
  open,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
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

describe('the opened file is checked, not the one seen before', () => {
  test('a link in place of a file is not followed', async () => {
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

  test('a parent folder that becomes a link out of the project is detected', async () => {
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

test('a device is neither read nor written, even in a folder that is allowed', async () => {
  for (const path of ['/dev/zero', '/dev/null', '/dev/full']) {
    const at = { path, root: '/dev' }
    for (const work of [
      () => nodeFiles.read({ ...at, offset: 0, limit: 1 }),
      () => nodeFiles.append({ ...at, content: 'x' }),
    ])
      await expect(work()).rejects.toMatchObject({ code: 'forbidden', field: 'path' })
  }
})

describe('resolving a path', () => {
  test('works for existing and missing files', async () => {
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

  test('returns the kind of the file', async () => {
    await writeFile(join(root, 'file'), '12345')
    await symlink('loop', join(root, 'loop'))
    const paths = ['real', 'file', 'nothing', 'file/below', 'pipe', 'loop', 'x'.repeat(300)]
    const kinds = paths.map((path) => nodeFiles.kind(join(root, path)))
    expect(await Promise.all(kinds)).toEqual([
      'folder',
      'file',
      'missing',
      'missing',
      'other',
      'other',
      'missing',
    ])
    expect(await nodeFiles.size(join(root, 'file'))).toBe(5)
    expect(await nodeFiles.size(join(root, 'nothing'))).toBe(0)
  })
})

describe('appending', () => {
  test('creates a file that only its owner may read', async () => {
    const path = join(root, 'new')
    expect(await append(path, 'a')).toEqual({ offset: 0, size: 1 })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['nothing of it', '', 'text\n'],
    ['the beginning of it', 'te', 'text\n'],
    ['all of it', 'text\n', 'text\n'],
    ['another text', 'other', 'othertext\n'],
    ['a longer text with the same beginning', 'text\nand more', 'text\nand more'],
  ])('continues where %s already exists', async (_, found, expected) => {
    const path = join(root, 'resume')
    await writeFile(path, `before\n${found}`)
    const resume = { at: 7, before: Infinity }
    await nodeFiles.append({ path, root, content: 'text\n', resume })
    expect(await readFile(path, 'utf8')).toBe(`before\n${expected}`)
  })

  test('tells where its text is, if another program wrote at the same time', async () => {
    const path = join(root, 'meanwhile')
    await writeFile(path, 'before\n')
    const check = () => appendFileSync(path, 'other\n')
    expect(await nodeFiles.append({ path, root, content: 'text\n', check })).toEqual({ offset: 13, size: 18 })
    expect(await readFile(path, 'utf8')).toBe('before\nother\ntext\n')
  })

  test('writes nothing if the last check fails', async () => {
    const path = join(root, 'checked')
    await writeFile(path, 'before\n')
    const check = () => {
      throw new Error('made to fail')
    }
    await expect(nodeFiles.append({ path, root, content: 'text\n', check })).rejects.toThrow('made to fail')
    expect(await readFile(path, 'utf8')).toBe('before\n')
  })

  test('does not take the text of others for its own', async () => {
    const path = join(root, 'resume')
    await writeFile(path, 'before\ntext\n')
    const written = await nodeFiles.append({ path, root, content: 'text\n', resume: { at: 7, before: 7 } })
    expect(written).toEqual({ offset: 12, size: 17 })
    expect(await readFile(path, 'utf8')).toBe('before\ntext\ntext\n')
  })

  test('is all or nothing if the disk accepts only a part', async () => {
    const path = join(root, 'limited')
    await writeFile(path, 'before\n')
    const node = fileURLToPath(new URL('node.ts', import.meta.url))
    const program = `
      const { nodeFiles } = await import(${JSON.stringify(node)})
      const request = { path: ${JSON.stringify(path)}, root: ${JSON.stringify(root)}, content: 'x'.repeat(100_000) }
      await nodeFiles.append(request).then(() => console.log('written'), (error) => console.log(error.code))`
    // A file size limit cuts a write like a full disk. The unit is 512 or 1024 bytes.
    const shell = `trap '' XFSZ; ulimit -f 20; exec "$0" --input-type=module -e "$1"`
    const { stdout } = spawnSync('sh', ['-c', shell, process.execPath, program], { encoding: 'utf8' })
    expect(stdout).toBe('storage-full\n')
    expect(await readFile(path, 'utf8')).toBe('before\n')
  })
})

describe('a sync that fails', () => {
  const failing = async (code: string) => {
    const probe = await open(root)
    const handles = Object.getPrototypeOf(probe) as typeof probe
    await probe.close()
    const sync = Object.getOwnPropertyDescriptor(handles, 'sync') ?? {}
    const mend = () => void Object.defineProperty(handles, 'sync', sync)
    onTestFinished(mend)
    handles.sync = () => Promise.reject(Object.assign(new Error(code), { code, syscall: 'fsync' }))
    return mend
  }

  test.each([
    ['EIO', 'unavailable'],
    ['EDQUOT', 'storage-full'],
    ['ENOSPC', 'storage-full'],
  ])('with %s takes the text back, because a later sync could succeed without it', async (name, code) => {
    const path = join(root, `unsynced-${name}`)
    await writeFile(path, 'before\nte')
    const mend = await failing(name)
    const request = { path, root, content: 'text\n', resume: { at: 7, before: Infinity } }
    await expect(nodeFiles.append(request)).rejects.toMatchObject({ code, field: 'path' })
    expect(await readFile(path, 'utf8')).toBe('before\n')
    mend()
    expect(await nodeFiles.append(request)).toEqual({ offset: 7, size: 12 })
  })

  test('leaves no file and no folder that count as synced', async () => {
    const mend = await failing('EIO')
    const path = join(root, 'unsynced.md')
    const work = [
      () => nodeFiles.put({ path, root, content: 'x', replaces: false }),
      () => nodeFiles.makeFolders({ path: join(root, 'unsynced'), root }),
    ]
    for (const again of [1, 2])
      for (const one of work)
        await expect(one(), `try ${again}`).rejects.toMatchObject({ code: 'unavailable' })
    mend()
    expect(await Promise.all(work.map((one) => one()))).toEqual([true, []])
  })
})

describe('missing folders', () => {
  test('are created one by one and returned, so that they can be removed again', async () => {
    const path = join(root, 'made', 'a', 'b')
    const made = await nodeFiles.makeFolders({ path, root })
    expect(made).toEqual([join(root, 'made'), join(root, 'made', 'a'), path])
    expect(await nodeFiles.makeFolders({ path, root })).toEqual([])
    await nodeFiles.removeFolders(made)
    expect(await nodeFiles.kind(join(root, 'made'))).toBe('missing')
    await nodeFiles.removeFolders(made)
  })

  test('stay if another process has put a file into them meanwhile', async () => {
    const made = await nodeFiles.makeFolders({ path: join(root, 'used', 'deep'), root })
    await writeFile(join(root, 'used', 'file'), 'x')
    await nodeFiles.removeFolders(made)
    expect(await nodeFiles.kind(join(root, 'used', 'deep'))).toBe('missing')
    expect(await readFile(join(root, 'used', 'file'), 'utf8')).toBe('x')
  })

  test('are created by many callers at once, each by one of them', async () => {
    const path = join(root, 'many', 'x', 'y')
    const all = await Promise.all(Array.from({ length: 8 }, () => nodeFiles.makeFolders({ path, root })))
    expect(all.flat().toSorted()).toEqual([join(root, 'many'), join(root, 'many', 'x'), path])
  })

  test('are not created outside of the project, even through a link', async () => {
    await symlink(tmpdir(), join(root, 'out'))
    const path = join(root, 'out', 'holdfast-must-not-be')
    await expect(nodeFiles.makeFolders({ path, root })).rejects.toMatchObject({ code: 'forbidden' })
    expect(await nodeFiles.kind(path)).toBe('missing')
  })

  test('are not created below a file', async () => {
    await writeFile(join(root, 'plain'), 'x')
    const path = join(root, 'plain', 'below')
    await expect(nodeFiles.makeFolders({ path, root })).rejects.toMatchObject({ code: 'not-found' })
  })
})

test('a file is the same by every name', async () => {
  const at = (name: string) => join(outside, name)
  await writeFile(at('one.md'), 'x')
  // Another name is a change of the file.
  const alone = { ...(await nodeFiles.identity(at('one.md'))), changedAt: expect.any(Number) as number }
  expect(alone).toMatchObject({ isLink: false, isFile: true, isShared: false })
  await link(at('one.md'), at('two.txt'))
  await symlink(at('one.md'), at('three'))
  expect(await nodeFiles.identity(at('two.txt'))).toEqual({ ...alone, isShared: true })
  expect(await nodeFiles.identity(at('three'))).toEqual({ ...alone, isLink: true, isShared: true })
  expect(await nodeFiles.identity(outside)).toMatchObject({ isFile: false, isShared: false })
  expect(await nodeFiles.identity(at('none'))).toBeUndefined()
  expect(await nodeFiles.names(outside)).toEqual(expect.arrayContaining(['one.md', 'three', 'two.txt']))
  expect(await nodeFiles.names(at('none'))).toEqual([])
})
