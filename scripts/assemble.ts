import { cpSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { packedFiles } from '../src/cli/program/package.ts'
import { bundle } from './build.ts'

const ROOT = join(import.meta.dirname, '..')

/** Lays the package into a folder, freshly built, as npm would install it. */
export async function assemble(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const name of packedFiles(ROOT).filter((one) => one !== 'dist'))
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  await bundle(join(folder, 'dist'))
}

const [, , folder] = process.argv
if (import.meta.main && folder !== undefined) await assemble(resolve(folder))
