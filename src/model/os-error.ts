import type { ErrorCode } from './error.ts'

/** What an error of the operating system means for a path, and what to do. */
interface OsError {
  readonly code: ErrorCode
  /** What is true of the path: "PATH is on a disk that is full". */
  readonly is: string
  readonly hint?: string
}

const MISSING: OsError = { code: 'not-found', is: 'does not exist' }
const NOT_OURS: OsError = { code: 'forbidden', is: 'is not accessible to this user' }
const TOO_MANY: OsError = {
  code: 'unavailable',
  is: 'cannot be opened, because too many files are open',
  hint: 'Close some programs or raise the limit (ulimit -n), then try again.',
}
const GONE: OsError = {
  code: 'unavailable',
  is: 'is on a disk that is not connected',
  hint: 'Connect the disk again, then try again.',
}
const IN_USE: OsError = {
  code: 'unavailable',
  is: 'is in use by another program',
  hint: 'End that program, then try again.',
}

/** Every name that we know, in words. */
const OS_ERRORS: ReadonlyMap<string, OsError> = new Map(
  Object.entries({
    ENOENT: MISSING,
    ENOTDIR: MISSING,
    ENAMETOOLONG: { code: 'not-found', is: 'is too long for a path' },
    EEXIST: { code: 'conflict', is: 'already exists', hint: 'Another program created it. Try again.' },
    EISDIR: { code: 'forbidden', is: 'is a folder, not a file' },
    ELOOP: { code: 'forbidden', is: 'is a symbolic link, or links form a loop' },
    ENXIO: { code: 'forbidden', is: 'is not a regular file' },
    EACCES: NOT_OURS,
    EPERM: NOT_OURS,
    EROFS: {
      code: 'unavailable',
      is: 'is on a read-only disk',
      hint: 'Mount the disk for writing, then try again. Linux mounts a failing disk read-only: dmesg',
    },
    ENOSPC: {
      code: 'storage-full',
      is: 'is on a disk that is full',
      hint: 'Free some space, then try again.',
    },
    EDQUOT: {
      code: 'storage-full',
      is: 'is over the disk quota of this user',
      hint: 'Delete files or raise the quota, then try again.',
    },
    EFBIG: {
      code: 'storage-full',
      is: 'is larger than a file may be here',
      hint: 'Raise the limit (ulimit -f), then try again.',
    },
    EIO: {
      code: 'unavailable',
      is: 'is on a disk that reported an error',
      hint: 'Check the disk (dmesg) and save your data, then try again.',
    },
    EMFILE: TOO_MANY,
    ENFILE: TOO_MANY,
    ENOMEM: {
      code: 'unavailable',
      is: 'cannot be used, because the memory of this machine is full',
      hint: 'Close some programs, then try again.',
    },
    ENODEV: GONE,
    ESTALE: GONE,
    ENOTCONN: GONE,
    EBUSY: IN_USE,
    ETXTBSY: IN_USE,
  } satisfies Record<string, OsError>),
)

/** Errors for which Node has only a number, by that of Linux and of macOS. */
const UNNAMED: Readonly<Record<string, string>> = { 122: 'EDQUOT', 69: 'EDQUOT', 116: 'ESTALE', 70: 'ESTALE' }

/** The words for an error of the operating system; undefined for any other error. */
export function osErrorOf(error: unknown): OsError | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined
  const number = /^Unknown system error -(\d+)$/.exec(String(error.code))?.[1]
  return OS_ERRORS.get(number === undefined ? String(error.code) : (UNNAMED[number] ?? ''))
}
