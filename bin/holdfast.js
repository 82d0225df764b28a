#!/usr/bin/env node
// Plain JavaScript that Node 14 can read, because its first task is to find a newer Node.
const version = process.versions.node.split('.').map(Number)
const major = version[0] ?? 0
const minor = version[1] ?? 0
if (major < 24 || (major === 24 && minor < 12)) (await import('./newer-node.js')).runWithNewer()
else await start()

async function start() {
  // Not imported: a module would bring along all that node:fs can do, which takes longer than the rest of this file.
  const { existsSync } = process.getBuiltinModule('node:fs')
  // A status line is drawn again and again, and needs nothing of the rest.
  const isLine = process.argv.length === 3 && process.argv[2] === 'statusline'
  // A clone has sources, and what was built from them may be older.
  if (existsSync(new URL('../src/cli/main.ts', import.meta.url))) {
    await import(isLine ? '../src/hook/main.ts' : '../src/cli/main.ts')
    return
  }
  if (!isLine) useCompileCache()
  const { createRequire } = process.getBuiltinModule('node:module')
  createRequire(import.meta.url)(isLine ? '../dist/statusline.cjs' : '../dist/cli.cjs')
}

/** Node runs what it finds compiled, so it looks only where nobody else can write: not in a shared /tmp. */
function useCompileCache() {
  const { mkdirSync, statSync } = process.getBuiltinModule('node:fs')
  const { XDG_CACHE_HOME: given, HOME: home } = process.env
  const base = given && given.startsWith('/') ? given : home && home + '/.cache'
  if (!base) return
  const folder = base + '/holdfast'
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = statSync(folder)
    if (uid === process.getuid?.() && (mode & 0o022) === 0)
      process.getBuiltinModule('node:module').enableCompileCache(folder)
  } catch {
    // Where nothing can be kept, a start only takes a little longer.
  }
}
