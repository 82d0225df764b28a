import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { generated } from './generated.ts'

/** Writes every generated file; a test checks that they are current. */
for (const [path, text] of Object.entries(await generated())) {
  // Unchanged files are not rewritten, because other programs may be reading them.
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
  writeFileSync(path, text)
  process.stdout.write(`${path}\n`)
}
