import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COUNTS } from '../src/model/count.ts'
import { ERROR_CODES } from '../src/model/error.ts'
import { LEDGER_EVENTS } from '../src/model/ledger.ts'
import type { Database } from '../src/store/database.ts'
import { OpenWindows } from '../src/store/open-windows.ts'
import { temporarySqlite } from '../src/store/open.contract.ts'
import type { Tx } from '../src/store/query.ts'
import { AWAITED } from '../src/store/awaited.ts'
import { openStore } from '../src/store/store.ts'

const isTest = (file: string) => /\.(test|contract)\.ts$/.test(file)
const sourcesIn = (...patterns: readonly string[]) => globSync([...patterns]).filter((file) => !isTest(file))
const textsIn = (...patterns: readonly string[]) =>
  sourcesIn(...patterns).map((file) => readFileSync(file, 'utf8'))

/**
 * Events that no code uses yet, with the feature that will. Each has its own answer form, which clients must know.
 */
const EVENTS_AWAITED: Readonly<Record<string, string>> = {
  'compact.after': 'memory of all sessions',
  'message.shown': 'memory of all sessions',
  'question.asked': 'memory of all sessions',
  'question.answered': 'memory of all sessions',
  'instructions.loaded': 'directives that the client has loaded itself',
  'cwd.changed': 'workplaces',
  'folder.added': 'workplaces',
  'worktree.wanted': 'workplaces',
  'worktree.removed': 'workplaces',
  'file.changed': 'plans that somebody edits under way',
  'model.switching': 'how full a context window is',
  'model.switched': 'how full a context window is',
  setup: 'init in a fresh clone',
}

/** Sample arguments for a query; each is tried, because only the shape matters. */
const GIVEN: readonly (readonly unknown[])[] = [
  [{}, {}, {}],
  [1, [{}]],
  [[{}]],
  [{ openWindows: new OpenWindows() }, {}],
]

/** The SQL of every query of the store, for both databases. */
async function allQueries(): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const file of sourcesIn('src/store/*.ts')) {
    const module = (await import(resolve(file))) as Readonly<Record<string, unknown>>
    const functions = Object.values(module).filter((value) => typeof value === 'function')
    for (const kind of ['sqlite', 'postgres'] as const) {
      const tx: Tx = {
        kind,
        execute({ sql }) {
          found.add(sql)
          return Promise.resolve([])
        },
        onRollback: () => undefined,
      }
      for (const work of functions)
        for (const given of GIVEN)
          try {
            await (work as (...words: readonly unknown[]) => unknown)(tx, ...given)
          } catch {
            // It is not a query, or needs other arguments.
          }
    }
  }
  return [...found]
}

interface Column {
  readonly table: string
  readonly column: string
}

/** The real columns of every table, and the queries of opening a store. */
async function opening(): Promise<{ columns: readonly Column[]; asked: readonly string[] }> {
  const opened = await temporarySqlite()
  const asked: string[] = []
  const { database } = opened
  const watched: Database = {
    ...database,
    transact: (run, options) =>
      database.transact((tx) => {
        const execute: Tx['execute'] = (statement) => {
          asked.push(statement.sql)
          return tx.execute(statement)
        }
        return run({ ...tx, execute })
      }, options),
  }
  const store = await openStore(watched, { clock: { now: () => Date.now() } })
  try {
    const columns = await opened.look(
      `select m.name as "table", c.name as "column" from sqlite_master m, pragma_table_info(m.name) c
        where m.type = 'table' and m.name not like 'embedding_words%' and m.name not like 'sqlite_%'`,
    )
    // Creating a table is not a use of it.
    return {
      columns: columns as unknown as readonly Column[],
      asked: asked.filter((sql) => /^(select|insert)/.test(sql)),
    }
  } finally {
    await store.close()
    await opened.dispose()
  }
}

const uses = (sql: string, table: string, column?: string): boolean =>
  new RegExp(`\\b(from|into|update|join) "?${table}"?\\b`).test(sql) &&
  (column === undefined || new RegExp(`\\b${column}\\b`).test(sql))

describe('the schema', async () => {
  const { columns, asked } = await opening()
  const queries = [...(await allQueries()), ...asked]
  const isAwaited = (table: string, column: string) =>
    Object.hasOwn(AWAITED, table) || Object.hasOwn(AWAITED, `${table}.${column}`)

  test('has many queries that this test sees', () => {
    expect(queries.length).toBeGreaterThan(200)
  })

  test('has no column without a query, except for those of a future feature', () => {
    const unused = columns
      .filter(({ table, column }) => !isAwaited(table, column))
      .filter(({ table, column }) => !queries.some((sql) => uses(sql, table, column)))
    expect(unused).toEqual([])
  })

  test.each(Object.keys(AWAITED))('has %s, which a future feature needs', (name) => {
    const [table = '', column] = name.split('.')
    const there = columns.filter((one) => one.table === table && (column ?? one.column) === one.column)
    expect(there.length).toBeGreaterThan(0)
    expect(queries.filter((sql) => uses(sql, table, column))).toEqual([])
  })
})

describe('every kind', () => {
  const engine = textsIn('src/engine/**/*.ts')

  test.each(LEDGER_EVENTS)('%s of ledger entry is recorded somewhere', (kind) => {
    // An event or a change of the same name would be compared, not recorded.
    const recorded = new RegExp(`(?<!(?:kind: |kind === |kind !== |case ))'${kind.replace('.', '[.]')}'`)
    expect(engine.some((text) => recorded.test(text))).toBe(true)
  })

  const changes = kindsIn('src/model/change.ts', 'export type Change =')
  test.each(changes)('%s of change is made by a rule and applied by the engine', (kind) => {
    const made = textsIn('src/rules/*.ts', 'src/engine/**/*.ts').some((text) =>
      text.includes(`kind: '${kind}'`),
    )
    const applied = engine.some((text) => text.includes(`case '${kind}'`) || text.includes(`'${kind}':`))
    expect({ made, applied }).toEqual({ made: true, applied: true })
  })

  const happenings = kindsIn('src/model/event.ts', 'export type Happening =')
  test.each(happenings)('%s of event is needed by a rule, the engine or a feature', (kind) => {
    const wanting = textsIn('src/rules/*.ts', 'src/engine/**/*.ts', 'src/model/**/*.ts').filter(
      (text) => text.includes(`'${kind}'`) && !text.includes('export type Happening ='),
    )
    expect(wanting.length > 0).toBe(!Object.hasOwn(EVENTS_AWAITED, kind))
  })

  const codes = Object.entries(ERROR_CODES)
  test.each(codes)('%s of error is thrown, or sent by the wire', (code, { rpc }) => {
    const thrown = textsIn('src/**/*.ts').some((text) => new RegExp(`EngineError\\(\\s*'${code}'`).test(text))
    expect(thrown || readFileSync('src/rpc/message.ts', 'utf8').includes(String(rpc))).toBe(true)
  })

  test.each(Object.keys(COUNTS))('%s of count is counted', (name) => {
    const counted = new RegExp(`counts\\.${name}(\\+\\+| = )`)
    expect(textsIn('src/daemon/**/*.ts').some((text) => counted.test(text))).toBe(true)
  })
})

/** The kinds of a union, up to the next declaration. */
function kindsIn(file: string, from: string): readonly string[] {
  const [, after = ''] = readFileSync(file, 'utf8').split(from)
  const [union = ''] = after.split(/\n(?=\/\*\*|export)/)
  return [...new Set([...union.matchAll(/readonly kind: '([^']+)'/g)].map(([, kind = '']) => kind))]
}
