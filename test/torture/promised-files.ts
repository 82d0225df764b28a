import { existsSync, readFileSync, statSync } from 'node:fs'
import type { CrashRecord } from './crash-record.ts'

/** A file or folder that an answered call has written. */
export interface Promised {
  readonly key: string
  readonly path: string
  /** A text that the file has; undefined for a folder. */
  readonly has?: string
}

/** Every promised file is there with its text. */
export function checkPromises(all: readonly Promised[], record: CrashRecord): void {
  for (const { key, path, has } of all) {
    if (!existsSync(path)) record.report('lost', `${path}, which ${key} has written, is gone`)
    else if (has === undefined ? !statSync(path).isDirectory() : !readFileSync(path, 'utf8').includes(has))
      record.report('lost', `${path} lacks what ${key} has written`)
  }
}
