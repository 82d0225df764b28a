import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { workflowDoor } from './workflow-door.ts'

/** Writes every generated file; a test checks that they are current. */
function write(path: string, text: string): void {
  // Unchanged files are not rewritten, because other programs may be reading them.
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  writeFileSync(path, text)
  process.stdout.write(`${path}\n`)
}

// The skills of the package are run to read their plans, and import from the door as it is now.
write('src/workflow/door.json', `${JSON.stringify(workflowDoor(), null, 2)}\n`)
const { generated } = await import('./generated.ts')
for (const [path, text] of Object.entries(await generated())) write(path, text)
