import { sql } from 'kysely'
import { AD_HOC_ORDINAL } from '../model/effort.ts'
import type { ProjectPlace, Project, Root, Workplace } from '../model/project.ts'
import { listProjects } from './project.ts'
import type { Memory } from './open-windows.ts'
import { query, queryOf, queryOne, type Tx } from './query.ts'

/** A folder of a project on this machine. */
export interface KnownRoot extends Root {
  readonly of: Project
  /** Undefined for the path of a project that nobody has worked in. */
  readonly workplace: Workplace | undefined
}

/** The folders that belong to projects here: workplaces first, then the paths of the projects. */
export async function listRoots(tx: Tx, here: { machine_id: string }): Promise<readonly KnownRoot[]> {
  const projects = new Map((await listProjects(tx, {})).map((project) => [project.id, project]))
  const rootAt = (path: string, of: Project, workplace?: Workplace) => ({
    path,
    project: of.path,
    of,
    workplace,
  })
  const worked = (await workplacesHere(tx, here)).flatMap((workplace) => {
    const of = projects.get(workplace.project_id)
    return of === undefined ? [] : [rootAt(workplace.path, of, workplace)]
  })
  return [...worked, ...[...projects.values()].map((of) => rootAt(of.path, of))]
}

const workplacesHere = query<{ machine_id: string }, Workplace>((db, p) =>
  db
    .selectFrom('workplaces')
    .selectAll()
    .where((eb) => eb.or([eb('machine_id', '=', p.machine_id), eb('machine_id', 'is', null)]))
    // A row of this machine comes before one without a machine.
    .orderBy((eb) => eb.fn.coalesce('machine_id', eb.val('')), 'desc')
    .orderBy('id'),
)

/** The workplaces of all machines. */
export const listWorkplaces = query<object, Workplace>((db) =>
  db.selectFrom('workplaces').selectAll().orderBy('id'),
)

export const workplacesOf = query<{ project_id: number }, Pick<Workplace, 'path'>>((db, p) =>
  db.selectFrom('workplaces').select('path').where('project_id', '=', p.project_id),
)

export const insertWorkplace = queryOne<Omit<Workplace, 'id' | 'created_at'> & { now: string }, Workplace>(
  (db, p) =>
    db
      .insertInto('workplaces')
      .values({
        project_id: p.project_id,
        machine_id: p.machine_id,
        machine: p.machine,
        path: p.path,
        created_at: p.now,
      })
      .onConflict((oc) =>
        oc.columns(['machine_id', 'path']).doUpdateSet((eb) => ({
          project_id: eb.ref('excluded.project_id'),
          machine: eb.ref('excluded.machine'),
        })),
      )
      .returningAll(),
)

const updateWorkplace = queryOne<Omit<Workplace, 'path' | 'created_at'>, Workplace>((db, p) =>
  db
    .updateTable('workplaces')
    .set({ project_id: p.project_id, machine_id: p.machine_id, machine: p.machine })
    .where('id', '=', p.id)
    .returningAll(),
)

/** Says on which machine a workplace is, and of which project; its skills and runs follow. */
export async function setWorkplace(
  tx: Tx,
  wanted: Omit<Workplace, 'path' | 'created_at'>,
): Promise<Workplace | undefined> {
  const { id, project_id } = wanted
  for (const table of ['skills', 'skill_runs'] as const)
    await queryOf(tx, (db) => db.updateTable(table).set({ project_id }).where('workplace_id', '=', id))
  return await updateWorkplace(tx, wanted)
}

const PLACE = [
  'projects.id',
  'projects.name',
  'projects.created_at',
  'projects.level',
  'projects.session_gate',
  'workplaces.id as workplace_id',
  'workplaces.path as root',
] as const

export const placeOfSession = queryOne<{ id: number }, ProjectPlace>((db, p) =>
  db
    .selectFrom('sessions')
    .innerJoin('tasks', 'tasks.dir_path', 'sessions.task_id')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .innerJoin('workplaces', 'workplaces.id', 'sessions.workplace_id')
    .select(PLACE)
    .where('sessions.id', '=', p.id),
)

/** The place of the last window of a client session. */
export const placeOfClient = queryOne<{ native_id: string }, ProjectPlace>((db, p) =>
  db
    .selectFrom('sessions')
    .innerJoin('tasks', 'tasks.dir_path', 'sessions.task_id')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .innerJoin('workplaces', 'workplaces.id', 'sessions.workplace_id')
    .select(PLACE)
    .where('sessions.native_id', '=', p.native_id)
    .orderBy('sessions.id', 'desc')
    .limit(sql.lit(1)),
)

export const placeOfEffort = queryOne<{ id: number }, ProjectPlace>((db, p) =>
  db
    .selectFrom('efforts')
    .innerJoin('tasks', 'tasks.dir_path', 'efforts.task_id')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .innerJoin('workplaces', 'workplaces.id', 'efforts.workplace_id')
    .select(PLACE)
    .where('efforts.id', '=', p.id),
)

export const workplaceOfTask = queryOne<{ dir_path: string }, ProjectPlace>((db, p) =>
  db
    .selectFrom('tasks')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .innerJoin('workplaces', 'workplaces.id', 'tasks.workplace_id')
    .select(PLACE)
    .where('tasks.dir_path', '=', p.dir_path),
)

/** A workplace, if it belongs to the project of a task. */
export const workplaceForTask = queryOne<{ id: number; dir_path: string }, Pick<Workplace, 'id'>>((db, p) =>
  db
    .selectFrom('workplaces')
    .innerJoin('tasks', 'tasks.project_id', 'workplaces.project_id')
    .select('workplaces.id')
    .where('workplaces.id', '=', p.id)
    .where('tasks.dir_path', '=', p.dir_path),
)

/** Workplaces here with active efforts or open sessions. */
export const workplacesInUse = query<{ machine_id: string }, Pick<Workplace, 'path' | 'project_id'>>(
  (db, p) =>
    db
      .selectFrom('workplaces')
      .select(['path', 'project_id'])
      .where((eb) => eb.or([eb('machine_id', '=', p.machine_id), eb('machine_id', 'is', null)]))
      .where((eb) =>
        eb.or([
          eb.exists(
            eb
              .selectFrom('efforts')
              .select('efforts.id')
              .whereRef('efforts.workplace_id', '=', 'workplaces.id')
              .where('efforts.lifecycle', '=', 'active')
              .where('efforts.ordinal', '>', AD_HOC_ORDINAL),
          ),
          eb.exists(
            eb
              .selectFrom('sessions')
              .select('sessions.id')
              .whereRef('sessions.workplace_id', '=', 'workplaces.id')
              .where('sessions.ended_at', 'is', null),
          ),
        ]),
      ),
)

/** Tables with rows of a project. The ledger never changes, and nothing fills workers yet. */
const OWNED = ['tasks', 'queue', 'continuations', 'skill_runs', 'skills', 'workplaces'] as const

/** Moves everything of a project to another one, and leaves its row as an alias. */
export async function mergeProject(
  tx: Tx,
  { openWindows }: Memory,
  { from, into }: { readonly from: number; readonly into: number },
): Promise<void> {
  // Another project may watch its sessions for other things.
  openWindows.invalidate()
  for (const table of OWNED)
    await queryOf(tx, (db) => db.updateTable(table).set({ project_id: into }).where('project_id', '=', from))
  await queryOf(tx, (db) =>
    db
      .updateTable('projects')
      .set({ main_id: into })
      .where((eb) => eb.or([eb('id', '=', from), eb('main_id', '=', from)])),
  )
}
