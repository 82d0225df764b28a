import { pieceOf } from '../../model/search/piece.ts'
import type { Tx } from '../query.ts'

/** Lets both databases find pieces by the same terms, which we make of their texts. */
export async function up(tx: Tx): Promise<void> {
  for (const sql of DROPS[tx.kind]) await tx.execute({ sql, parameters: [] })
  await tx.execute({
    sql: `alter table embeddings add column words text not null default ''`,
    parameters: [],
  })
  const filled = await fill(tx)
  for (const sql of [...MAKES[tx.kind], ...(filled > 0 ? REBUILDS[tx.kind] : [])])
    await tx.execute({ sql, parameters: [] })
}

interface Old {
  readonly id: number
  readonly heading: string
  readonly chunk_text: string | null
}

const AT_ONCE = 500

/** Gives terms to the pieces that are indexed already, and counts them. */
async function fill(tx: Tx): Promise<number> {
  const [after, words, id] = tx.kind === 'sqlite' ? ['?', '?', '?'] : ['$1', '$1', '$2']
  let last = 0
  for (let filled = 0; ;) {
    const old = await tx.execute<Old>({
      sql: `select id, heading, chunk_text from embeddings where id > ${after} order by id limit ${AT_ONCE}`,
      parameters: [last],
    })
    for (const one of old) {
      const piece = pieceOf({ line: 1, heading: one.heading, text: one.chunk_text ?? '' })
      await tx.execute({
        sql: `update embeddings set words = ${words} where id = ${id}`,
        parameters: [piece.words, one.id],
      })
    }
    last = old.at(-1)?.id ?? last
    filled += old.length
    if (old.length < AT_ONCE) return filled
  }
}

const DROPS = {
  sqlite: [
    'drop trigger embedding_words_insert',
    'drop trigger embedding_words_delete',
    'drop trigger embedding_words_update',
    'drop table embedding_words',
  ],
  postgres: ['drop index words_of_embeddings'],
} as const

const DELETE_OLD = `insert into embedding_words(embedding_words, rowid, words) values ('delete', old.id, old.words)`
const INSERT_NEW = 'insert into embedding_words(rowid, words) values (new.id, new.words)'

/** Neither database splits or folds anything by itself: terms are separated by white space. */
const MAKES = {
  sqlite: [
    `create virtual table embedding_words using fts5(words, content='embeddings', content_rowid='id', tokenize='ascii')`,
    `create trigger embedding_words_insert after insert on embeddings begin ${INSERT_NEW}; end`,
    `create trigger embedding_words_delete after delete on embeddings begin ${DELETE_OLD}; end`,
    `create trigger embedding_words_update after update of words on embeddings
      begin ${DELETE_OLD}; ${INSERT_NEW}; end`,
  ],
  postgres: [
    `alter table embeddings add column terms tsvector generated always as
      (array_to_tsvector(array_remove(string_to_array(translate(words, E'\\n', ' '), ' '), ''))) stored`,
    'create index terms_of_embeddings on embeddings using gin (terms)',
  ],
} as const

/** PostgreSQL makes the terms of old rows by itself. */
const REBUILDS = {
  sqlite: [`insert into embedding_words(embedding_words) values ('rebuild')`],
  postgres: [],
} as const
