import { describe, expect, test } from 'vitest'
import { awayFrom } from './mounts.ts'

const LINUX = `22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
40 27 0:41 / /nowhere rw,relatime shared:1 - nfs4 server:/home rw,vers=4.2
41 40 0:42 / /nowhere/local rw - xfs /dev/vdb rw
42 27 0:43 / /no\\040where rw - fuse.sshfs me@there:/ rw
43 27 0:44 / /nocifs rw - cifs //server/share rw
44 27 0:45 / /nodrive rw - 9p C:\\134 rw
45 27 0:46 / /noover rw - ext4 /dev/vdc rw
46 27 0:47 / /noover rw - nfs server:/over rw`

const MACOS = `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
//me@server/share on /Volumes/no share (smbfs, nodev, nosuid, mounted by me)
server:/home on /Volumes/nohome (nfs, nodev)`

describe('the file system of a path', () => {
  test.each([
    ['/no/home/engine.db', undefined],
    ['/nowhere/.local/state/holdfast/engine.db', { type: 'nfs4', how: 'network' }],
    ['/nowhere/local/engine.db', undefined],
    ['/nowhereelse/engine.db', undefined],
    ['/no where/engine.db', { type: 'fuse.sshfs', how: 'network' }],
    ['/nocifs/engine.db', { type: 'cifs', how: 'network' }],
    ['/nodrive/engine.db', { type: '9p', how: 'shared' }],
    ['/noover/engine.db', { type: 'nfs', how: 'network' }],
  ])('on Linux: %s', (path, expected) => expect(awayFrom(LINUX, path)).toEqual(expected))

  test.each([
    ['/no/home/engine.db', undefined],
    ['/Volumes/no share/engine.db', { type: 'smbfs', how: 'network' }],
    ['/Volumes/nohome/engine.db', { type: 'nfs', how: 'network' }],
  ])('on macOS: %s', (path, expected) => expect(awayFrom(MACOS, path)).toEqual(expected))

  test('is fine if it is unknown', () => {
    expect(awayFrom('', '/no/home/engine.db')).toBeUndefined()
  })
})
