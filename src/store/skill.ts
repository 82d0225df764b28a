import { type Selectable, sql } from 'kysely'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Phase } from '../model/plan/phase.ts'
import type { Plan } from '../model/plan/plan.ts'
import type { Skill, SkillDetails, SkillEntry } from '../model/skill.ts'
import { fromJson } from './json.ts'
import { watchChange } from './open-windows.ts'
import { query, queryOf, queryOne, type Tx } from './query.ts'
import type { Tables } from './schema.ts'
import { contains } from './task.ts'

type Row = Selectable<Tables['skills']>
type EntryRow = Omit<Row, 'plan' | 'diagnostics'>

export const toEntry = (row: EntryRow): SkillEntry => ({
  ...row,
  phases: fromJson<readonly Phase[]>(row.phases, []),
  modes: fromJson<Record<string, unknown>>(row.modes, {}),
  templates: fromJson<Record<string, unknown>>(row.templates, {}),
  cmd_dependencies: fromJson<readonly string[]>(row.cmd_dependencies, []),
  next_skills: fromJson<readonly string[]>(row.next_skills, []),
  directives: fromJson<readonly string[]>(row.directives, []),
  details: fromJson<SkillDetails | null>(row.details, null),
})

const skills = new WeakMap<Row, Skill>()

/** Several parts of a hook ask for the same row, whose fields are texts of JSON. */
export function toSkill(row: Row): Skill {
  const known = skills.get(row)
  if (known !== undefined) return known
  const { plan, diagnostics, ...rest } = row
  const skill = {
    ...toEntry(rest),
    plan: planIn(plan, row.digest),
    diagnostics: fromJson<readonly Diagnostic[]>(diagnostics, []),
  }
  skills.set(row, skill)
  return skill
}

const MOST_PLANS = 50
const plans = new Map<string, Plan | null>()

/** Caches plans by digest, because every hook on a step file needs one. */
function planIn(text: string | null, digest: string | null): Plan | null {
  if (digest === null) return fromJson<Plan | null>(text, null)
  const known = plans.get(digest)
  if (known !== undefined) return known
  if (plans.size >= MOST_PLANS) plans.clear()
  const plan = fromJson<Plan | null>(text, null)
  plans.set(digest, plan)
  return plan
}

const GIVEN = ['phases', 'modes', 'templates', 'cmd_dependencies', 'next_skills', 'directives'] as const
const READ = [
  'kind',
  'scope',
  'file',
  'folder',
  'digest',
  'description',
  'plan',
  'details',
  'diagnostics',
] as const
const ENTRY = [
  ...(['id', 'project_id', 'workplace_id', 'name', 'updated_at'] as const),
  ...GIVEN,
  ...(['kind', 'scope', 'file', 'folder', 'digest', 'description', 'details'] as const),
] as const

type Given = Pick<Row, 'project_id' | 'workplace_id' | 'name' | (typeof GIVEN)[number]> & {
  readonly now: string
}

const givenIn = (p: Given) => ({
  project_id: p.project_id,
  workplace_id: p.workplace_id,
  name: p.name,
  phases: p.phases,
  modes: p.modes,
  templates: p.templates,
  cmd_dependencies: p.cmd_dependencies,
  next_skills: p.next_skills,
  directives: p.directives,
  updated_at: p.now,
})

/** Null keeps a stored value. Clears the digest, so that the file is read again. */
export const upsertSkill = watchChange<Given, Row>((db, p) =>
  db
    .insertInto('skills')
    .values(givenIn(p))
    .onConflict((oc) =>
      oc.columns(['workplace_id', 'name']).doUpdateSet((eb) => ({
        ...Object.fromEntries(
          GIVEN.map((field) => [field, eb.fn.coalesce(`excluded.${field}`, `skills.${field}`)]),
        ),
        digest: null,
        updated_at: eb.ref('excluded.updated_at'),
      })),
    )
    .returningAll(),
)

/** A definition from a file replaces the stored one. */
export const putSkill = watchChange<
  Omit<Row, 'id' | 'updated_at'> & { readonly now: string },
  { id: number }
>((db, p) =>
  db
    .insertInto('skills')
    .values({
      ...givenIn(p),
      kind: p.kind,
      scope: p.scope,
      file: p.file,
      folder: p.folder,
      digest: p.digest,
      description: p.description,
      plan: p.plan,
      details: p.details,
      diagnostics: p.diagnostics,
    })
    .onConflict((oc) =>
      oc
        .columns(['workplace_id', 'name'])
        .doUpdateSet((eb) =>
          Object.fromEntries(
            [...GIVEN, ...READ, 'updated_at' as const].map((field) => [field, eb.ref(`excluded.${field}`)]),
          ),
        ),
    )
    .returning('id'),
)

export const findSkill = queryOne<{ workplace_id: number; name: string }, Row>((db, p) =>
  db.selectFrom('skills').selectAll().where('workplace_id', '=', p.workplace_id).where('name', '=', p.name),
)

/** All skills of a workplace, with their plans. */
export const skillsOf = query<{ workplace_id: number }, Row>((db, p) =>
  db.selectFrom('skills').selectAll().where('workplace_id', '=', p.workplace_id),
)

/** The skills of a workplace in one of three folders. */
export const skillsInFolders = query<{ workplace_id: number; a: string; b: string; c: string }, Row>(
  (db, p) =>
    db
      .selectFrom('skills')
      .selectAll()
      .where('workplace_id', '=', p.workplace_id)
      .where('folder', 'in', [p.a, p.b, p.c]),
)

/** The same for the other workplaces of its project on its machine. */
export const skillsInOthers = query<{ workplace_id: number; a: string; b: string; c: string }, Row>((db, p) =>
  db
    .selectFrom('workplaces as own')
    .innerJoin('workplaces as other', (join) =>
      join.onRef('other.project_id', '=', 'own.project_id').onRef('other.id', '<>', 'own.id'),
    )
    .innerJoin('skills', 'skills.workplace_id', 'other.id')
    .selectAll('skills')
    .where('own.id', '=', p.workplace_id)
    .where((eb) =>
      eb.or([eb('other.machine_id', 'is', null), eb('other.machine_id', '=', eb.ref('own.machine_id'))]),
    )
    .where('skills.folder', 'in', [p.a, p.b, p.c]),
)

/** An effort keeps its plan; an older one has that of its skill until then. */
export const keptPlan = sql<
  string | null
>`case when efforts.plan_digest is null then skills.plan else plans.plan end`

/** The plan of a client session, if it demands evidence. */
export const demandingPlans = query<
  { native_id: string },
  { effort_id: number; root: string; plan: string | null }
>((db, p) =>
  db
    .selectFrom('sessions')
    .innerJoin('efforts', 'efforts.id', 'sessions.effort_id')
    .innerJoin('workplaces', 'workplaces.id', 'efforts.workplace_id')
    .leftJoin('skills', (join) =>
      join.onRef('skills.workplace_id', '=', 'workplaces.id').onRef('skills.name', '=', 'efforts.skill'),
    )
    .leftJoin('plans', 'plans.digest', 'efforts.plan_digest')
    .select(['efforts.id as effort_id', 'workplaces.path as root', keptPlan.as('plan')])
    .where('sessions.native_id', '=', p.native_id)
    .where('sessions.ended_at', 'is', null)
    .where('efforts.lifecycle', '=', 'active')
    // A text search, because most plans demand none and parsing them is slow.
    .where(keptPlan, 'like', '%"demands":%'),
)

/** The directive types that any skill of a workplace declares. */
export const directivesDeclared = query<{ workplace_id: number }, Pick<Row, 'directives'>>((db, p) =>
  db
    .selectFrom('skills')
    .select('directives')
    .distinct()
    .where('workplace_id', '=', p.workplace_id)
    .where('directives', '<>', '[]'),
)

/** The directive types of a session's active skill and of its effort's skill. */
export const directivesInCharge = query<
  { native_id: string; workplace_id: number; effort_id: number },
  Pick<Row, 'directives'>
>((db, p) =>
  db
    .selectFrom('skills')
    .select('skills.directives')
    .where('skills.workplace_id', '=', p.workplace_id)
    .where('skills.directives', '<>', '[]')
    .where('skills.name', 'in', (eb) =>
      eb
        .selectFrom('skill_span')
        .select('skill')
        .where('session_id', '=', p.native_id)
        .where('status', '=', 'active')
        .union(
          eb
            .selectFrom('efforts')
            .select('skill')
            .where('id', '=', p.effort_id)
            .where('ordinal', '<>', 0)
            .where('lifecycle', '=', 'active'),
        ),
    ),
)

export const declaredIn = (rows: readonly Pick<Row, 'directives'>[]): readonly string[] =>
  rows.flatMap(({ directives }) => fromJson<readonly string[]>(directives, []))

export const listSkills = query<{ workplace_id: number }, EntryRow>((db, p) =>
  db.selectFrom('skills').select(ENTRY).where('workplace_id', '=', p.workplace_id).orderBy('name'),
)

export const deleteSkill = watchChange<{ workplace_id: number; name: string }, Row>((db, p) =>
  db
    .deleteFrom('skills')
    .where('workplace_id', '=', p.workplace_id)
    .where('name', '=', p.name)
    .returningAll(),
)

export function findSkills(tx: Tx, filter: { text: string; project_id?: number | undefined; limit: number }) {
  return queryOf<EntryRow>(tx, (db) => {
    let rows = db.selectFrom('skills').select(ENTRY)
    for (const word of filter.text.split(/\s+/).filter((part) => part !== ''))
      rows = rows.where(
        (eb) =>
          sql<boolean>`lower(${eb.ref('name')} || ' ' || coalesce(${eb.ref('description')}, '') || ' ' || coalesce(${eb.ref('phases')}, '') || ' ' || coalesce(${eb.ref('modes')}, '')) like lower(${contains(word)}) escape '\\'`,
      )
    if (filter.project_id !== undefined) rows = rows.where('project_id', '=', filter.project_id)
    return rows.orderBy('name').orderBy('id').limit(filter.limit)
  })
}
