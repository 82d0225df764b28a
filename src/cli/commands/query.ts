import { findHome, type Home } from '../../daemon/home.ts'
import { EngineError } from '../../model/error.ts'
import type { Rows } from '../../store/reader.ts'
import { withReader } from '../daemon/reader.ts'
import type { Command } from '../frame/command.ts'
import { readValue, usage } from '../frame/io.ts'
import { cell } from '../frame/print.ts'
import { printResult } from '../frame/show.ts'
import { table } from '../frame/table.ts'

export const query: Command = {
  name: 'query',
  summary: 'Run a read-only SQL query on the database.',
  usage: 'SQL|@file|-',
  places: {
    'SQL|@file|-':
      'one statement; views: active_efforts, task_summary, stale_sessions, fleet_status (only agents that own an effort)',
  },
  flags: { tsv: { kind: 'switch', summary: 'print tab-separated values without a header' } },
  examples: [
    'holdfast query "SELECT * FROM active_efforts"',
    'holdfast query "SELECT count(*) FROM efforts" --tsv',
  ],
  async run(io, { positionals, switches }) {
    if (io.json && switches.has('tsv')) throw usage('--json and --tsv exclude each other.')
    const rows = await ask(findHome(io.env), readValue(positionals[0] ?? '', io))
    if (switches.has('tsv')) for (const row of rows) io.out(Object.values(row).map(cell).join('\t'))
    else printResult(io, rows, () => (rows.length === 0 ? '(none)' : table(io, rows, { all: true })))
    return 0
  },
}

const ask = (home: Home, sql: string): Promise<Rows> =>
  withReader(home, async (reader) => {
    try {
      return await reader.query(sql)
    } catch (error) {
      throw explain(error, home)
    }
  })

function explain(error: unknown, home: Home): EngineError {
  if (error instanceof EngineError) return error
  const message = error instanceof Error ? error.message : String(error)
  const writes = /readonly|read-only/i.test(message)
  return new EngineError(
    'invalid',
    writes ? 'query is read-only; nothing changed.' : `The database reports: ${message.replace(/\.+$/, '')}.`,
    {
      hint: writes
        ? 'holdfast rpc --list'
        : `holdfast query "SELECT * FROM ${home.isPostgres ? 'pg_tables' : 'sqlite_schema'}"`,
    },
  )
}
