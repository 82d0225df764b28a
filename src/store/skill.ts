import { type Selectable, sql } from 'kysely'
import type { Phase } from '../model/phase.ts'
import type { Skill } from '../model/skill.ts'
import { fromJson } from './json.ts'
import { query, queryOf, queryOne, type Tx } from './query.ts'
import type { Tables } from './schema.ts'
import { contains } from './task.ts'

type Row = Selectable<Tables['skills']>

export const toSkill = (row: Row): Skill => ({
  ...row,
  phases: fromJson<readonly Phase[]>(row.phases, []),
  modes: fromJson<Record<string, unknown>>(row.modes, {}),
  templates: fromJson<Record<string, unknown>>(row.templates, {}),
  cmd_dependencies: fromJson<readonly string[]>(row.cmd_dependencies, []),
  next_skills: fromJson<readonly string[]>(row.next_skills, []),
  directives: fromJson<readonly string[]>(row.directives, []),
})

const FIELDS = ['phases', 'modes', 'templates', 'cmd_dependencies', 'next_skills', 'directives'] as const

type SkillFields = Omit<Row, 'id' | 'updated_at'> & { readonly now: string }

/** What is not given stays as it was. */
export const upsertSkill = queryOne<SkillFields, Row>((db, p) =>
  db
    .insertInto('skills')
    .values({
      project_id: p.project_id,
      name: p.name,
      phases: p.phases,
      modes: p.modes,
      templates: p.templates,
      cmd_dependencies: p.cmd_dependencies,
      next_skills: p.next_skills,
      directives: p.directives,
      updated_at: p.now,
    })
    .onConflict((oc) =>
      oc.columns(['project_id', 'name']).doUpdateSet((eb) => ({
        ...Object.fromEntries(
          FIELDS.map((field) => [field, eb.fn.coalesce(`excluded.${field}`, `skills.${field}`)]),
        ),
        updated_at: eb.ref('excluded.updated_at'),
      })),
    )
    .returningAll(),
)

export const findSkill = queryOne<{ project_id: number; name: string }, Row>((db, p) =>
  db.selectFrom('skills').selectAll().where('project_id', '=', p.project_id).where('name', '=', p.name),
)

/** The definition that an effort follows: by name within its task's project. */
export const findSkillOfTask = queryOne<{ task_id: string; name: string }, Row>((db, p) =>
  db
    .selectFrom('skills')
    .innerJoin('tasks', 'tasks.project_id', 'skills.project_id')
    .selectAll('skills')
    .where('tasks.dir_path', '=', p.task_id)
    .where('skills.name', '=', p.name),
)

export const listSkills = query<{ project_id: number }, Row>((db, p) =>
  db.selectFrom('skills').selectAll().where('project_id', '=', p.project_id).orderBy('name'),
)

export const deleteSkill = queryOne<{ project_id: number; name: string }, Row>((db, p) =>
  db.deleteFrom('skills').where('project_id', '=', p.project_id).where('name', '=', p.name).returningAll(),
)

export function findSkills(tx: Tx, filter: { text: string; project_id?: number | undefined; limit: number }) {
  return queryOf<Row>(tx, (db) => {
    let rows = db.selectFrom('skills').selectAll()
    for (const word of filter.text.split(/\s+/).filter((part) => part !== ''))
      rows = rows.where(
        (eb) =>
          sql<boolean>`lower(${eb.ref('name')} || ' ' || coalesce(${eb.ref('phases')}, '') || ' ' || coalesce(${eb.ref('modes')}, '')) like lower(${contains(word)}) escape '\\'`,
      )
    if (filter.project_id !== undefined) rows = rows.where('project_id', '=', filter.project_id)
    return rows.orderBy('name').orderBy('id').limit(filter.limit)
  })
}
