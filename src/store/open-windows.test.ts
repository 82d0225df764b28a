import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Changes of columns that no open window shows, and of what an open window already has. */
const UNSEEN = ['addPending', 'beginTranscript', 'moveImported', 'moveTranscript', 'setStale']

const sources = readdirSync(import.meta.dirname).filter(
  (name) => name.endsWith('.ts') && !/\.(?:test|contract)\.ts$/.test(name),
)

/** The queries of the store, with the function that makes each of them. */
const queries = sources.flatMap((name) =>
  readFileSync(join(import.meta.dirname, name), 'utf8')
    .split(/^(?=(?:export )?const )/m)
    .flatMap((text) => {
      const [, query = '', maker = ''] = /^(?:export )?const (\w+) = (\w+)</.exec(text) ?? []
      return query === '' ? [] : [{ query, maker, text }]
    }),
)

const changing = (table: string) =>
  queries.filter(({ text }) => new RegExp(`\\.(?:updateTable|deleteFrom)\\('${table}'\\)`).test(text))

test('every query that changes the row of a session drops its open window', () => {
  const plain = changing('sessions').filter(({ maker }) => maker !== 'windowChange')
  expect(plain.map(({ query }) => query).toSorted()).toEqual(UNSEEN)
})

test('every query that changes a delegation drops the open window of its session', () => {
  expect(new Set(changing('delegations').map(({ maker }) => maker))).toEqual(new Set(['delegationChange']))
})
