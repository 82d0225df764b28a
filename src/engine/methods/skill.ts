import * as z from 'zod'
import { isPhaseLabel, type Phase, writtenLabel } from '../../model/plan/phase.ts'
import { toJson } from '../../store/json.ts'
import {
  deleteSkill,
  findSkill,
  findSkills,
  listSkills,
  toEntry,
  toSkill,
  upsertSkill,
} from '../../store/skill.ts'
import type { KnownRoot } from '../../store/workplace.ts'
import type { Context } from '../call/context.ts'
import { optionalHere, rootMeant } from '../call/here.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { knownSkill } from '../skill/known-skill.ts'
import { enter } from '../skill/entry.ts'
import { heedEdit, keepBefore } from '../skill/plan-edits.ts'

/** Older skills use `major` and `minor` numbers instead of a label. */
const phase = z.preprocess(
  withLabel,
  z.looseObject({
    label: z.string().refine(isPhaseLabel, 'must be a phase label such as 3, 3.1 or 3.A'),
    name: p.textUpTo(200).default(''),
    proof: z.array(p.name).max(100).optional(),
  }),
)

const phases = z
  .array(phase)
  .max(200)
  .superRefine((list, issues) => {
    const labels = list.map(({ label }) => label)
    const twice = labels.find((label, index) => labels.indexOf(label) !== index)
    if (twice !== undefined) issues.addIssue({ code: 'custom', message: `declares phase ${twice} twice` })
  })

/** Branches differ, so each workplace has its own skills. */
const where = {
  project_id: p.id,
  path: p.path.optional().describe('A folder of the workplace. Default: the main checkout of the project.'),
}
const key = { name: p.skillName, ...where }

const hereMeant = (context: Context, { path }: { readonly path?: string | undefined }) =>
  optionalHere(context, 'path', path)

/** No workplace has the id 0. */
const placeIn = ({ path, workplace }: KnownRoot) => ({ root: path, workplace_id: workplace?.id ?? 0 })

export const upsert = method({
  name: 'db.skills.upsert',
  summary: 'Store the parsed definition of a skill. Omitted fields keep their values.',
  effect: 'durable',
  params: z.strictObject({
    ...key,
    phases: phases.optional().describe('The phases, each with a label, a name and proof fields.'),
    modes: p.object.optional(),
    templates: p.object.optional(),
    cmd_dependencies: z.array(p.text).optional(),
    next_skills: z.array(p.text).optional(),
    directives: z.array(p.text).optional(),
  }),
  prepare: hereMeant,
  async run(tx, params, call) {
    const { project_id, name } = params
    const root = await rootMeant(tx, { project_id, here: call.prepared }, call.context.machine)
    const { place } = await enter(tx, root, call)
    const { workplace_id } = place
    const known = await findSkill(tx, { name, workplace_id })
    await keepBefore(tx, { name, workplace_id }, call)
    const row = await upsertSkill(tx, call.context.store.volatile, {
      name,
      project_id: place.id,
      workplace_id,
      phases: toJson(params.phases as readonly Phase[] | undefined),
      modes: toJson(params.modes),
      templates: toJson(params.templates),
      cmd_dependencies: toJson(params.cmd_dependencies),
      next_skills: toJson(params.next_skills),
      directives: toJson(params.directives),
      now: call.now,
    })
    if (row === undefined) throw new Error('The skill was not stored.')
    if (JSON.stringify({ ...known, updated_at: '' }) !== JSON.stringify({ ...row, updated_at: '' }))
      await call.record(tx, { event_type: 'skill.changed', skill: row.name, project_id: row.project_id })
    await heedEdit(tx, place, { name, changedAt: [] }, call)
    return toSkill(row)
  },
})

export const get = method({
  name: 'db.skills.get',
  summary: 'Show the definition of a skill in a project.',
  effect: 'read',
  params: z.strictObject(key),
  prepare: hereMeant,
  async run(tx, { name, project_id }, { prepared: here, context }) {
    const place = placeIn(await rootMeant(tx, { project_id, here }, context.machine))
    return await knownSkill(tx, { name, place, field: 'name' })
  },
})

export const list = method({
  name: 'db.skills.list',
  summary: 'List the skills of a project.',
  effect: 'read',
  params: z.strictObject(where),
  prepare: hereMeant,
  async run(tx, { project_id }, { prepared: here, context }) {
    const place = placeIn(await rootMeant(tx, { project_id, here }, context.machine))
    return (await listSkills(tx, place)).map(toEntry)
  },
})

export const remove = method({
  name: 'db.skills.delete',
  summary: 'Delete the definition of a skill. Its efforts are kept, with their plans.',
  effect: 'durable',
  params: z.strictObject(key),
  prepare: hereMeant,
  async run(tx, { name, project_id }, call) {
    const root = await rootMeant(tx, { project_id, here: call.prepared }, call.context.machine)
    await keepBefore(tx, { name, ...placeIn(root) }, call)
    const row = await deleteSkill(tx, call.context.store.volatile, { name, ...placeIn(root) })
    if (row === undefined) return { deleted: false }
    await call.record(tx, { event_type: 'skill.deleted', skill: row.name, project_id: row.project_id })
    const { place } = await enter(tx, root, call)
    await heedEdit(tx, place, { name, changedAt: [] }, call)
    return { deleted: true }
  },
})

export const find = method({
  name: 'db.skills.find',
  summary: 'Search skills by name, description, phases and modes.',
  effect: 'read',
  params: z.strictObject({
    query: p.textUpTo(1000).describe('The words to find; all must match.'),
    project_id: p.id.optional(),
    limit: p.limit,
  }),
  async run(tx, { query, ...rest }) {
    return (await findSkills(tx, { text: query, ...rest })).map(toEntry)
  },
})

function withLabel(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || 'label' in value || !('major' in value)) return value
  return { ...value, label: writtenLabel({ ...value }) }
}
