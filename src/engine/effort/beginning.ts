import { isChild, rootSkill } from '../../model/child.ts'
import { EngineError } from '../../model/error.ts'
import { isOurCommand } from '../../model/in-client.ts'
import { shellWord } from '../../model/shell/word.ts'
import { listed, oneLine } from '../../model/text/line.ts'
import { nearest } from '../../model/text/nearest.ts'
import { startCommand, startOn } from '../../model/task.ts'
import { findEffort, lastFinishedIn, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { listSkills } from '../../store/skill.ts'
import { findTask } from '../../store/task.ts'
import type { KnownRoot } from '../../store/workplace.ts'
import { type Here, rootAround } from '../call/here.ts'
import { againCommand } from './ending.ts'

interface Beginning {
  /** Includes the skill if the project has only one. */
  readonly command: string
  /** A sentence that lists the skills to choose from; empty if there is no choice. */
  readonly choice: string
}

const ROOM = 200

/** The command that starts an effort: in the folder if it is a task, else in a task of our folder. */
export async function beginningOf(
  tx: Tx,
  found: KnownRoot | undefined,
  folder: string | undefined,
): Promise<Beginning> {
  const workplace_id = found?.workplace?.id
  const skills = workplace_id === undefined ? [] : await listSkills(tx, { workplace_id })
  const [only, ...others] = skills.map(({ name }) => name).filter((name) => !isOurCommand(name))
  // Skills on disk may not be stored yet, so an empty list proves nothing.
  const skill = only === undefined || others.length > 0 ? 'SKILL' : only
  const task = folder === found?.path ? undefined : await taskAt(tx, folder)
  return {
    command: task === undefined ? startCommand(skill, found?.path) : startOn(task, skill),
    choice: others.length === 0 ? '' : ` SKILL is one of: ${listed([only ?? '', ...others], ROOM)}.`,
  }
}

/** The root of a project is a task too, but its folder is no place for a log. */
async function taskAt(tx: Tx, dir_path: string | undefined): Promise<string | undefined> {
  return dir_path === undefined ? undefined : (await findTask(tx, { dir_path }))?.dir_path
}

/** Says why no effort can be resumed: none was started, or all are finished. */
export async function nothingActive(
  tx: Tx,
  { task_id, here }: { readonly task_id?: string | undefined; readonly here?: Here | undefined },
): Promise<EngineError> {
  const place = here?.folder
  const found = here === undefined ? undefined : await rootAround(tx, here)
  const last =
    found === undefined
      ? undefined
      : await lastFinishedIn(tx, { project_id: found.of.id, task_id: task_id ?? null })
  if (last === undefined) {
    const { command, choice } = await beginningOf(tx, found, place)
    return notFound(`No effort is active in ${oneLine(place ?? 'any project')}.${choice}`, command)
  }
  const { count, id, skill, task_id: task } = last
  const row = await findEffort(tx, { id })
  const all = count === 1 ? 'The only effort' : `All ${count} efforts`
  return notFound(
    `${all} in ${oneLine(task_id ?? found?.project ?? '')} ${count === 1 ? 'is' : 'are'} finished. Last: effort ${id} (${skill}) of ${oneLine(task)}. Begin it anew only if the user asks.`,
    row === undefined ? startOn(task, skill) : await againCommand(tx, toEffort(row)),
  )
}

/** Says that the caller has no effort of a skill, with the command that starts one. */
export async function noneOf(
  tx: Tx,
  skill: string,
  { here }: { readonly here?: Here | undefined },
): Promise<EngineError> {
  const root = here === undefined ? undefined : await rootAround(tx, here)
  const workplace_id = root?.workplace?.id
  const skills = workplace_id === undefined ? [] : await listSkills(tx, { workplace_id })
  if (isChild({ skill }) && skills.some(({ name }) => name === rootSkill(skill))) return onlyBelow(skill)
  // A word that is no skill may be an outcome or a step, which the state of the effort names.
  if (skills.length > 0 && !skills.some(({ name }) => name === skill))
    return unknownSkill(
      skill,
      skills.map(({ name }) => name),
    )
  const message = `You have no effort of skill ${skill} here.`
  return new EngineError('not-found', message, {
    field: 'skill',
    hint: startCommand(rootSkill(skill), root?.path),
  })
}

/** The workflow of a sub-agent needs the step that starts it, which the command of that step names. */
const onlyBelow = (skill: string) =>
  new EngineError(
    'not-found',
    `${oneLine(skill)} is what a sub-agent of skill ${oneLine(rootSkill(skill))} does; it begins only with the command that a step of that skill prints.`,
    { field: 'skill', hint: `holdfast step ${shellWord(oneLine(rootSkill(skill)))}` },
  )

function unknownSkill(skill: string, known: readonly string[]): EngineError {
  const [meant] = nearest(skill, known)
  const message = `This project has no skill ${oneLine(skill)}${meant === undefined ? '.' : `; did you mean ${oneLine(meant)}?`}`
  const hint = meant === undefined ? 'holdfast step' : `holdfast step ${shellWord(oneLine(meant))}`
  return new EngineError('not-found', message, { field: 'skill', hint })
}

const notFound = (message: string, hint: string) =>
  new EngineError('not-found', message, { field: 'dir', hint })
