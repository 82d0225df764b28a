import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { connectTo } from '../src/cli/daemon/connect.ts'
import { stopDaemon } from '../src/cli/daemon/stop.ts'
import { findHome } from '../src/daemon/home.ts'
import type { Database } from '../src/store/database.ts'
import type { openStore as openStoreNow } from '../src/store/store.ts'
import { furnish, putFiles, questionsAbout } from '../test/landed/furnish.ts'
import { startPostgres } from '../test/postgres.ts'

/**
 * Creates `test/landed/VERSION.*`, the data of an older version, for the test that the current version reads it.
 *
 *     git worktree add /tmp/old COMMIT && (cd /tmp/old && npm install)
 *     node scripts/landed-database.ts /tmp/old
 *
 * The older version creates the tables, starts its own daemon and handles calls; its database is then dumped as SQL,
 * with a placeholder for the temporary folder.
 */
const program = resolve(process.argv[2] ?? '')
const { version } = (await import(join(program, 'package.json'), { with: { type: 'json' } })).default as {
  version: string
}
const from = async <T>(path: string) => (await import(join(program, 'src', path))) as T

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-landed-')))
const postgres = await startPostgres()
try {
  const sqlite = join(folder, 'home', 'engine.db')
  await make('sqlite', {}, async () =>
    (await from<{ openSqlite(path: string): Database }>('store/sqlite.ts')).openSqlite(sqlite),
  )
  const url = await postgres.createDatabase()
  await make('postgres', { HOLDFAST_DATABASE_URL: url }, async () =>
    (await from<{ openPostgres(url: string): Promise<Database> }>('store/postgres.ts')).openPostgres(url),
  )
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function make(kind: 'sqlite' | 'postgres', more: object, open: () => Promise<Database>): Promise<void> {
  const project = join(folder, 'project')
  putFiles(project)
  mkdirSync(join(folder, 'home'), { recursive: true, mode: 0o700 })
  const made = await tables(await open())
  const answers = await live(project, more)
  const database = await open()
  const text = [...made, ...(await rowsOf(database)), ''].join(';\n')
  await database.close()
  keep(`${kind}.sql`, text)
  keep(`${kind}.json`, `${JSON.stringify(answers, null, 2)}\n`)
  for (const one of ['home', 'project']) rmSync(join(folder, one), { recursive: true, force: true })
}

function keep(name: string, text: string): void {
  writeFileSync(join('test/landed', `${version}.${name}`), text.replaceAll(folder, '{{folder}}'))
}

/** The statements that the older version used to create its tables. */
async function tables(database: Database): Promise<readonly string[]> {
  const { openStore } = await from<{ openStore: typeof openStoreNow }>('store/store.ts')
  const statements: string[] = []
  const watched: Database = {
    ...database,
    transact: (run, options) =>
      database.transact(
        (tx) =>
          run({
            ...tx,
            execute(statement) {
              if (/^(create|alter|drop)/.test(statement.sql)) statements.push(statement.sql)
              return tx.execute(statement)
            },
          }),
        options,
      ),
  }
  await (await openStore(watched, { clock: { now: () => Date.now() } })).close()
  // Each version check repeats one of these statements.
  return statements.filter(
    (sql, index) => !sql.includes('if not exists') || statements.indexOf(sql) === index,
  )
}

/** Runs the older daemon on sample calls, and returns its answers. */
async function live(project: string, more: object): Promise<readonly unknown[]> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(folder, 'user'),
    CLAUDE_CONFIG_DIR: join(folder, 'user', '.claude'),
    HOLDFAST_HOME: join(folder, 'home'),
    ...more,
  }
  const home = findHome(env)
  execFileSync(process.execPath, [join(program, 'src/cli/main.ts'), 'daemon', 'start'], { env, cwd: project })
  // Not through the current commands, which would make the older daemon hand over.
  const connection = await connectTo(home)
  if (connection === undefined) throw new Error('The older daemon is not listening.')
  const ask = (method: string, params: object = {}) => connection.call(method, params)
  await furnish(ask, project)
  const answers: unknown[] = []
  for (const [method, params] of questionsAbout(project)) answers.push(await ask(method, params))
  connection.close()
  await stopDaemon(home)
  return answers
}

async function rowsOf(database: Database): Promise<readonly string[]> {
  const read = <Row>(sql: string) => database.transact((tx) => tx.execute<Row>({ sql, parameters: [] }))
  const isSqlite = database.kind === 'sqlite'
  const names = await read<{ name: string }>(
    isSqlite
      ? `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`
      : `select tablename as name from pg_tables where schemaname = 'public'`,
  )
  // Rows reference each other in both directions.
  const statements = [isSqlite ? 'pragma foreign_keys = off' : 'set session_replication_role = replica']
  for (const { name } of names.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    for (const row of await read<Record<string, unknown>>(`select * from ${name} order by 1`))
      statements.push(
        `insert into ${name} (${Object.keys(row).join(', ')}) values (${Object.values(row).map(literal).join(', ')})`,
      )
  const counters = await read<{ name: string; value: number | null }>(
    isSqlite
      ? 'select name, seq as value from sqlite_sequence'
      : `select sequencename as name, last_value as value from pg_sequences where schemaname = 'public'`,
  )
  for (const { name, value } of counters)
    if (value !== null)
      statements.push(
        isSqlite
          ? `update sqlite_sequence set seq = ${value} where name = '${name}'`
          : `select setval('${name}', ${value})`,
      )
  return statements
}

function literal(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  throw new TypeError(`There is no SQL literal for a ${typeof value}.`)
}
