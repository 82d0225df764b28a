import { type Selectable, sql } from 'kysely'
import type { Artifact, ArtifactEvidence } from '../model/artifact.ts'
import type { Rank } from '../model/plan/evidence.ts'
import { fromJson } from './json.ts'
import { query, queryOne } from './query.ts'
import type { Tables } from './schema.ts'

type Row = Selectable<Tables['artifacts']>
type Run = Tables['evidence_runs']

export const toArtifact = (row: Row): Artifact => ({
  ...row,
  evidence: fromJson<ArtifactEvidence>(row.evidence, {}),
})

/** A second record of the same artifact and rank replaces the first. */
export const putArtifact = queryOne<Omit<Row, 'id' | 'created_at'> & { readonly now: string }, Row>((db, p) =>
  db
    .insertInto('artifacts')
    .values({
      effort_id: p.effort_id,
      span_id: p.span_id,
      step: p.step,
      name: p.name,
      path: p.path,
      evidence: p.evidence,
      rank: p.rank,
      digest: p.digest,
      created_at: p.now,
    })
    .onConflict((oc) =>
      oc.columns(['effort_id', 'name', 'rank']).doUpdateSet((eb) => ({
        span_id: eb.ref('excluded.span_id'),
        step: eb.ref('excluded.step'),
        path: eb.ref('excluded.path'),
        evidence: eb.ref('excluded.evidence'),
        digest: eb.ref('excluded.digest'),
        created_at: eb.ref('excluded.created_at'),
      })),
    )
    .returningAll(),
)

export const artifactsOf = query<{ effort_id: number }, Row>((db, p) =>
  db.selectFrom('artifacts').selectAll().where('effort_id', '=', p.effort_id).orderBy('id'),
)

/** The last artifacts of an effort for a screen, newest first. */
export const listArtifacts = query<{ effort_id: number }, Row>((db, p) =>
  db
    .selectFrom('artifacts')
    .selectAll()
    .where('effort_id', '=', p.effort_id)
    .orderBy('id', 'desc')
    .limit(sql.lit(100)),
)

/** The same for a recap. */
export const lastArtifacts = query<{ effort_id: number }, Pick<Row, 'name' | 'path'>>((db, p) =>
  db
    .selectFrom('artifacts')
    .select(['name', 'path'])
    .where('effort_id', '=', p.effort_id)
    .orderBy('id', 'desc')
    .limit(sql.lit(20)),
)

export const dropArtifact = queryOne<{ effort_id: number; name: string; rank: Rank }, Row>((db, p) =>
  db
    .deleteFrom('artifacts')
    .where('effort_id', '=', p.effort_id)
    .where('name', '=', p.name)
    .where('rank', '=', p.rank)
    .returningAll(),
)

/** Records with files, from active efforts in the project of a client session. */
export const artifactsAround = query<
  { native_id: string },
  Pick<Row, 'evidence' | 'digest'> & { root: string }
>((db, p) =>
  db
    .selectFrom('artifacts')
    .innerJoin('efforts', 'efforts.id', 'artifacts.effort_id')
    .innerJoin('tasks', 'tasks.dir_path', 'efforts.task_id')
    .innerJoin('workplaces', 'workplaces.id', 'efforts.workplace_id')
    .select(['artifacts.evidence', 'artifacts.digest', 'workplaces.path as root'])
    .where('efforts.lifecycle', '=', 'active')
    .where('artifacts.digest', 'is not', null)
    .where('tasks.project_id', 'in', (eb) =>
      eb
        .selectFrom('sessions')
        .innerJoin('tasks as own', 'own.dir_path', 'sessions.task_id')
        .select('own.project_id')
        .where('sessions.native_id', '=', p.native_id),
    ),
)

export const insertEvidenceRun = query<Run, unknown>((db, p) =>
  db.insertInto('evidence_runs').values({
    token: p.token,
    effort_id: p.effort_id,
    name: p.name,
    command: p.command,
    covers: p.covers,
    digest: p.digest,
    started_at: p.started_at,
  }),
)

/** Removes runs whose process was probably killed. */
export const dropEvidenceRunsBefore = query<{ before: string }, unknown>((db, p) =>
  db.deleteFrom('evidence_runs').where('started_at', '<', p.before),
)

/** Removes the open runs for a name. */
export const dropEvidenceRunsOf = query<{ effort_id: number; name: string }, unknown>((db, p) =>
  db.deleteFrom('evidence_runs').where('effort_id', '=', p.effort_id).where('name', '=', p.name),
)

export const findEvidenceRun = queryOne<{ token: string }, Run>((db, p) =>
  db.selectFrom('evidence_runs').selectAll().where('token', '=', p.token),
)

/** A token finishes one run, once. */
export const takeEvidenceRun = queryOne<{ token: string }, Run>((db, p) =>
  db.deleteFrom('evidence_runs').where('token', '=', p.token).returningAll(),
)
