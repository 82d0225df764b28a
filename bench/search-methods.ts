import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pieceOf } from '../src/model/search/piece.ts'
import { wordsOf } from '../src/model/search/question.ts'
import { rank } from '../src/model/search/rank.ts'
import { upsertProject } from '../src/store/project.ts'
import { findChunks } from '../src/store/find.ts'
import { replaceSource } from '../src/store/search.ts'
import { openSqlite } from '../src/store/sqlite.ts'
import { openStore } from '../src/store/store.ts'
import type { Passage, PairSet } from './search-pairs.ts'

/** Finds passages for a question, best first. */
export type Method = (question: string) => Promise<readonly Passage[]>

/** More than ten, because several passages may belong to one answer. */
const MOST = 30

/** The bare ranking of SQLite with the stems of Porter, over the text alone or with the headings before it. */
export function bm25({ passages }: PairSet, has: 'text' | 'headings and text'): Method {
  const db = new DatabaseSync(':memory:')
  db.exec(`create virtual table pieces using fts5(text, tokenize='porter unicode61')`)
  const insert = db.prepare('insert into pieces(rowid, text) values (?, ?)')
  db.exec('begin')
  for (const [at, { heading, text }] of passages.entries())
    insert.run(at, has === 'text' ? text : `${heading}\n${text}`)
  db.exec('commit')
  const find = db.prepare(`select rowid from pieces where pieces match ? order by rank, rowid limit ${MOST}`)
  return (question) => {
    const words = wordsOf(question).map((word) => `"${word}"`)
    const rows = words.length === 0 ? [] : find.all(words.join(' OR '))
    return Promise.resolve(rows.flatMap(({ rowid }) => passages[Number(rowid)] ?? []))
  }
}

/** What `holdfast search` finds, by words. */
export async function ours({ passages }: PairSet, folder: string): Promise<Method> {
  const store = await openStore(openSqlite(join(folder, 'engine.db')), { clock: { now: () => Date.now() } })
  const at = new Date().toISOString()
  const project = await store.transact((tx) => upsertProject(tx, { path: folder, name: null, now: at }))
  for (const [path, own] of Map.groupBy(passages, (passage) => passage.path))
    await store.transact((tx) =>
      replaceSource(
        tx,
        { project_id: project?.id ?? 0, source_type: 'doc', source_path: path, digest: '', at },
        own.map(pieceOf),
      ),
    )
  const known = new Map(passages.map((passage) => [keyOf(passage.path, passage.text), passage]))
  return async (question) => {
    const found = await store.transact((tx) => findChunks(tx, { words: wordsOf(question), limit: 100 }), {
      reads: true,
    })
    return rank(found, MOST).flatMap(
      ({ source_path: path, chunk_text: text }) => known.get(keyOf(path, text)) ?? [],
    )
  }
}

const keyOf = (path: string, text: string): string => `${path}\0${text}`
