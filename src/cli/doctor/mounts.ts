import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { isInside } from '../../model/project.ts'

interface Mount {
  readonly folder: string
  readonly type: string
}

/** SQLite's locks and shared memory do not work reliably on these. */
const NETWORK: ReadonlySet<string> = new Set(
  `afpfs afs beegfs ceph cifs coda davfs fuse.ceph fuse.cifs fuse.davfs2 fuse.glusterfs fuse.gvfsd-fuse fuse.rclone
  fuse.s3fs fuse.smbnetfs fuse.sshfs glusterfs gpfs lustre macfuse ncpfs nfs nfs3 nfs4 osxfuse_sshfs smb smb2 smb3
  smbfs sshfs webdav`.split(/\s+/),
)
/** File systems of another system on the same machine, which may not share locks. */
const SHARED: ReadonlySet<string> = new Set(
  '9p drvfs fuse.grpcfuse fuse.osxfs fuse.vmhgfs-fuse prl_fs vboxsf virtiofs'.split(' '),
)

/** The file system of a path, if it is unsafe for a database. */
export function awayFrom(
  mounts: string,
  path: string,
): { readonly type: string; readonly how: 'network' | 'shared' } | undefined {
  const type = holding(mounts, path)?.type ?? ''
  if (NETWORK.has(type)) return { type, how: 'network' }
  return SHARED.has(type) ? { type, how: 'shared' } : undefined
}

/** The mount point of a path. */
export const mountOf = (mounts: string, path: string): string => holding(mounts, path)?.folder ?? '/'

function holding(mounts: string, path: string): Mount | undefined {
  const real = realOf(path)
  const around = mountsIn(mounts).filter(({ folder }) => folder === '/' || isInside(folder, real))
  const longest = Math.max(0, ...around.map(({ folder }) => folder.length))
  // The last mount at a folder hides the earlier ones.
  return around.findLast(({ folder }) => folder.length === longest)
}

/** The path, or its nearest existing parent. */
export const thereOf = (path: string): string => (existsSync(path) ? path : thereOf(dirname(path)))

function realOf(path: string): string {
  const there = thereOf(path)
  return join(realpathSync(there), relative(there, path))
}

/** Parses the format of /proc/self/mountinfo and of `mount`. */
function mountsIn(text: string): readonly Mount[] {
  return text.split('\n').flatMap((line) => {
    const [, inProc, ofProc] = /^\d+ \d+ \S+ \S+ (\S+) .* - (\S+) /.exec(line) ?? []
    if (inProc !== undefined && ofProc !== undefined) return [{ folder: unescaped(inProc), type: ofProc }]
    const [, folder, type] = /^.+ on (.+) \(([^,)]+)/.exec(line) ?? []
    return folder === undefined || type === undefined ? [] : [{ folder, type }]
  })
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 8)))
