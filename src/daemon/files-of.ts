import { statSync } from 'node:fs'
import type { Seen, WatchedFiles } from '../store/file-watch.ts'
import { keeper, readKept } from './acknowledged.ts'
import type { Home } from './home.ts'

/** Where it is kept how far changes were acknowledged; its name lets it move with the database. */
export const keptFile = ({ database }: Pick<Home, 'database'>): string => `${database}-acknowledged`

/** The files of the embedded database of a home, as the disk shows them. */
export const filesOf = (home: Pick<Home, 'database' | 'lock'>): WatchedFiles => ({
  database: home.database,
  log: `${home.database}-wal`,
  lock: home.lock,
  see,
  keep: keeper(keptFile(home), readKept(keptFile(home))),
})

export function see(path: string): Seen | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && { inode: found.ino, size: found.size, changed: found.mtimeMs }
}
