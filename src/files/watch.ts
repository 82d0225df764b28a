import { type FSWatcher, watch } from 'node:fs'

const QUIET_MILLISECONDS = 60
const LATEST_MILLISECONDS = 1000
/** The kernel limits watches per user; the periodic job covers the rest. */
const MOST_WATCHED = 2000

/** Watches a set of folders, not recursively, and reports once changes settle. */
export class FolderWatch {
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #changed: () => void
  #quiet: NodeJS.Timeout | undefined
  #since = 0

  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** Replaces the watched folders. */
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
      // A removed folder ends its watcher; the parent reports the change.
      watcher.on('error', () => this.#drop(folder))
      this.#watchers.set(folder, watcher)
    } catch {
      // Removed, or out of watches: the periodic job finds the change.
    }
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
    this.#wait()
  }

  /** Debounces, because an editor or a checkout causes many events. */
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
