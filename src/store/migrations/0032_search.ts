import type { Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/** Makes the embeddings of the seed the pieces of an index that also works without vectors: by their words. */
export async function up(tx: Tx): Promise<void> {
  const { integer } = SPELLINGS[tx.kind]
  const statements = [
    `alter table embeddings add column project_id ${integer} references projects(id) on delete cascade`,
    `alter table embeddings add column heading text not null default ''`,
    `alter table embeddings add column line ${integer} not null default 1`,
    `alter table embeddings add column digest text not null default ''`,
    'create index idx_embeddings_project on embeddings(project_id, source_type, source_path)',
    ...WORDS[tx.kind],
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}

const DELETE_OLD = `insert into embedding_words(embedding_words, rowid, heading, chunk_text)
  values ('delete', old.id, old.heading, old.chunk_text)`
const INSERT_NEW = `insert into embedding_words(rowid, heading, chunk_text)
  values (new.id, new.heading, new.chunk_text)`

/** Triggers also hear of rows that a deleted project takes with it. */
const WORDS = {
  sqlite: [
    `create virtual table embedding_words using fts5(heading, chunk_text, content='embeddings', content_rowid='id',
      tokenize='porter unicode61')`,
    `create trigger embedding_words_insert after insert on embeddings begin ${INSERT_NEW}; end`,
    `create trigger embedding_words_delete after delete on embeddings begin ${DELETE_OLD}; end`,
    `create trigger embedding_words_update after update of heading, chunk_text on embeddings
      begin ${DELETE_OLD}; ${INSERT_NEW}; end`,
  ],
  postgres: [
    `create index words_of_embeddings on embeddings
      using gin (to_tsvector('english', heading || ' ' || coalesce(chunk_text, '')))`,
  ],
} as const
