import { describe, expect, test } from 'vitest'
import { NOT_SAID, SAID } from './forget-columns.ts'
import type { Open } from './open.contract.ts'
import { migrated } from './constraints.contract.ts'

const TEXTS = {
  sqlite: `select m.name as "table", c.name as "column" from sqlite_schema m, pragma_table_info(m.name) c
    where m.type = 'table' and m.sql not like 'create virtual%' and m.name not like 'embedding_words%'
      and m.name not like 'sqlite_%' and lower(c.type) in ('text', 'blob', '')`,
  postgres: `select table_name as "table", column_name as "column" from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and data_type in ('text', 'bytea', 'jsonb', 'bit varying')`,
}

/** What forgetting knows of the tables. */
export function forgetColumnsContract(open: Open): void {
  describe('forget', () => {
    test('decides for every column with texts whether people or agents say something there', async () => {
      await using it = await migrated(open)
      const rows = await it.store.transact((tx) =>
        tx.execute<{ table: string; column: string }>({ sql: TEXTS[tx.kind], parameters: [] }),
      )
      const found = rows.map(({ table, column }) => `${table}.${column}`).toSorted()
      const said = Object.entries(SAID).flatMap(([table, columns]) =>
        Object.keys(columns).map((column) => `${table}.${column}`),
      )
      const others = Object.entries(NOT_SAID).flatMap(([table, columns]) =>
        columns.split(/\s+/).map((column) => `${table}.${column}`),
      )
      expect(found.filter((column) => !said.includes(column) && !others.includes(column))).toEqual([])
      expect([...said, ...others].filter((column) => !found.includes(column))).toEqual([])
      expect(said.filter((column) => others.includes(column))).toEqual([])
    })
  })
}
