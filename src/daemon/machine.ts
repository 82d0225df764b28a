import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Machine } from '../engine/call/context.ts'
import type { Home } from './home.ts'
import { isRunning } from './processes.ts'
import { writeWhole } from './write-whole.ts'

/** The machine of a home; its id is random, because host names change and repeat. */
export function machineOf({ machine: path }: Pick<Home, 'machine'>): Machine {
  return { machine_id: idIn(path) ?? newId(path), label: hostname(), isRunning }
}

function idIn(path: string): string | undefined {
  try {
    const id = readFileSync(path, 'utf8').trim()
    return /^[0-9a-f-]{36}$/.test(id) ? id : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Called under the lock of the home, so that only one daemon writes. */
function newId(path: string): string {
  const id = randomUUID()
  writeWhole(path, `${id}\n`)
  return id
}
