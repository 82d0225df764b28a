import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { memoryDisk } from '../../test/memory-disk.ts'
import { damageIn } from './damage.ts'
import { damageIndex } from './damaged-index.contract.ts'

const EXTENTS = ['whole', 'by-table'] as const

/** A path for a database, and what a check of it finds. */
function made() {
  const folder = mkdtempSync(join(memoryDisk, 'holdfast-damage-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'one.db')
  const check = (extent: (typeof EXTENTS)[number]) => {
    using db = new DatabaseSync(path, { readOnly: true })
    return damageIn(db, extent)
  }
  return { path, check }
}

test.each(EXTENTS)('an intact database has no damage: %s', (extent) => {
  const { path, check } = made()
  new DatabaseSync(path).exec('create table "a ""quoted"" name" (id integer primary key)')
  expect(check(extent)).toBeUndefined()
})

test.each(EXTENTS)('an index without its rows is damage: %s', (extent) => {
  const { path, check } = made()
  damageIndex(path)
  expect(check(extent)).toContain('missing from index found')
})

test.each(EXTENTS)('a row without its parent is damage: %s', (extent) => {
  const { path, check } = made()
  new DatabaseSync(path, { enableForeignKeyConstraints: false }).exec(
    'create table up (id integer primary key); create table down (up integer references up); insert into down values (1)',
  )
  expect(check(extent)).toContain('a row has no parent')
})

test.each(EXTENTS)('a free page that is none is damage: %s', (extent) => {
  const { path, check } = made()
  new DatabaseSync(path).exec(
    'create table gone (b blob); insert into gone values (zeroblob(100000)); drop table gone',
  )
  const bytes = readFileSync(path)
  // The first page of the list of free pages.
  bytes.writeUInt32BE(1, 32)
  writeFileSync(path, bytes)
  expect(check(extent)).toMatch(/free/i)
})

test.each(EXTENTS)('a file that is no database is damage: %s', (extent) => {
  const { path, check } = made()
  writeFileSync(path, 'This is no database, but long enough for one. '.repeat(200))
  expect(check(extent)).toContain('not a database')
})
