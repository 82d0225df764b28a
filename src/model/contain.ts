import type { Lock } from './lock.ts'

/** What lies at a path: bubblewrap hides a folder and a file in different ways. */
export type Lies = 'folder' | 'file' | 'nothing'

type Denied = Pick<Lock, 'unread' | 'unwritten'>

/** The words of bubblewrap that keep these files from a command; everything else stays as it is. */
export const bubblewrap = (
  { unread, unwritten }: Denied,
  lies: (path: string) => Lies,
): readonly string[] => [
  'bwrap',
  ...'--bind / / --dev /dev --proc /proc --unshare-user-try --unshare-pid --cap-drop ALL --die-with-parent'.split(
    ' ',
  ),
  // A mounted folder cannot be moved, so what lies in it stays where it is hidden.
  ...foldersAbove([...unread, ...unwritten]).flatMap((path) => ['--bind', path, path]),
  ...unwritten.flatMap((path) =>
    lies(path) === 'nothing' ? ['--ro-bind', '/dev/null', path] : ['--ro-bind', path, path],
  ),
  // Last, because a hidden folder may lie in one that is only read.
  ...unread.flatMap((path) =>
    lies(path) === 'folder' ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path],
  ),
  '--',
]

/** The folders above these paths, the outer ones first; the root itself cannot move. */
const foldersAbove = (paths: readonly string[]): readonly string[] => [
  ...new Set(
    paths
      .flatMap((path) => path.split('/').map((_, at, parts) => parts.slice(0, at).join('/')))
      .filter((path) => path !== '' && !/^\/(dev|proc)\b/.test(path))
      .toSorted((a, b) => a.length - b.length),
  ),
]

/** The same for macOS, as a profile of Seatbelt. */
export const seatbelt = ({ unread, unwritten }: Denied): string =>
  [
    '(version 1)',
    '(allow default)',
    ...unwritten.map((path) => `(deny file-write* ${below(path)})`),
    ...unread.map((path) => `(deny file-read* file-write* ${below(path)})`),
  ].join('\n')

const below = (path: string): string => `(subpath ${JSON.stringify(path)})`
