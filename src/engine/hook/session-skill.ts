import { type Effort, isTracked } from '../../model/effort.ts'
import type { Skill } from '../../model/skill.ts'
import type { SkillFacts } from '../../rules/facts.ts'
import { lockEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findSkill, toSkill } from '../../store/skill.ts'
import { aboutSkill, factsOf, filesOf } from '../effort/skill-facts.ts'
import { seenBy } from '../plan/shown.ts'
import { asKept } from '../skill/kept-plan.ts'
import type { Scene } from './scene.ts'

/** A skill as rules see it, in the session of an event. */
export async function skillFacts(tx: Tx, skill: Skill, scene: Scene): Promise<SkillFacts> {
  const effort = (await mayHaveEffort(skill, scene)) ? await effortOf(tx, skill, scene) : undefined
  const { project, looked } = scene
  const facts = await factsOf(
    tx,
    effort === undefined ? skill : ((await asKept(tx, effort, skill)) ?? skill),
    effort,
    await filesOf(tx, effort, { project, digests: looked.digests, unwritten: looked.unwritten }),
  )
  const isBegun = Object.values(facts.progress?.visits ?? {}).some(({ partly }) => partly === true)
  if (effort === undefined || !isBegun) return facts
  const scope = scene.window.session.native_id ?? ''
  return { ...facts, seen: await seenBy(tx, { effort_id: effort.id, scope }) }
}

/** A skill that asks for nothing now may have had a plan when its effort began. */
async function mayHaveEffort(skill: Skill, scene: Scene): Promise<boolean> {
  if (isTracked(aboutSkill(skill))) return true
  return (await scene.fact('spans')).some((span) => span.skill === skill.name && span.effort_id !== null)
}

/** The same by name; undefined if the skill was deleted and no effort keeps it. */
export async function skillNamed(tx: Tx, name: string, scene: Scene): Promise<SkillFacts | undefined> {
  const row = await findSkill(tx, { workplace_id: scene.project.workplace_id, name })
  if (row !== undefined) return await skillFacts(tx, toSkill(row), scene)
  const effort = await effortOf(tx, { name }, scene)
  const kept = effort === undefined ? undefined : await asKept(tx, effort, undefined)
  return kept === undefined ? undefined : await skillFacts(tx, kept, scene)
}

/** The effort of the skill that this session serves; a session never takes up another one by itself. */
async function effortOf(tx: Tx, skill: Pick<Skill, 'name'>, scene: Scene): Promise<Effort | undefined> {
  const spans = await scene.fact('spans')
  const span = spans.find((one) => one.skill === skill.name && one.effort_id !== null)
  for (const id of new Set([span?.effort_id, scene.window.session.effort_id])) {
    // Locked before its progress is read: a command may move the same effort, and each stores all of it.
    const row = id == null ? undefined : await lockEffort(tx, { id })
    if (row?.skill === skill.name && row.lifecycle === 'active') return toEffort(row)
  }
  return undefined
}
