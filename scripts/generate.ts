import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { generated } from './generated.ts'

/** Writes every file that is made from the tables of the code; a test holds them to it. */
for (const [path, text] of Object.entries(generated())) {
  // What is as it should be is left alone: others may be reading it.
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
  writeFileSync(path, text)
  process.stdout.write(`${path}\n`)
}
