import { type Effort, isTracked } from '../../model/effort.ts'
import type { Skill } from '../../model/skill.ts'
import type { SkillFacts } from '../../rules/facts.ts'
import { findActiveEfforts, findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findSkill, toSkill } from '../../store/skill.ts'
import { lockTask } from '../../store/task.ts'
import { heldByOthers } from '../effort/held.ts'
import { aboutSkill, factsOf, filesOf } from '../effort/skill-facts.ts'
import type { Scene } from './scene.ts'

/** The limit of waiting efforts to examine. */
export const MOST_WAITING = 20

/** A skill as rules see it, in the session of an event. */
export async function skillFacts(tx: Tx, skill: Skill, scene: Scene): Promise<SkillFacts> {
  const effort = isTracked(aboutSkill(skill)) ? await effortOf(tx, skill, scene) : undefined
  return await factsOf(tx, skill, effort, filesOf({ project: scene.project, digests: scene.looked.digests }))
}

/** The same by name; undefined if the skill was deleted. */
export async function skillNamed(tx: Tx, name: string, scene: Scene): Promise<SkillFacts | undefined> {
  const row = await findSkill(tx, { project_id: scene.project.id, name })
  return row === undefined ? undefined : await skillFacts(tx, toSkill(row), scene)
}

/** The effort of the skill's span in this session, else one that is not in use. */
async function effortOf(tx: Tx, skill: Skill, scene: Scene): Promise<Effort | undefined> {
  const spans = await scene.fact('spans')
  const span = spans.find((one) => one.skill === skill.name && one.effort_id !== null)
  const own = span?.effort_id == null ? undefined : await findEffort(tx, { id: span.effort_id })
  if (own?.lifecycle === 'active') return toEffort(own)
  const { task_id } = scene.window.session
  // Locked, so that two sessions never get the same effort.
  await lockTask(tx, { dir_path: task_id })
  const found = await findActiveEfforts(tx, { task_id, skill: skill.name, limit: MOST_WAITING })
  return (await freeOf(tx, found.map(toEffort), scene))[0]
}

/** Efforts without another agent or another live session. */
async function freeOf(
  tx: Tx,
  efforts: readonly Effort[],
  { window: { session }, since, volatile, project }: Scene,
): Promise<readonly Effort[]> {
  const mine = efforts.filter(({ agent_id: owner }) => owner === null || owner === session.agent_id)
  if (mine.length === 0) return []
  const held = await heldByOthers(tx, { projectId: project.id, window: session.id, since, volatile })
  return mine.filter(({ id }) => !held.has(id))
}
