import { DatabaseSync } from 'node:sqlite'

/** Adds an index to a database that misses the rows of its table, which only a whole check finds. */
export function damageIndex(path: string): void {
  using db = new DatabaseSync(path, { defensive: false })
  db.exec(`create table texts (t text); insert into texts values ('a'), ('b'); create index found on texts (t);
    pragma writable_schema = on;
    update sqlite_schema set sql = 'CREATE INDEX found on texts (t || t)' where name = 'found'`)
}
