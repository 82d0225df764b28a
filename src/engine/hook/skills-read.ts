import { foldersOf, isWide, stepsRead } from '../../model/plan/steps-read.ts'
import type { ProjectPlace } from '../../model/project.ts'
import type { Skill } from '../../model/skill.ts'
import type { Tx } from '../../store/query.ts'
import { findSkill, skillsInFolders, skillsInOthers, toSkill } from '../../store/skill.ts'

/** A skill with the steps that a path names; none if it names SKILL.md. */
export interface ReadSkill {
  readonly path: string
  readonly skill: Skill
  readonly steps: readonly string[]
}

interface Place {
  readonly project: ProjectPlace
  /** The names of active and suspended skills. */
  readonly open: () => Promise<readonly string[]>
}

/** The skills whose files these paths name. */
export async function skillsRead(
  tx: Tx,
  reads: readonly string[],
  { project, open }: Place,
): Promise<readonly ReadSkill[]> {
  const { workplace_id, root } = project
  const found: ReadSkill[] = []
  for (const path of reads) {
    const [a, b, c] = foldersOf(path)
    const near = await skillsInFolders(tx, { workplace_id, a, b, c })
    const known = new Set(near.map(({ name }) => name))
    const rows = [...near]
    // A search or pattern may reach open skills from a parent folder.
    for (const name of isWide(path) ? new Set(await open()) : []) {
      const row = known.has(name) ? undefined : await findSkill(tx, { workplace_id, name })
      if (row !== undefined) rows.push(row)
    }
    for (const skill of rows.map(toSkill)) {
      const steps = stepsRead(skill, path, root)
      if (steps.length > 0 || isMain(skill, path)) found.push({ path, skill, steps })
    }
    if (near.length === 0) found.push(...(await readElsewhere(tx, path, { project, open })))
  }
  return found
}

/** Steps in another workplace of the project count as steps of the open skill of that name. */
async function readElsewhere(tx: Tx, path: string, { project, open }: Place): Promise<readonly ReadSkill[]> {
  const { workplace_id, root } = project
  const names = new Set(await open())
  if (names.size === 0) return []
  const [a, b, c] = foldersOf(path)
  const found: ReadSkill[] = []
  for (const other of (await skillsInOthers(tx, { workplace_id, a, b, c })).map(toSkill)) {
    const row = names.has(other.name) ? await findSkill(tx, { workplace_id, name: other.name }) : undefined
    if (row === undefined) continue
    const skill = toSkill(row)
    const steps = stepsRead(other, path, root).filter((id) => skill.plan?.steps.some((own) => own.id === id))
    if (steps.length > 0) found.push({ path, skill, steps })
  }
  return found
}

const isMain = ({ file, folder }: Skill, path: string): boolean =>
  file !== null && path.toLowerCase() === `${folder}/skill.md`.toLowerCase()
