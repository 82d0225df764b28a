/** SQLITE_CORRUPT and SQLITE_NOTADB; other errors do not mean damage. */
const SQLITE_DAMAGE = new Set([11, 26])

/** Whether an error of SQLite means that the file is damaged. */
export const isDamage = (error: unknown): error is Error =>
  error instanceof Error && 'errcode' in error && SQLITE_DAMAGE.has(Number(error.errcode) & 0xff)
