/** The disk, as a port. Every path that comes in is absolute; `root` is a canonical folder that confines it. */
export interface Files {
  /** The path with all links of its existing part resolved; the rest need not exist yet. */
  canonical(path: string): Promise<string>
  kind(path: string): Promise<'file' | 'folder' | 'other' | 'missing'>
  size(path: string): Promise<number>
  /** The names of the regular files of a folder inside `root`, in order; a folder that is not there has none. */
  list(request: { path: string; root: string }): Promise<readonly string[]>
  /** Makes what is missing of a folder inside `root`; gives what it made, outermost first. */
  makeFolders(request: { path: string; root: string }): Promise<readonly string[]>
  /** Takes away those of these folders that are empty, innermost first: the way back from `makeFolders`. */
  removeFolders(paths: readonly string[]): Promise<void>
  /** Reads a part of a regular file inside `root`; refuses links, devices and whatever has moved out of it. */
  read(request: { path: string; root: string; offset: number; limit: number }): Promise<FileContent>
  /** How many bytes of a text stand at `at` already, of what a crash cut short; what stands from `before` on is others'. */
  standing(request: {
    path: string
    root: string
    content: string
    at: number
    before: number
  }): Promise<number>
  /**
   * Adds text to the end of a file inside `root`, all of it or nothing, and returns when it is on disk. With
   * `resume`, text that already stands at `at`, whole or in part, is not written again; what stands from `before`
   * on was put there by others.
   */
  append(request: {
    path: string
    root: string
    content: string
    resume?: { readonly at: number; readonly before: number }
  }): Promise<{ offset: number; size: number }>
  /**
   * Makes a file inside `root` what it is to be, at once or not at all; says whether that was news. A different one
   * that is there is replaced only if that is wanted, else it is a conflict.
   */
  put(request: { path: string; root: string; content: string; replaces: boolean }): Promise<boolean>
  /**
   * One digest over the names and the contents of all files below `root` that patterns stand for, however they are
   * found. A link is what it says, and is never followed; too many files, or too large ones, are refused.
   */
  digest(request: { root: string; patterns: readonly string[] }): Promise<Covered>
}

export interface Covered {
  readonly digest: string
  readonly files: number
}

export interface FileContent {
  readonly content: string
  readonly size: number
  /** Where the next read would begin, if there is more. */
  readonly next_offset: number | null
}
