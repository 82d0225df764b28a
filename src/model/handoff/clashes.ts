import { oneLine } from '../text/line.ts'
import type { Learning } from './learnings.ts'
import { type FoundIn, nameKey } from './problem.ts'
import type { SessionTask } from './session-file.ts'
import { PENDING_TOKEN } from './task-line.ts'

/** What the history of a repository knows of its session files and learnings. */
export interface Past {
  /** The name keys of tasks in commits, but not of those in the commit that is checked out. */
  readonly names: ReadonlySet<string>
  /** Every token in any commit. */
  readonly tokens: ReadonlySet<string>
}

const LONGEST = 80

/** Names and tokens that are there twice, or were used before. */
export function* clashes(
  tasks: readonly SessionTask[],
  learnings: readonly Learning[],
  past: Pick<Past, 'names'> | undefined,
): Generator<FoundIn> {
  const learned = new Map(learnings.map((one) => [nameKey(one.title), one]))
  const names = new Map<string, SessionTask>()
  const tokens = new Map<string, SessionTask>()
  for (const task of tasks) {
    const { name, line, token } = task
    const key = nameKey(name)
    const shown = oneLine(name, LONGEST)
    const first = names.get(key)
    const learning = learned.get(key)
    const about = { file: 'session', line } as const
    if (first !== undefined)
      yield {
        ...about,
        code: 'name-twice',
        message: `The task "${shown}" is in the file twice; the first one is in line ${first.line}.`,
        hint: 'Rename one of them, or remove it.',
      }
    else if (past?.names.has(key) === true)
      yield {
        ...about,
        code: 'name-used',
        message: `An earlier commit had a task with the name "${shown}".`,
        hint: `Choose another name. The earlier task: holdfast todo context "${shown}"`,
      }
    if (learning !== undefined)
      yield {
        ...about,
        code: 'name-learning',
        message: `The task "${shown}" has the name of a learning, in line ${learning.line} of the learnings.`,
        hint: 'Rename the task.',
      }
    names.set(key, first ?? task)
    if (token === undefined || token === PENDING_TOKEN) continue
    const other = tokens.get(token)
    if (other === undefined) tokens.set(token, task)
    else
      yield {
        ...about,
        code: 'token-twice',
        message: `The token ${token} also belongs to the task in line ${other.line}.`,
        hint: `Write ${PENDING_TOKEN} in its place, then: holdfast todo check`,
      }
  }
}
