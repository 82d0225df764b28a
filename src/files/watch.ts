import { type FSWatcher, watch } from 'node:fs'

const QUIET_MILLISECONDS = 60
const LATEST_MILLISECONDS = 1000
/** The kernel allows a user some thousands; the rest is found by looking again now and then. */
const MOST_WATCHED = 2000

/** Watches a set of folders, not what is below them, and tells once things are quiet again. */
export class FolderWatch {
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #changed: () => void
  #quiet: NodeJS.Timeout | undefined
  #since = 0

  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** From now on these and no others. */
  set(folders: readonly string[]): void {
    const wanted = new Set(folders.slice(0, MOST_WATCHED))
    for (const [folder, watcher] of this.#watchers)
      if (!wanted.has(folder)) {
        watcher.close()
        this.#watchers.delete(folder)
      }
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#add(folder)
  }

  close(): void {
    this.set([])
    clearTimeout(this.#quiet)
  }

  #add(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#wait())
      // A folder that is removed ends its watcher; the one above it tells.
      watcher.on('error', () => this.#drop(folder))
      this.#watchers.set(folder, watcher)
    } catch {
      // Gone already, or the kernel has no more watches to give: the next look finds what changed.
    }
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
    this.#wait()
  }

  /** An editor writes in several steps, and a checkout changes a thousand files: each is told once. */
  #wait(): void {
    const now = Date.now()
    if (this.#quiet === undefined) this.#since = now
    clearTimeout(this.#quiet)
    const rest = Math.max(0, this.#since + LATEST_MILLISECONDS - now)
    this.#quiet = setTimeout(
      () => {
        this.#quiet = undefined
        this.#changed()
      },
      Math.min(QUIET_MILLISECONDS, rest),
    ).unref()
  }
}
