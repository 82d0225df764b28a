#!/usr/bin/env node
// Plain JavaScript that Node 14 can read, because its first task is to tell an old Node what is missing.
const version = process.versions.node.split('.').map(Number)
const major = version[0] ?? 0
const minor = version[1] ?? 0
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    'holdfast needs Node 24.12 or newer, and this is ' +
      process.versions.node +
      '; try: npm install -g node@24\n',
  )
  process.exit(69)
}

// Not imported: a module would bring along all that node:fs can do, which takes longer than the rest of this file.
const { existsSync, mkdirSync, statSync } = process.getBuiltinModule('node:fs')
const module = process.getBuiltinModule('node:module')

// A status line is drawn again and again, and needs nothing of the rest.
const isLine = process.argv.length === 3 && process.argv[2] === 'statusline'
const bundle = isLine ? '../dist/statusline.cjs' : '../dist/cli.cjs'

if (existsSync(new URL(bundle, import.meta.url))) {
  if (!isLine) useCompileCache()
  module.createRequire(import.meta.url)(bundle)
} else {
  await import(isLine ? '../src/hook/main.ts' : '../src/cli/main.ts')
}

/** Node runs what it finds compiled, so it looks only where nobody else can write: not in a shared /tmp. */
function useCompileCache() {
  const { XDG_CACHE_HOME: given, HOME: home } = process.env
  const base = given && given.startsWith('/') ? given : home && home + '/.cache'
  if (!base) return
  const folder = base + '/holdfast'
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = statSync(folder)
    if (uid === process.getuid?.() && (mode & 0o022) === 0) module.enableCompileCache(folder)
  } catch {
    // Where nothing can be kept, a start only takes a little longer.
  }
}
