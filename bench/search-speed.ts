import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { codeOf, toBytes } from '../src/model/search/codes.ts'
import { type Piece, pieceOf } from '../src/model/search/piece.ts'
import { rank } from '../src/model/search/rank.ts'
import { upsertProject } from '../src/store/project.ts'
import type { Tx } from '../src/store/query.ts'
import { findChunks } from '../src/store/find.ts'
import { replaceSource } from '../src/store/search.ts'
import { openSqlite } from '../src/store/sqlite.ts'
import { openStore } from '../src/store/store.ts'
import { findByBoth, scanInMemory } from '../src/store/vector.ts'
import { atMost, compared, race, type Row, timed } from './measure.ts'
import { withFolder } from './processes.ts'
import { numbersFrom } from './search-pairs.ts'

const PIECES = 100_000
const PER_SOURCE = 100
const WORDS = 30_000
const WORDS_PER_PIECE = 100
const WORDS_PER_QUESTION = 8
const DIMENSIONS = 384
const SEED = 7

/** Searches of a large index, against the bare query that finds candidates in it. */
export function speed(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const path = join(folder, 'engine.db')
    const texts = textsFrom(numbersFrom(SEED))
    const rates = await fill(path, texts)
    putVectors(path)
    const db = new DatabaseSync(path, { readOnly: true })
    const tx = readsOf(db)
    const scan = scanInMemory(tx)
    const questions = numbersFrom(SEED + 1)
    const meanings = numbersFrom(SEED + 2)
    const wanted = (words: readonly string[]) => ({ words, project_id: 1, limit: 100 })
    const next = () => Array.from({ length: WORDS_PER_QUESTION }, () => wordFrom(questions))
    const byBoth = async (words: readonly string[]) => {
      const vector = vectorFrom(meanings)
      const meaning = { space_id: 1, vector, code: codeOf(vector) }
      return rank(await findByBoth(tx, wanted(words), meaning, scan), 10)
    }
    const times = await race(
      { rounds, calls: 200, turns: 10, warmUp: 20 },
      {
        bare: timed(bareQuery(db), next),
        words: timed(async (words) => rank(await findChunks(tx, wanted(words)), 10), next),
        both: timed(byBoth, next),
      },
    )
    const line = { name: 'search', against: 'bare planned query', baseline: times.bare, unit: 'ms' } as const
    return [
      ...rates,
      compared({ ...line, what: `words, ${PIECES} pieces, top 10`, times: times.words, target: atMost(3) }),
      compared({ ...line, what: 'words and meaning', times: times.both, target: atMost(3) }),
      { name: 'search', what: 'memory after all of it', unit: 'MB', p50: process.memoryUsage().rss / 1e6 },
    ]
  })
}

/** Reads as the thread of the index does, but here, so that no other process is in the way. */
const readsOf = (db: DatabaseSync): Tx => ({
  kind: 'sqlite',
  execute: ({ sql, parameters }) =>
    Promise.resolve(db.prepare(sql).all(...(parameters as SQLInputValue[])) as never[]),
  onRollback: () => undefined,
})

/** The rarest words of a question, counted beforehand by the vocabulary of the index, ordered by its own ranking. */
function bareQuery(db: DatabaseSync): (words: readonly string[]) => unknown {
  db.exec(`create virtual table temp.vocabulary using fts5vocab('main', 'embedding_words', 'row')`)
  const counts = new Map(
    db
      .prepare('select term, doc from temp.vocabulary')
      .all()
      .map(({ term, doc }) => [String(term), Number(doc)]),
  )
  const query = db.prepare(
    `select rowid from embedding_words where embedding_words match ? order by bm25(embedding_words) limit 10`,
  )
  return (words) => {
    const rarest = words.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0)).slice(0, 5)
    return query.all(rarest.map((word) => `"${word}"`).join(' OR '))
  }
}

/** Few words are common and most are rare, as in real texts. */
const wordFrom = (next: () => number): string => `w${Math.floor(WORDS ** next())}`

function* textsFrom(next: () => number): Iterable<string> {
  for (let piece = 0; piece < PIECES; piece++)
    yield Array.from({ length: WORDS_PER_PIECE }, () => wordFrom(next)).join(' ')
}

/** Splits and stores all texts; returns how fast each was. */
async function fill(path: string, texts: Iterable<string>): Promise<readonly Row[]> {
  const store = await openStore(openSqlite(path), { clock: { now: () => Date.now() } })
  const at = new Date().toISOString()
  await store.transact((tx) => upsertProject(tx, { path: '/bench', name: null, now: at }))
  let [splitting, storing, sources] = [0, 0, 0]
  let pieces: Piece[] = []
  for (const text of texts) {
    const started = performance.now()
    pieces.push(pieceOf({ line: pieces.length + 1, heading: 'Bench', text }))
    splitting += performance.now() - started
    if (pieces.length < PER_SOURCE) continue
    const own = pieces
    const source = {
      project_id: 1,
      source_type: 'doc',
      source_path: `${++sources}.md`,
      digest: '',
      at,
    }
    const begun = performance.now()
    await store.transact((tx) => replaceSource(tx, source, own))
    storing += performance.now() - begun
    pieces = []
  }
  await store.close()
  const rate = (what: string, milliseconds: number): Row => ({
    name: 'search',
    what,
    unit: '/s',
    p50: (PIECES / milliseconds) * 1000,
  })
  return [rate('pieces read, in the thread', splitting), rate('pieces stored', storing)]
}

function vectorFrom(next: () => number): Float32Array {
  const vector = Float32Array.from({ length: DIMENSIONS }, () => next() - 0.5)
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

function putVectors(path: string): void {
  const next = numbersFrom(SEED + 3)
  using db = new DatabaseSync(path)
  db.exec(`insert into spaces (id, identity, provider, model, dims, scheme, state)
    values (1, 'bench', 'bench', 'bench', ${DIMENSIONS}, '', 'active')`)
  const insert = db.prepare(
    `insert into vectors (space_id, piece_id, digest, code, vector) values (1, ?, 'x', ?, ?)`,
  )
  db.exec('begin')
  for (let id = 1; id <= PIECES; id++) {
    const vector = vectorFrom(next)
    insert.run(id, codeOf(vector), new Uint8Array(toBytes(vector).buffer))
  }
  db.exec('commit')
}
