import { EngineError } from '../../model/error.ts'
import { projectOf } from '../../model/project.ts'
import { listed } from '../../model/text/line.ts'
import { shellWord } from '../../model/shell/word.ts'
import { lastFinishedIn } from '../../store/effort.ts'
import { listProjects } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { listSkills } from '../../store/skill.ts'

interface Beginning {
  /** With the skill where only one could be meant. */
  readonly command: string
  /** The skills to choose from, as a sentence; empty where nothing is to be chosen. */
  readonly choice: string
}

const ROOM = 200

/** How work begins in a folder, as far as that is known. */
export async function beginningOf(
  tx: Tx,
  { dir, project_id }: { readonly dir: string | undefined; readonly project_id: number | undefined },
): Promise<Beginning> {
  const start = `holdfast effort start ${dir === undefined ? 'DIR' : shellWord(dir)}`
  const skills = project_id === undefined ? [] : await listSkills(tx, { project_id })
  const [only, ...others] = skills.map(({ name }) => name)
  // What is on disk may not be stored yet, so that none here does not mean that there is none.
  if (only === undefined) return { command: `${start} SKILL`, choice: '' }
  if (others.length === 0) return { command: `${start} ${shellWord(only)}`, choice: '' }
  return { command: `${start} SKILL`, choice: ` SKILL is one of: ${listed([only, ...others], ROOM)}.` }
}

/** Why there is nothing to go on with: nothing was begun, or all of it is finished. */
export async function nothingActive(
  tx: Tx,
  { task_id, folder }: { readonly task_id?: string | undefined; readonly folder?: string | undefined },
): Promise<EngineError> {
  const place = task_id ?? folder
  const project = place === undefined ? undefined : projectOf(await listProjects(tx, {}), place)
  const last =
    project === undefined
      ? undefined
      : await lastFinishedIn(tx, { project_id: project.id, task_id: task_id ?? null })
  if (last === undefined) {
    const { command, choice } = await beginningOf(tx, { dir: place, project_id: project?.id })
    return notFound(`No effort is active in ${place ?? 'any project'}.${choice}`, command)
  }
  const { count, id, skill, task_id: task } = last
  const all = count === 1 ? 'The only effort' : `All ${count} efforts`
  return notFound(
    `${all} in ${task_id ?? project?.path} ${count === 1 ? 'is' : 'are'} finished, the last one effort ${id} (${skill}) of ${task}.`,
    `holdfast effort start ${shellWord(task)} ${shellWord(skill)}`,
  )
}

const notFound = (message: string, hint: string) =>
  new EngineError('not-found', message, { field: 'dir', hint })
