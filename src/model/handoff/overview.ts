import { contentIn } from './lines.ts'
import { nameKey } from './problem.ts'
import { sectionOf, type SessionFile, type SessionTask } from './session-file.ts'
import { PENDING_TOKEN } from './task-line.ts'

/** A task without a model runs with this one. */
export const USUAL_MODEL = 'sonnet'

/** What comes next, as a session file says. */
export interface Overview {
  /** In progress, else the first pending one. */
  readonly next: SessionTask | undefined
  /** Pending tasks in a row that do not depend on each other; none if there are fewer than two. */
  readonly parallel: readonly SessionTask[]
}

/** Which tasks of a session file come next. */
export function overviewOf(file: SessionFile): Overview {
  const inTree = file.tasks.filter(({ section }) => section === 'tasks')
  const pending = inTree.filter(({ state }) => state === 'pending')
  return {
    next: inTree.find(({ state }) => state === 'in-progress') ?? pending[0],
    parallel: widest(pending, file),
  }
}

const MOST_PARALLEL = 5

/** The longest run of tasks without a dependency, the first one of that length. */
function widest(pending: readonly SessionTask[], file: SessionFile): readonly SessionTask[] {
  const blockers = blockerTexts(file)
  const texts = new Map(pending.map((task) => [task, textOf(file, task)]))
  let best: readonly SessionTask[] = []
  let window: SessionTask[] = []
  for (const task of pending) {
    window = [...window.slice(-(MOST_PARALLEL - 1)), task]
    const tied = window.slice(0, -1).findLastIndex((other) => areTied(other, task, texts, blockers))
    window = window.slice(tied + 1)
    if (window.length > best.length) best = window
    if (best.length === MOST_PARALLEL) break
  }
  return best.length < 2 ? [] : best
}

/** Two tasks of one plan, one that names the other, two in one blocker, and one that needs a new session. */
function areTied(
  a: SessionTask,
  b: SessionTask,
  texts: ReadonlyMap<SessionTask, string>,
  blockers: readonly string[],
): boolean {
  if (a.restart || b.restart) return true
  if (a.plan !== undefined && a.plan.name === b.plan?.name) return true
  const [textA = '', textB = ''] = [texts.get(a), texts.get(b)]
  return (
    names(textA, b) || names(textB, a) || blockers.some((blocker) => names(blocker, a) && names(blocker, b))
  )
}

const names = (text: string, { name, token }: SessionTask): boolean =>
  text.includes(nameKey(name)) ||
  (token !== undefined && token !== PENDING_TOKEN && text.includes(token.toLowerCase()))

/** What a task says behind its own name. */
function textOf({ lines }: SessionFile, { line, until, tokenAt }: SessionTask): string {
  const [first = '', ...more] = lines.slice(line - 1, until).map(({ text }) => text)
  return nameKey([first.slice(tokenAt), ...more].join(' '))
}

/** Each task is looked for in all of them, and nobody reads more. */
const MOST_BLOCKER_TEXT = 20_000

function blockerTexts(file: SessionFile): readonly string[] {
  const section = sectionOf(file, 'blockers')
  if (section === undefined) return []
  const { from, to } = contentIn(file.lines, section.at + 1, section.end)
  const items: string[] = []
  for (const { text } of file.lines.slice(from, to))
    if (/^[-*+][ \t]/.test(text) || items.length === 0) items.push(text)
    else items[items.length - 1] += ` ${text}`
  let room = MOST_BLOCKER_TEXT
  return items.map(nameKey).filter((item) => (room -= item.length) >= 0)
}

/** Whether a task of a session file is about a plan folder. */
export function scheduledIn({ tasks, lines }: SessionFile, folder: string): (plan: string) => boolean {
  const words = tasks
    .flatMap(({ line, until }) => lines.slice(line - 1, until).map((one) => one.text))
    .join('\n')
  const named = new Set(tasks.flatMap(({ plan }) => (plan === undefined ? [] : [plan.name])))
  const behind = words.split(`${folder}/`).slice(1)
  const folders = new Set(behind.map((text) => /^[\w.-]+/.exec(text)?.[0]))
  return (plan) => named.has(plan) || folders.has(plan)
}
