import { EngineError } from '../../model/error.ts'
import { projectOf } from '../../model/project.ts'
import { listed } from '../../model/text/line.ts'
import { shellWord } from '../../model/shell/word.ts'
import { lastFinishedIn } from '../../store/effort.ts'
import { listProjects } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { listSkills } from '../../store/skill.ts'

interface Beginning {
  /** Includes the skill if the project has only one. */
  readonly command: string
  /** A sentence that lists the skills to choose from; empty if there is no choice. */
  readonly choice: string
}

const ROOM = 200

/** The command that starts an effort in a folder. */
export async function beginningOf(
  tx: Tx,
  { dir, project_id }: { readonly dir: string | undefined; readonly project_id: number | undefined },
): Promise<Beginning> {
  const start = `holdfast effort start ${dir === undefined ? 'DIR' : shellWord(dir)}`
  const skills = project_id === undefined ? [] : await listSkills(tx, { project_id })
  const [only, ...others] = skills.map(({ name }) => name)
  // Skills on disk may not be stored yet, so an empty list proves nothing.
  if (only === undefined) return { command: `${start} SKILL`, choice: '' }
  if (others.length === 0) return { command: `${start} ${shellWord(only)}`, choice: '' }
  return { command: `${start} SKILL`, choice: ` SKILL is one of: ${listed([only, ...others], ROOM)}.` }
}

/** Says why no effort can be resumed: none was started, or all are finished. */
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
    `${all} in ${task_id ?? project?.path} ${count === 1 ? 'is' : 'are'} finished. Last: effort ${id} (${skill}) of ${task}.`,
    `holdfast effort start ${shellWord(task)} ${shellWord(skill)}`,
  )
}

const notFound = (message: string, hint: string) =>
  new EngineError('not-found', message, { field: 'dir', hint })
