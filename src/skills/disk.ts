/** What the caller knows about files beyond their texts. */
export interface Disk {
  /** Whether a path relative to the root exists; it may lie above the root. */
  exists(path: string): boolean
  /** Whether the bytes of a file are valid UTF-8. */
  isUtf8(path: string): boolean
  /** How many folders lie between the root and its repository. */
  readonly above: number
}
