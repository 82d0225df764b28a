/** The disk as a port. Paths are absolute; `root` is a canonical folder that confines them. */
export interface Files {
  /** The path with links in its existing part resolved. */
  canonical(path: string): Promise<string>
  kind(path: string): Promise<'file' | 'folder' | 'other' | 'missing'>
  size(path: string): Promise<number>
  /** What a file is, whatever its name; undefined if it is missing or unreachable. */
  identity(path: string): Promise<FileIdentity | undefined>
  /** Where the links in a path lead, one after another, up to one that leads through a process. */
  links(path: string): Promise<readonly string[]>
  /** The names in a folder; none if it is missing or unreachable. */
  names(folder: string): Promise<readonly string[]>
  /** The names of the regular files or folders of a folder inside `root`, in order; none if it is missing. */
  list(request: { path: string; root: string; kind?: 'file' | 'folder' }): Promise<readonly string[]>
  /** Creates missing folders inside `root` and returns them, outermost first. */
  makeFolders(request: { path: string; root: string }): Promise<readonly string[]>
  /** Removes these folders if empty, innermost first; undoes `makeFolders`. */
  removeFolders(paths: readonly string[]): Promise<void>
  /** Reads a part of a regular file inside `root`; refuses links, devices and files that left it. */
  read(request: { path: string; root: string; offset: number; limit: number }): Promise<FileContent>
  /** How many bytes of a text a crash left at `at`; bytes from `before` on belong to others. */
  standing(request: {
    path: string
    root: string
    content: string
    at: number
    before: number
  }): Promise<number>
  /**
   * Adds text to the end of a file inside `root`, all of it or nothing, and returns when it is on disk. With
   * `resume`, text already at `at`, whole or in part, is not written again; bytes from `before` on belong to others.
   * `check` is called right before the write, and prevents it if it throws.
   */
  append(request: {
    path: string
    root: string
    content: string
    resume?: { readonly at: number; readonly before: number }
    check?: (() => void) | undefined
  }): Promise<{ offset: number; size: number }>
  /**
   * Writes a file inside `root` atomically and returns whether it changed. Replaces a different file only on request;
   * otherwise fails with a conflict. With `was`, it must have that content right before, or be missing if that is
   * null. A replaced file keeps its permissions. `check` is called right before the change, and prevents it if it
   * throws.
   */
  put(request: {
    path: string
    root: string
    content: string
    replaces: boolean
    was?: string | null
    check?: (() => void) | undefined
  }): Promise<boolean>
  /**
   * One digest over the names and contents of all files below `root` that match the patterns. Links are never followed;
   * too many or too large files are refused.
   */
  digest(request: { root: string; patterns: readonly string[] }): Promise<Covered>
}

export interface FileIdentity {
  /** The device and the number of the file on it; equal for two names of one file. */
  readonly id: string
  /** Whether the name is a symbolic link. */
  readonly isLink: boolean
  readonly isFile: boolean
  /** Whether the file has more names. */
  readonly isShared: boolean
  /** When the file was last written or replaced, in milliseconds; nobody can set this time. */
  readonly changedAt: number
}

export interface Covered {
  readonly digest: string
  /** Changes if a file was written or replaced, even by the same content; nobody can set these times. */
  readonly stamp: string
  readonly files: number
}

export interface FileContent {
  readonly content: string
  readonly size: number
  /** The offset of the next read, if there is more. */
  readonly next_offset: number | null
  /** False if bytes were no UTF-8 and are lost in the text. */
  readonly isText: boolean
}
