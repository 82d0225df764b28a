#!/usr/bin/env node
// Plain JavaScript with old syntax, because its first task is to tell an old Node what is missing.
import { existsSync } from 'node:fs'
import module from 'node:module'

const version = process.versions.node.split('.').map(Number)
const major = version[0] || 0
const minor = version[1] || 0
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    'holdfast needs Node 24.12 or newer, and this is ' +
      process.versions.node +
      '; try: npm install -g node@24\n',
  )
  process.exit(69)
}

const bundle = new URL('../dist/cli.cjs', import.meta.url)
if (existsSync(bundle)) {
  if (typeof module.enableCompileCache === 'function') module.enableCompileCache()
  module.createRequire(import.meta.url)('../dist/cli.cjs')
} else {
  await import('../src/cli/main.ts')
}
