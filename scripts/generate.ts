import { writeFileSync } from 'node:fs'
import { generated } from './generated.ts'

/** Writes every file that is made from the tables of the code; a test holds them to it. */
for (const [path, text] of Object.entries(generated())) {
  writeFileSync(path, text)
  process.stdout.write(`${path}\n`)
}
