import { EngineError } from '../../model/error.ts'
import { listed } from '../../model/text/line.ts'
import { nearest } from '../../model/text/nearest.ts'
import type { ProjectPlace } from '../../model/project.ts'
import { shellWord } from '../../model/shell/word.ts'
import { isSkillName, type Skill } from '../../model/skill.ts'
import { startOn } from '../../model/task.ts'
import type { Tx } from '../../store/query.ts'
import { findSkill, listSkills, toSkill } from '../../store/skill.ts'

interface Wanted {
  readonly name: string
  readonly place: Pick<ProjectPlace, 'workplace_id' | 'root'>
  /** The parameter that named it. */
  readonly field: string
  /** The folder for new skills; set if the files were just read, so that a missing skill does not exist. */
  readonly newIn?: string
}

/** A skill that must exist; the error lists the known ones. */
export async function knownSkill(tx: Tx, wanted: Wanted): Promise<Skill> {
  const { name, place, field, newIn } = wanted
  const { workplace_id, root: path } = place
  const row = await findSkill(tx, { name, workplace_id })
  if (row !== undefined) return toSkill(row)
  const names = (await listSkills(tx, { workplace_id })).map((skill) => skill.name)
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

/** Hooks accept these two modes for every skill. */
const ALWAYS = ['full', 'quick']

/** Refuses a mode that a skill with modes does not have. */
export function checkMode(
  { name, modes }: Skill,
  {
    task,
    mode,
    more = '',
  }: { readonly task: string; readonly mode: string | undefined; readonly more?: string },
): void {
  const known = Object.keys(modes)
  if (mode === undefined || known.length === 0 || [...known, ...ALWAYS].includes(mode)) return
  const meant = nearest(mode, known)
  const suffix =
    meant.length === 0 ? `its modes: ${known.join(', ')}.` : `did you mean ${meant.join(' or ')}?`
  const message = `${name} has no mode ${mode}; ${suffix}${more}`
  throw new EngineError('refused', message, {
    field: 'mode',
    hint: `${startOn(task, name)} --mode ${shellWord(meant[0] ?? known[0] ?? '')}`,
    record: { event_type: 'effort.refused', skill: name, payload: { reason: message } },
  })
}
