import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The package that a program belongs to. */
export interface Package {
  readonly folder: string
  /** Whether it has the sources, from which it must be built. */
  readonly isClone: boolean
}

/** The package of an entry; undefined if the entry is a single file, as in tests. */
export function packageOf(entry: string): Package | undefined {
  if (!existsSync(entry)) return undefined
  const real = realpathSync(entry)
  const folder = dirname(dirname(real))
  if (real !== join(folder, 'bin', 'holdfast.js') || aboutIn(folder)?.name !== 'holdfast') return undefined
  return { folder, isClone: existsSync(join(folder, 'src/cli/main.ts')) }
}

/** The files and folders that npm packs, as far as they exist. */
export function packedFiles(folder: string): readonly string[] {
  const names = ['package.json', 'README.md', 'LICENSE', ...(aboutIn(folder)?.files ?? [])]
  return names.filter((name) => existsSync(join(folder, name)))
}

interface About {
  readonly name?: string
  readonly files?: readonly string[]
}

function aboutIn(folder: string): About | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as About
  } catch {
    return undefined
  }
}
