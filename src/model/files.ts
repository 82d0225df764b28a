/** The disk, as a port. Every path that comes in is absolute; `root` is a canonical folder that confines it. */
export interface Files {
  /** The path with all links of its existing part resolved; the rest need not exist yet. */
  canonical(path: string): Promise<string>
  kind(path: string): Promise<'file' | 'folder' | 'other' | 'missing'>
  size(path: string): Promise<number>
  /** Reads a part of a regular file inside `root`; refuses links, devices and whatever has moved out of it. */
  read(request: { path: string; root: string; offset: number; limit: number }): Promise<FileContent>
  /**
   * Adds text to the end of a file inside `root` and returns when it is on disk. With `resumeAt`, text that already
   * stands there, whole or in part, is not written again.
   */
  append(request: {
    path: string
    root: string
    content: string
    resumeAt?: number
  }): Promise<{ offset: number; size: number }>
}

export interface FileContent {
  readonly content: string
  readonly size: number
  /** Where the next read would begin, if there is more. */
  readonly next_offset: number | null
}
