import { type Selectable, sql } from 'kysely'
import type { ExportedModule } from '../model/plan/definition.ts'
import { query, queryOne } from './query.ts'
import type { Tables } from './schema.ts'

type Row = Selectable<Tables['trusted_modules']>

export const findTrusted = queryOne<{ digest: string }, Row>((db, p) =>
  db.selectFrom('trusted_modules').selectAll().where('digest', '=', p.digest),
)

/** Trusting the same code again may find other texts. */
export const putTrusted = query<Row, unknown>((db, p) =>
  db
    .insertInto('trusted_modules')
    .values({
      digest: p.digest,
      skill: p.skill,
      exported: p.exported,
      texts: p.texts,
      created_at: p.created_at,
    })
    .onConflict((oc) =>
      oc.column('digest').doUpdateSet((eb) => ({
        skill: eb.ref('excluded.skill'),
        exported: eb.ref('excluded.exported'),
        texts: eb.ref('excluded.texts'),
        created_at: eb.ref('excluded.created_at'),
      })),
    ),
)

export const deleteTrusted = queryOne<{ digest: string }, Row>((db, p) =>
  db.deleteFrom('trusted_modules').where('digest', '=', p.digest).returningAll(),
)

/** Has every workplace read its skills of this code again, on every machine: no reading has such a digest. */
export const forgetReadings = query<{ details: string }, unknown>((db, p) =>
  db
    .updateTable('skills')
    .set({ digest: sql<string>`digest || '~'` })
    .where('digest', 'is not', null)
    .where('details', 'like', p.details),
)

/** A pattern for the details of skills with this code. */
export const withCode = (code: string): { readonly details: string } => ({ details: `%"code":"${code}"%` })

/** A stored module as reading needs it. */
export const toModule = ({ exported, texts }: Pick<Row, 'exported' | 'texts'>): ExportedModule => ({
  exported: JSON.parse(exported) as unknown,
  texts: JSON.parse(texts) as Readonly<Record<string, string>>,
})
