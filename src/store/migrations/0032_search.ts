import type { Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/** Makes the embeddings of the seed the pieces of an index that also works without vectors: by terms of our own. */
export async function up(tx: Tx): Promise<void> {
  const { integer } = SPELLINGS[tx.kind]
  const statements = [
    `alter table embeddings add column project_id ${integer} references projects(id) on delete cascade`,
    `alter table embeddings add column heading text not null default ''`,
    `alter table embeddings add column line ${integer} not null default 1`,
    `alter table embeddings add column digest text not null default ''`,
    `alter table embeddings add column words text not null default ''`,
    'create index idx_embeddings_project on embeddings(project_id, source_type, source_path)',
    ...TERMS[tx.kind],
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}

const DELETE_OLD = `insert into embedding_words(embedding_words, rowid, words) values ('delete', old.id, old.words)`
const INSERT_NEW = 'insert into embedding_words(rowid, words) values (new.id, new.words)'

/** Neither database splits or folds anything by itself; triggers also hear of rows that a deleted project takes along. */
const TERMS = {
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
