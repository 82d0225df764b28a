import { appendFileSync, existsSync, realpathSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { listBackups } from '../../daemon/backups.ts'
import type { Home } from '../../daemon/home.ts'
import { logLine } from '../../daemon/log.ts'
import { checkBackup, restoreBackup } from '../../daemon/restore.ts'
import { entriesMissing } from '../../daemon/snapshot.ts'
import { timestamp } from '../../model/clock.ts'
import { EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell/word.ts'
import { relativeTime } from '../../model/text/time.ts'
import type { Arguments } from '../frame/args.ts'
import { isConfirmed, tellUnconfirmed } from '../frame/confirm.ts'
import type { Io } from '../frame/io.ts'
import { fitTerminal, printResult } from '../frame/show.ts'
import { drawing, homeOf, POSTGRES } from './backup.ts'
import { insteadOfDaemon } from './offline.ts'
import { Remote } from './remote.ts'
import { untilHttp } from './until-http.ts'

/** Runs `holdfast restore`. */
export async function runRestore(io: Io, { positionals: [wanted], switches }: Arguments): Promise<number> {
  const home = homeOf(
    io,
    `pg_restore --clean --if-exists --single-transaction --dbname=${POSTGRES} holdfast.dump`,
  )
  const { name, path, made_at } = findBackup(io, home, wanted)
  io.draw?.('Checking the backup …')
  await checkBackup(path)
  const later = existsSync(home.database) ? entriesMissing(home.database, path) : 0
  io.draw?.('')
  const about = { name, path, made_at, later_entries: later ?? null }
  if (!io.json)
    io.note(fitTerminal(io, `${name} was made ${relativeTime(made_at)} (${made_at}). ${told(later)}`))
  if (!(await isConfirmed(io, switches, 'Restore it? [y/N] ')))
    return tellUnconfirmed(
      io,
      { ...about, restored: false },
      {
        why: 'Not confirmed; nothing changed.',
        next: `holdfast restore ${shellWord(wanted ?? name)} --yes`,
      },
    )
  const work = () => restoreBackup(home, path, drawing(io, 'Restoring'))
  const { result: set, wasRunning } = await insteadOfDaemon(home, work)
  io.draw?.('')
  const replaced = set === undefined ? null : basename(set)
  appendFileSync(home.log, logLine('info', 'restored', { from: path, replaced }), { mode: 0o600 })
  printResult(io, { ...about, restored: true, replaced, restarts: wasRunning }, () =>
    [
      `Restored ${name}.`,
      ...(replaced === null ? [] : [`The replaced database stays. To go back: holdfast restore ${replaced}`]),
    ].join('\n'),
  )
  if (wasRunning) {
    using remote = new Remote(io)
    await untilHttp(remote)
  }
  return 0
}

const told = (later: number | undefined): string =>
  later === undefined
    ? 'The database of now cannot be read; it is set aside as it is.'
    : `Later ledger entries in the database of now: ${later}. They are set aside with it.`

interface Found {
  readonly name: string
  readonly path: string
  readonly made_at: string
}

/** The backup that the user means. */
function findBackup(io: Io, home: Home, wanted: string | undefined): Found {
  const all = listBackups(home)
  const known = all.find(({ name, kind }) => (wanted === undefined ? kind !== 'replaced' : name === wanted))
  if (known !== undefined) return known
  const path = resolve(io.cwd, wanted ?? '')
  const file = wanted === undefined ? undefined : statSync(path, { throwIfNoEntry: false })
  if (file?.isFile() !== true)
    throw new EngineError(
      'not-found',
      wanted === undefined ? 'There are no backups yet.' : `There is no backup ${wanted}.`,
      {
        hint: 'holdfast backups',
      },
    )
  if (existsSync(home.database) && realpathSync(path) === realpathSync(home.database))
    throw new EngineError('conflict', `${path} is the database itself.`, { hint: 'holdfast backups' })
  return { name: basename(path), path, made_at: timestamp(file.mtimeMs) }
}
