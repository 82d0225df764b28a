import { existsSync, readFileSync, rmSync } from 'node:fs'
import type { Home } from './home.ts'
import { writeWhole } from './write-whole.ts'

/** What is wrong with the files of the database, kept beside it until it is settled. */
export interface KeptDoubt {
  /** Why the last daemon stopped; the next start checks the files and settles it. */
  readonly stopped: string | null
  /** What starts found and could not mend; the user settles it by removing the file. */
  readonly found: readonly string[]
}

/** Its name begins with that of the database, so that it moves with it. */
export const doubtFile = ({ database }: Pick<Home, 'database'>): string => `${database}-doubt`

export function readDoubt(home: Pick<Home, 'database'>): KeptDoubt {
  const path = doubtFile(home)
  if (!existsSync(path)) return { stopped: null, found: [] }
  try {
    const { stopped = null, found = [] } = JSON.parse(readFileSync(path, 'utf8')) as Partial<KeptDoubt>
    return { stopped, found }
  } catch {
    return { stopped: `${path} cannot be read.`, found: [] }
  }
}

export function keepDoubt(home: Pick<Home, 'database'>, { stopped, found }: KeptDoubt): void {
  if (stopped === null && found.length === 0) return rmSync(doubtFile(home), { force: true })
  writeWhole(doubtFile(home), `${JSON.stringify({ stopped, found: [...new Set(found)] })}\n`)
}
