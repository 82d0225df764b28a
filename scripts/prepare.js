// Plain JavaScript that Node 14 can read: `npm install` in a clone runs it with any Node, and must not fail because of it.
import { fileURLToPath } from 'node:url'

// `npm pack` builds by itself.
if (process.env['npm_command'] !== 'pack')
  try {
    const { buildIn } = await import('./build.ts')
    await buildIn(fileURLToPath(new URL('..', import.meta.url)))
  } catch (error) {
    const [why] = String(error).split('\n')
    process.stderr.write(`The plugin is not built (${why}). With Node 24.12 or newer: npm run build\n`)
  }
