import { foldersOf, isWide, stepsRead } from '../../model/plan/steps-read.ts'
import type { ProjectPlace } from '../../model/project.ts'
import type { Skill } from '../../model/skill.ts'
import type { Tx } from '../../store/query.ts'
import { findSkill, skillsInFolders, skillsInOthers, toSkill } from '../../store/skill.ts'
import { asKept, skillOfEffort } from '../skill/kept-plan.ts'
import type { Keeper } from './keepers.ts'

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
  /** The efforts of the session, whose plans count whatever the files of their skills say now. */
  readonly keepers: () => Promise<readonly Keeper[]>
}

/** The skills whose files these paths name. */
export async function skillsRead(
  tx: Tx,
  reads: readonly string[],
  place: Place,
): Promise<readonly ReadSkill[]> {
  const { workplace_id, root } = place.project
  const keepers = reads.length === 0 ? [] : await place.keepers()
  const found: ReadSkill[] = []
  for (const path of reads) {
    const [a, b, c] = foldersOf(path)
    const near = await skillsInFolders(tx, { workplace_id, a, b, c })
    const known = new Set(near.map(({ name }) => name))
    const rows = [...near]
    // A search or pattern may reach open skills from a parent folder.
    for (const name of isWide(path) ? new Set(await place.open()) : []) {
      const row = known.has(name) ? undefined : await findSkill(tx, { workplace_id, name })
      if (row !== undefined) rows.push(row)
    }
    for (const current of rows.map(toSkill)) {
      const skill = await keptBy(tx, keepers, current)
      const steps = stepsRead({ ...skill, folder: current.folder }, path, root)
      if (steps.length > 0 || isMain(current, path)) found.push({ path, skill, steps })
    }
    const kept = await readAsKept(tx, path, { keepers, root, known })
    found.push(...kept)
    if (near.length + kept.length === 0) found.push(...(await readElsewhere(tx, path, { ...place, keepers })))
  }
  return found
}

async function keptBy(tx: Tx, keepers: readonly Keeper[], current: Skill): Promise<Skill> {
  const keeper = keepers.find(({ effort }) => effort.skill === current.name)
  return keeper === undefined ? current : ((await asKept(tx, keeper.effort, current)) ?? current)
}

/** The files that an effort began with stay its steps, even if the skill is now elsewhere or gone. */
async function readAsKept(
  tx: Tx,
  path: string,
  at: { readonly keepers: readonly Keeper[]; readonly root: string; readonly known: ReadonlySet<string> },
): Promise<readonly ReadSkill[]> {
  const found: ReadSkill[] = []
  for (const { effort, kept } of at.keepers) {
    const isNear = isWide(path) || foldersOf(path).some((folder) => folder === kept.folder)
    const steps = isNear && !at.known.has(effort.skill) ? stepsRead(kept, path, at.root) : []
    const skill = steps.length === 0 ? undefined : await skillOfEffort(tx, effort)
    if (skill !== undefined) found.push({ path, skill, steps })
  }
  return found
}

/** Steps in another workplace of the project count as steps of the open skill of that name. */
async function readElsewhere(
  tx: Tx,
  path: string,
  { project, open, keepers }: Omit<Place, 'keepers'> & { readonly keepers: readonly Keeper[] },
): Promise<readonly ReadSkill[]> {
  const { workplace_id, root } = project
  const names = new Set(await open())
  if (names.size === 0) return []
  const [a, b, c] = foldersOf(path)
  const found: ReadSkill[] = []
  for (const other of (await skillsInOthers(tx, { workplace_id, a, b, c })).map(toSkill)) {
    const row = names.has(other.name) ? await findSkill(tx, { workplace_id, name: other.name }) : undefined
    const keeper = keepers.find(({ effort }) => effort.skill === other.name)
    const skill =
      keeper === undefined
        ? row && toSkill(row)
        : await asKept(tx, keeper.effort, row === undefined ? undefined : toSkill(row))
    if (skill === undefined) continue
    const steps = stepsRead(other, path, root).filter((id) => skill.plan?.steps.some((own) => own.id === id))
    if (steps.length > 0) found.push({ path, skill, steps })
  }
  return found
}

const isMain = ({ file, folder }: Skill, path: string): boolean =>
  file !== null && path.toLowerCase() === `${folder}/skill.md`.toLowerCase()
