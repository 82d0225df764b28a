import { readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'

const SKIPPED = new Set(['node_modules', '.git', '.hg', '.venv', '__pycache__'])
const DEEPEST = 32

/** All files below a folder whose names end so, as paths below it. Links are followed once, so that loops end. */
export function walk(root: string, wanted: RegExp): readonly string[] {
  const found: string[] = []
  const seen = new Set<string>()
  const visit = (folder: string, below: string, depth: number): void => {
    const real = realpathSync(folder)
    if (seen.has(real) || depth > DEEPEST) return
    seen.add(real)
    for (const entry of readdirSync(folder, { withFileTypes: true }).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const path = join(folder, entry.name)
      const name = below === '' ? entry.name : `${below}/${entry.name}`
      const kind = entry.isSymbolicLink()
        ? linkedKind(path)
        : entry.isDirectory()
          ? 'folder'
          : entry.isFile()
            ? 'file'
            : 'other'
      if (kind === 'folder' && !SKIPPED.has(entry.name)) visit(path, name, depth + 1)
      if (kind === 'file' && wanted.test(entry.name)) found.push(name)
    }
  }
  visit(root, '', 0)
  return found
}

/** What a link leads to; one that leads nowhere or round in a circle is nothing. */
function linkedKind(path: string): 'folder' | 'file' | 'other' {
  try {
    const info = statSync(path)
    return info.isDirectory() ? 'folder' : info.isFile() ? 'file' : 'other'
  } catch {
    return 'other'
  }
}
