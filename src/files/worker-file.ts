import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The file of a thread: beside the bundle, or beside the source that starts it. */
export function workerFile(folder: string, name: string): string {
  const bundled = join(folder, `${name}.cjs`)
  return existsSync(bundled) ? bundled : join(folder, `${name}.ts`)
}
