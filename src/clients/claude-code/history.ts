import type { ClientHistory, HistoryLine } from '../../model/history.ts'
import { absolutePath } from '../../model/text/path.ts'
import { type Fields, fieldsOf, flagOf, isFields, listOf, nameOf, textOf } from './fields.ts'

/** The transcripts in `projects/FOLDER/SESSION.jsonl`; those of sub-agents lie deeper, or are named `agent-…`. */
export const history: ClientHistory = {
  folder: 'projects',
  sessionOf: (path) => /^[^/]+\/(?!agent-)([\w-]{1,100})\.jsonl$/.exec(path)?.[1],
  cwdIn(line) {
    const cwd = fieldsOf(parsed(line))['cwd']
    return typeof cwd === 'string' ? absolutePath(cwd, undefined) : undefined
  },
  read(line) {
    const entry = parsed(line)
    if (!isFields(entry)) return UNKNOWN
    const type = entry['type']
    if (type !== 'user' && type !== 'assistant')
      return typeof type === 'string' && KINDS.has(type) ? OTHER : UNKNOWN
    if (UNSAID.some((flag) => flagOf(entry[flag]) === true)) return OTHER
    const at = Date.parse(nameOf(entry['timestamp']) ?? '')
    const text = wordsOf(fieldsOf(entry['message'])['content'])
    if (Number.isNaN(at) || text === undefined) return UNKNOWN
    const said = type === 'assistant' ? text : asTyped(text)
    if (said.trim() === '') return OTHER
    const origin = nameOf(fieldsOf(entry['forkedFrom'])['sessionId']) ?? nameOf(entry['sessionId'])
    const time = new Date(at).toISOString()
    return { kind: 'said', role: type, text: said, at: time, id: nameOf(entry['uuid']), origin }
  },
}

const UNKNOWN: HistoryLine = { kind: 'unknown' }
const OTHER: HistoryLine = { kind: 'other' }

/** Flags of entries that nobody of the main thread said. */
const UNSAID = ['isSidechain', 'isMeta', 'isCompactSummary', 'isVisibleInTranscriptOnly', 'isApiErrorMessage']

/** The kinds of lines that say nothing, as seen in versions 1 and 2. */
const KINDS: ReadonlySet<string> = new Set(
  `system attachment queue-operation last-prompt tools-used cost-state api-request api-request-shape api-request-blob
  atis-latch summary file-history-snapshot progress custom-title ai-title agent-name agent-color agent-setting tag
  pr-link mode permission-mode worktree-state content-replacement speculation-accept`.split(/\s+/),
)

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The words in a content; empty if it has only other blocks, undefined if it is none. */
function wordsOf(content: unknown): string | undefined {
  if (typeof content === 'string') return textOf(content)
  if (!Array.isArray(content)) return undefined
  const blocks: readonly Fields[] = listOf(content).map(fieldsOf)
  if (blocks.some((block) => typeof block['type'] !== 'string')) return undefined
  // A result of a tool comes with notes for the agent, not with words of the user.
  if (blocks.some((block) => block['type'] === 'tool_result')) return ''
  return blocks.flatMap((block) => (block['type'] === 'text' ? (textOf(block['text']) ?? []) : [])).join('\n')
}

/** What the client writes in the name of the user. */
const MACHINE_MADE =
  /^\s*(?:<(?:local-command-|task-notification>|bash-(?:stdout|stderr)>|system-reminder>|user-prompt-submit-hook>|teammate-message|user-memory-input>|command-contents>)|\[Request interrupted by user|Caveat: The messages below were generated|This session is being continued from a previous conversation|\[Subagent hand-back\]|Stop hook feedback:|Base directory for this skill:)/

/** The words of the user as they were typed, without what the client adds; empty if it wrote all of it. */
function asTyped(text: string): string {
  const command = /<command-name>([^<]{0,200})<\/command-name>/.exec(text)?.[1]?.trim()
  if (command !== undefined) {
    const args = /<command-args>([^]*)<\/command-args>/.exec(text)?.[1]?.trim() ?? ''
    // A command alone, such as /clear, says nothing that is worth finding.
    return args === '' ? '' : `${command} ${args}`
  }
  const shell = /^\s*<bash-input>([^]*)<\/bash-input>/.exec(text)?.[1]
  if (shell !== undefined) return `! ${shell.trim()}`
  if (MACHINE_MADE.test(text)) return ''
  return withoutReminders(text)
}

const [OPEN, CLOSE] = ['<system-reminder>', '</system-reminder>']

/** Contexts of hooks and of the client stand in the text of a prompt. */
function withoutReminders(text: string): string {
  let [result, at] = ['', 0]
  for (;;) {
    const from = text.indexOf(OPEN, at)
    const to = from === -1 ? -1 : text.indexOf(CLOSE, from)
    if (to === -1) return result + text.slice(at)
    result += text.slice(at, from)
    at = to + CLOSE.length
  }
}
