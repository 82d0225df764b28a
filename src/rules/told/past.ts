import type { Todo } from '../../model/event.ts'
import { ourPrompt } from '../../model/in-client.ts'
import type { Message } from '../../model/message.ts'
import type { Section } from '../../model/recap.ts'
import { inOneLine, oneLine } from '../../model/text/line.ts'
import { relativeTime } from '../../model/text/time.ts'
import { shownTodos } from '../../model/todo-list.ts'

/** What was said and done before this context, in a session without a skill. */
export interface Past {
  /** This session itself, the one that the user cleared for it, or one that stopped without an end. */
  readonly whose: 'own' | 'cleared' | 'stopped'
  /** The last sign of life. */
  readonly at: string
  /** The texts of the user and the agent, newest first. */
  readonly texts: readonly Pick<Message, 'role' | 'content'>[]
  /** The outcomes of tool calls, newest first. */
  readonly calls: readonly Pick<Message, 'content' | 'tool_name'>[]
  readonly todos: readonly Todo[]
  /** The client's command that resumes it. */
  readonly resume: string | undefined
}

const TITLES: Readonly<Record<Past['whose'], string>> = {
  own: 'This session before',
  cleared: 'The session that was cleared',
  stopped: 'The last session here stopped without an end',
}

const MOST_ASKED = 12
const MOST_CALLS = 6
const MOST_FAILED = 4
const MOST_TODOS = 20
const LONGEST = 300

/** What was asked, said, run and failed, and what is left to do. */
export function pastSections(past: Past | undefined, now: string): readonly Section[] {
  if (past === undefined) return []
  const { whose, at, resume } = past
  const title = `${TITLES[whose]} (${relativeTime(at, Date.parse(now))}):`
  if (whose === 'stopped') {
    const lines = [...asked(past, 1), ...(resume === undefined ? [] : [`To resume it: ${resume}`])]
    return [{ name: 'stopped', title, lines }]
  }
  return [
    { name: 'past', title, lines: [...asked(past, MOST_ASKED), ...said(past), ...run(past)], isProse: true },
    { name: 'todos', title: 'Todo list of the session:', lines: todoLines(past.todos) },
  ]
}

/** Each text once, the oldest first; our own commands say nothing. */
function asked({ texts }: Past, most: number): readonly string[] {
  const words = texts
    .filter(({ role, content }) => role === 'user' && ourPrompt(content) === undefined)
    .map(({ content }) => inOneLine(content, LONGEST))
  const shown = [...new Set(words)].slice(0, most).toReversed()
  return lines('The user asked', shown)
}

function said({ texts }: Past): readonly string[] {
  const last = texts.find(({ role }) => role === 'assistant')
  return last === undefined ? [] : lines('The agent said last', [inOneLine(last.content, LONGEST)])
}

const isFailed = ({ content }: Past['calls'][number]): boolean => / → (failed|denied): /.test(content)

/** The last calls, and failed ones from before them. */
function run({ calls }: Past): readonly string[] {
  const last = calls.slice(0, MOST_CALLS)
  const failed = calls.slice(MOST_CALLS).filter(isFailed).slice(0, MOST_FAILED)
  return [
    ...lines('Failed before', failed.toReversed().map(callLine)),
    ...lines('Last calls', last.toReversed().map(callLine)),
  ]
}

const callLine = ({ tool_name: tool, content }: Past['calls'][number]): string =>
  `${oneLine(tool ?? 'tool', LONGEST)} ${inOneLine(content, LONGEST)}`

/** A finished list needs no reader. */
function todoLines(todos: readonly Todo[]): readonly string[] {
  const shown = shownTodos(todos)
  if (shown.every(({ status }) => status === 'completed')) return []
  return shown
    .slice(-MOST_TODOS)
    .map(({ text = '', status = 'pending' }) => `- ${inOneLine(text, LONGEST)} (${oneLine(status, LONGEST)})`)
}

const lines = (what: string, texts: readonly string[]): readonly string[] =>
  texts.length === 0 ? [] : [`${what}:`, ...texts.map((text) => `- ${text}`)]
