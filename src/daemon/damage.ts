import { join } from 'node:path'
import { shellWord } from '../model/shell/word.ts'
import { freeName } from './free-name.ts'
import type { Home } from './home.ts'

/** SQLITE_CORRUPT and SQLITE_NOTADB; other errors do not mean damage. */
const SQLITE_DAMAGE = new Set([11, 26])

/** Whether an error of SQLite means that the file is damaged. */
export const isDamage = (error: unknown): error is Error =>
  error instanceof Error && 'errcode' in error && SQLITE_DAMAGE.has(Number(error.errcode) & 0xff)

/** The command that moves a database and its files away, so that the daemon creates a new one. */
export function moveDatabaseAway({ folder, database }: Home): string {
  const away = shellWord(freeName(join(folder, 'engine'), 'damaged'))
  return `holdfast daemon stop; mkdir ${away} && mv ${shellWord(database)}* ${away}`
}
