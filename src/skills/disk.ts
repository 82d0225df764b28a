/** What the caller knows about files beyond their texts. */
export interface Disk {
  /** Whether a path exists; a relative one is below the root, or above it. */
  exists(path: string): boolean
  /** Whether the bytes of a file are valid UTF-8. */
  isUtf8(path: string): boolean
  /** The folders of the user and of the package that may have conventions and resources; absolute. */
  readonly textFolders: readonly string[]
  /** How many folders lie between the root and its repository. */
  readonly above: number
}
