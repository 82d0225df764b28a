import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { foreignIn, isLocal, learn } from './local.ts'
import { nodeFiles } from './node.ts'

let folder = ''

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-local-')))
})

afterAll(() => rm(folder, { recursive: true }))

/** A folder with a file, asked before. */
async function known(name: string): Promise<string> {
  const path = join(folder, name, 'step.md')
  await mkdir(join(folder, name))
  await writeFile(path, name)
  await learn(join(folder, name))
  return path
}

describe.runIf(process.platform === 'linux')('a disk of this machine', () => {
  test('can be asked at once when its folder is known', async () => {
    const path = join(await known('plain'), '..', '..', 'other', 'step.md')
    expect(isLocal(path)).toBe(false)
    expect(isLocal(join(folder, 'plain', 'step.md'))).toBe(true)
    expect(isLocal(join(folder, 'plain', 'missing.md'))).toBe(true)
  })

  test('cannot by a path with a link, which may lead to another disk', async () => {
    await mkdir(join(folder, 'target'))
    await symlink(join(folder, 'target'), join(folder, 'link'))
    await learn(join(folder, 'link'))
    expect(isLocal(join(folder, 'link', 'step.md'))).toBe(false)
    await learn(folder)
    expect(isLocal(`${join(folder, 'link')}/`)).toBe(false)
  })

  test('cannot where the answer comes from elsewhere', async () => {
    await learn('/proc')
    expect(isLocal('/proc/version')).toBe(false)
    await learn('/')
    expect(isLocal('/proc')).toBe(false)
  })
})

describe('what is asked at once is as true as before', () => {
  test('a file that became a link leads to its target', async () => {
    const [path, other] = [await known('file'), await known('other-file')]
    expect(await nodeFiles.canonical(path)).toBe(path)
    await rm(path)
    await symlink(other, path)
    expect(await nodeFiles.canonical(path)).toBe(other)
    expect(await nodeFiles.identity(path)).toMatchObject({ isLink: true, isFile: true })
  })

  test('a folder that became a link leads to its target', async () => {
    const [path, other] = [await known('folder'), await known('other-folder')]
    await rename(join(folder, 'folder'), join(folder, 'moved'))
    await symlink(join(folder, 'other-folder'), join(folder, 'folder'))
    expect(await nodeFiles.canonical(path)).toBe(other)
    expect(await nodeFiles.identity(path)).toEqual(await nodeFiles.identity(other))
  })

  test('a missing file has its place, and no identity', async () => {
    await known('there')
    const path = join(folder, 'there', 'missing.md')
    expect(await nodeFiles.canonical(path)).toBe(path)
    expect(await nodeFiles.identity(path)).toBeUndefined()
  })

  test('a broken link is refused', async () => {
    await known('broken')
    await symlink(join(folder, 'nowhere'), join(folder, 'broken', 'link.md'))
    await expect(nodeFiles.canonical(join(folder, 'broken', 'link.md'))).rejects.toThrow(
      'broken symbolic link',
    )
  })
})

describe('mounts that may hang', () => {
  test('are all but those of known disks, with their names as they are', () => {
    const mounts = [
      '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
      '31 27 0:26 / /home rw shared:1 - btrfs /dev/sda rw',
      String.raw`32 27 0:44 / /mnt/a\040b rw,relatime shared:2 master:1 - nfs4 host:/x rw`,
      '33 27 0:45 / /mnt/fuse rw - fuse.sshfs me@host: rw',
      '34 27 0:46 / /net rw - autofs systemd-1 rw',
      '',
    ]
    expect(foreignIn(mounts.join('\n'))).toEqual(['/mnt/a b', '/mnt/fuse', '/net'])
  })
})
