import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Loaded before a program: kills it before the change of the disk with the number in HOLDFAST_TEST_DIES_AT. */
let left = Number(process.env['HOLDFAST_TEST_DIES_AT'])

const CHANGES = [
  'mkdirSync',
  'mkdtempSync',
  'writeFileSync',
  'renameSync',
  'rmSync',
  'rmdirSync',
  'cpSync',
  'chmodSync',
] as const

for (const name of CHANGES)
  fs[name] = new Proxy(fs[name], {
    apply(change, self, words: unknown[]) {
      if (--left === 0) process.kill(process.pid, 'SIGKILL')
      return Reflect.apply(change, self, words) as unknown
    },
  }) as never
syncBuiltinESMExports()
