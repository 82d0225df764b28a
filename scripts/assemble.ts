import { cpSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { packedFiles } from '../src/cli/program/package.ts'
import { buildIn } from './build.ts'

const ROOT = join(import.meta.dirname, '..')

/** Lays the package into a folder, freshly built, as npm would install it. */
export async function assemble(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const built = new Set(['dist', 'plugin/program'].map((name) => join(ROOT, name)))
  const filter = (path: string): boolean => !built.has(path)
  for (const name of packedFiles(ROOT))
    cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter })
  await buildIn(folder)
}

const [, , folder] = process.argv
if (import.meta.main && folder !== undefined) await assemble(resolve(folder))
