import type { Effort } from '../../model/effort.ts'
import { judgedIn } from '../../model/plan/edit.ts'
import type { Plan } from '../../model/plan/plan.ts'
import { isByHand, type Skill } from '../../model/skill.ts'
import { findPlan, putPlan } from '../../store/plan.ts'
import type { Tx } from '../../store/query.ts'
import { findSkill, toSkill } from '../../store/skill.ts'
import { digestOf } from '../call/digest.ts'

const KEPT = [
  ...(['workplace_id', 'file', 'folder', 'kind', 'scope', 'digest'] as const),
  ...(['phases', 'modes', 'templates', 'details'] as const),
] as const

/** The parts of a skill that an effort keeps. */
export type Kept = Pick<Skill, 'plan' | 'diagnostics' | (typeof KEPT)[number]>

const MOST_KEPT = 100
const known = new Map<string, Kept>()

/** Stores what efforts keep of a skill, and returns its digest. */
export async function keepPlan(tx: Tx, skill: Skill): Promise<string> {
  const plan = skill.plan === null ? null : JSON.stringify(skill.plan)
  const definition = JSON.stringify(Object.fromEntries(KEPT.map((field) => [field, skill[field]])))
  const digest = digestOf([plan, definition])
  await putPlan(tx, { digest, plan, definition })
  return digest
}

/** What an effort keeps; a stored plan never changes, so it is read once. */
export async function keptPlan(tx: Tx, digest: string): Promise<Kept | undefined> {
  const before = known.get(digest)
  if (before !== undefined) return before
  const row = await findPlan(tx, { digest })
  if (row === undefined) return undefined
  if (known.size >= MOST_KEPT) known.clear()
  const definition = JSON.parse(row.definition) as Omit<Kept, 'plan' | 'diagnostics'>
  const plan = row.plan === null ? null : (JSON.parse(row.plan) as Plan)
  const kept = { ...definition, plan, diagnostics: [] }
  known.set(digest, kept)
  tx.onRollback(() => void known.delete(digest))
  return kept
}

type Keeper = Pick<Effort, 'skill' | 'workplace_id' | 'plan_digest'>

/** The skill as an effort keeps it, whatever has become of its files; every judge of an effort asks this. */
export async function skillOfEffort(tx: Tx, effort: Keeper): Promise<Skill | undefined> {
  const row = await findSkill(tx, { workplace_id: effort.workplace_id, name: effort.skill })
  return await asKept(tx, effort, row === undefined ? undefined : toSkill(row))
}

/** The same for a skill that was read before. */
export async function asKept(tx: Tx, effort: Keeper, current: Skill | undefined): Promise<Skill | undefined> {
  const kept = effort.plan_digest === null ? undefined : await keptPlan(tx, effort.plan_digest)
  if (kept === undefined) return current
  // Under the same plan, new texts and places of files count.
  if (current !== undefined && judgedDigest(current) === judgedDigest(kept))
    return { ...current, digest: kept.digest }
  const isMoved = current !== undefined && kept.workplace_id !== effort.workplace_id
  const placed = isMoved ? inCheckout(kept, current) : kept
  return { ...(current ?? goneSkill(effort)), ...placed, workplace_id: effort.workplace_id }
}

/** The same plan with the files of another checkout, because its own may be gone. */
function inCheckout(kept: Kept, { file, folder }: Skill): Kept {
  const { plan, file: before } = kept
  if (plan === null || file === null || before === null) return kept
  const here = file.slice(0, file.lastIndexOf('/'))
  const steps = plan.steps.map((step) => ({
    ...step,
    place: { ...step.place, file: `${here}${step.place.file.slice(before.lastIndexOf('/'))}` },
  }))
  return { ...kept, file, folder, plan: { ...plan, steps } }
}

/** A skill whose files are gone. */
const goneSkill = ({ skill }: Keeper): Omit<Skill, keyof Kept> => ({
  id: -1,
  project_id: 0,
  name: skill,
  cmd_dependencies: [],
  next_skills: [],
  directives: [],
  updated_at: '',
  description: null,
})

const digests = new WeakMap<Plan, string>()

/** The digest of what decides in a skill, without the text that is only read. */
export function judgedDigest(skill: Omit<Kept, 'diagnostics'>): string {
  const plan = isByHand(skill) ? null : skill.plan
  const before = plan === null ? undefined : digests.get(plan)
  if (before !== undefined) return before
  const { steps, rest } = judgedIn(skill)
  const digest = digestOf([...steps, rest])
  if (plan !== null) digests.set(plan, digest)
  return digest
}
