import { foldersOf, isWide, stepsRead } from '../../../model/plan/steps-read.ts'
import type { SkillFacts, TouchedSkill } from '../../../rules/facts.ts'
import type { Tx } from '../../../store/query.ts'
import { findSkill, skillsInFolders, toSkill } from '../../../store/skill.ts'
import type { Scene } from '../scene.ts'
import { skillFacts } from '../skill-facts.ts'
import type { Loader } from './loader.ts'

/** The files of skills that the event reads. */
export const touched: Loader<'touched'> = {
  looks: ['files', 'records'],
  load: (tx, scene) => touchedBy(tx, scene.looked.reads, scene),
}

export async function touchedBy(
  tx: Tx,
  reads: readonly string[],
  scene: Scene,
): Promise<readonly TouchedSkill[]> {
  const found: TouchedSkill[] = []
  const known = new Map<number, SkillFacts>()
  for (const path of reads) {
    const [a, b, c] = foldersOf(path)
    const near = await skillsInFolders(tx, { workplace_id: scene.project.workplace_id, a, b, c })
    for (const row of [...near, ...(await openSkillsBelow(tx, path, scene, near))]) {
      const skill = toSkill(row)
      const steps = stepsRead(skill, path, scene.project.root)
      const isMain = skill.file !== null && path.toLowerCase() === `${skill.folder}/skill.md`.toLowerCase()
      if (steps.length === 0 && !isMain) continue
      const facts = known.get(skill.id) ?? (await skillFacts(tx, skill, scene))
      known.set(skill.id, facts)
      found.push(
        ...(isMain
          ? [{ path, skill: facts, step: undefined }]
          : steps.map((step) => ({ path, skill: facts, step }))),
      )
    }
  }
  return found
}

/** Active or suspended skills that a search or pattern may reach from a parent folder. */
async function openSkillsBelow(
  tx: Tx,
  path: string,
  scene: Scene,
  near: readonly { readonly name: string }[],
) {
  if (!isWide(path)) return []
  const known = new Set(near.map(({ name }) => name))
  const found: Parameters<typeof toSkill>[0][] = []
  for (const name of new Set((await scene.fact('spans')).map(({ skill }) => skill))) {
    const row = known.has(name)
      ? undefined
      : await findSkill(tx, { workplace_id: scene.project.workplace_id, name })
    if (row !== undefined) found.push(row)
  }
  return found
}
