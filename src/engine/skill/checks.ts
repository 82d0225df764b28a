import { EngineError, projectIdNotFound } from '../../model/error.ts'
import { listed } from '../../model/text/line.ts'
import { nearest } from '../../model/text/nearest.ts'
import type { Project } from '../../model/project.ts'
import { shellWord } from '../../model/shell/word.ts'
import { isSkillName, type Skill } from '../../model/skill.ts'
import { findProject } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { findSkill, listSkills, toSkill } from '../../store/skill.ts'

export async function checkProject(tx: Tx, id: number): Promise<Project> {
  const project = await findProject(tx, { id })
  if (project === undefined) throw projectIdNotFound(id)
  return project
}

interface Wanted {
  readonly name: string
  readonly project_id: number
  /** The parameter that named it. */
  readonly field: string
  /** The folder for new skills; set if the files were just read, so that a missing skill does not exist. */
  readonly newIn?: string
}

/** A skill that must exist; the error lists the known ones. */
export async function knownSkill(tx: Tx, wanted: Wanted): Promise<Skill> {
  const { name, project_id, field, newIn } = wanted
  const row = await findSkill(tx, { name, project_id })
  if (row !== undefined) return toSkill(row)
  const { path } = await checkProject(tx, project_id)
  const names = (await listSkills(tx, { project_id })).map((skill) => skill.name)
  const meant = nearest(name, names)
  const suffix =
    meant.length > 0
      ? `; did you mean ${meant.join(' or ')}?`
      : names.length === 0
        ? ' and no other skills.'
        : `. Its skills: ${listed(names, ROOM)}.`
  throw new EngineError('not-found', `Project ${path} has no skill ${name}${suffix}`, {
    field,
    hint:
      names.length === 0 && newIn !== undefined
        ? newSkill(`${path}/${newIn}`, name)
        : `holdfast skill list ${shellWord(path)}`,
  })
}

const ROOM = 200

const newSkill = (folder: string, name: string): string =>
  `holdfast skill new ${isSkillName(name) ? name : 'my-skill'} --in ${shellWord(folder)}`
