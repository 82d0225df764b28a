import { renameSync, writeFileSync } from 'node:fs'

/** A small file, all of it or nothing, for nobody else to read. */
export function writeWhole(path: string, content: string | Buffer): void {
  const fresh = `${path}.${process.pid}`
  writeFileSync(fresh, content, { mode: 0o600, flush: true })
  renameSync(fresh, path)
}
