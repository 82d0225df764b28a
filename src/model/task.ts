import { rootSkill } from './child.ts'
import type { Config } from './config.ts'
import { OUR_FOLDER } from './our-folder.ts'
import { shellWord } from './shell/word.ts'
import { datedName } from './text/dated-name.ts'

/** A folder of work. It never finishes; whether it is active is derived from its efforts. */
export interface Task {
  readonly dir_path: string
  readonly project_id: number
  readonly workspace: string | null
  readonly title: string | null
  readonly description: string | null
  readonly keywords: string | null
  readonly created_at: string
}

/** Keywords add up over the efforts of a task; none given removes none. */
export function mergeKeywords(known: string | null, added: string | undefined): string | null {
  const words = `${known ?? ''},${added ?? ''}`
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
  return words.length === 0 ? null : [...new Set(words)].join(', ')
}

/** Where the tasks of calls lie, below the project: an agent may write there without asking. */
export const TASKS_FOLDER = `${OUR_FOLDER}/tasks`

/** The same, as the config says. */
export const tasksFolder = ({ tasks = TASKS_FOLDER }: Pick<Config, 'tasks'>): string =>
  tasks.replace(/\/+$/, '')

/** The command that starts an effort on a task; the work of a sub-agent starts with its skill. */
export const startOn = (task: string, skill = 'SKILL'): string =>
  `holdfast effort start ${shellWord(task)} ${shellWord(rootSkill(skill))}`

/** The same in a task of our folder, which git ignores. */
export const startCommand = (skill = 'SKILL', root?: string): string =>
  startOn(`${root === undefined ? '' : `${root}/`}${TASKS_FOLDER}/${skill}`, skill)

/** The folder that a task is about; a task in our folder is about what lies around that. */
export function placeOfTask(dir_path: string): string {
  const at = dir_path.indexOf(`/${TASKS_FOLDER}/`)
  return at === -1 ? dir_path : dir_path.slice(0, at)
}

/** Names a task by day, skill and the words of the call. */
export const taskName = (
  { now, skill, words }: { readonly now: string; readonly skill: string; readonly words: string },
  counter: number,
): string => datedName(now, `${skill} ${words}`, counter)
