import { oneLine } from '../text/line.ts'
import type { Problem } from './problem.ts'

/** The states of a task in a session file, by the sign between the brackets. */
export const STATE_SIGNS = {
  pending: ' ',
  'in-progress': '>',
  done: 'x',
  blocked: '!',
  failed: '†',
  cancelled: '-',
} as const

export type TaskState = keyof typeof STATE_SIGNS

export const TASK_STATES = Object.keys(STATE_SIGNS) as readonly TaskState[]

/** Signs that people also write. */
const MORE_SIGNS: Readonly<Record<string, TaskState>> = { X: 'done', '–': 'cancelled', '—': 'cancelled' }

const STATE_OF: ReadonlyMap<string, TaskState> = new Map([
  ...TASK_STATES.map((state) => [STATE_SIGNS[state], state] as const),
  ...Object.entries(MORE_SIGNS),
])

/** Stands for a token until `holdfast todo check` gives the task one. */
export const PENDING_TOKEN = '#PNDNG'

/** The signs of our own tokens: no vowels that make words, and no signs that look alike. */
export const TOKEN_SIGNS = '0123456789BCDFGHJKMNPQRSTVWXYZ'
export const TOKEN_LENGTH = 6

/** What is taken for a token, such as one of another program. */
export const ANY_TOKEN = '#(?=[A-Z0-9]*[A-Z])[A-Z0-9]{4,12}'

/** What a caller means who names a task by its token. */
export const tokenCalled = (wanted: string): string => wanted.trim().replace(/^#?/, '#').toUpperCase()

/** What one line says of a task. */
export interface TaskWords {
  readonly name: string
  readonly state: TaskState
  /** The worktree that it is done in. */
  readonly slug?: string | undefined
  /** With its sign. */
  readonly token?: string | undefined
  readonly command?: string | undefined
  readonly model?: string | undefined
  readonly restart: boolean
  readonly priority?: string | undefined
}

/** A task line with the places in it that edits change. */
export interface TaskLine extends TaskWords {
  /** Where the sign of the state begins and ends. */
  readonly sign: readonly [from: number, to: number]
  /** Where a token goes. */
  readonly tokenAt: number
  /** Where each `#PNDNG` begins. */
  readonly pending: readonly number[]
  readonly faults: readonly Omit<Problem, 'line'>[]
}

const SHAPE = `- [ ] **Name** — \`command\` | model | restart | priority`
const LONGEST_SHOWN = 80

/** Reads `- [c] **Name** [→ \`slug\`] [#token] — \`command\` | model | restart | priority`; undefined for another line. */
export function readTaskLine(text: string): TaskLine | undefined {
  const bullet = /^[-*+](?:[ \t]+|(?=\[))/.exec(text)?.[0].length
  if (bullet === undefined) return undefined
  const faults: Omit<Problem, 'line'>[] = []
  if (bullet === 1) faults.push(noBlank(text))
  const box = boxAt(text, bullet, faults)
  if (box === undefined) return undefined
  const named = nameAt(text, box.end, faults)
  if (named === undefined) return undefined
  const { name, end } = named
  const split = separatorIn(text, end)
  faults.push(...loweredIn(text, { from: end, to: split.from }))
  const head = headOf(text, { from: end, to: split.from }, faults)
  const detail = detailOf(text.slice(split.to), faults)
  const { state, sign } = box
  return { name, state, sign, ...head, ...detail, pending: pendingIn(text, end), faults }
}

const noBlank = (text: string): Omit<Problem, 'line'> => ({
  code: 'task-blank',
  message: `This task has no blank behind its ${text.slice(0, 1)}, so it is no item of a list.`,
  hint: `Write: ${text.slice(0, 1)} ${oneLine(text.slice(1).trimEnd(), LONGEST_SHOWN)}`,
})

/** The box with the state; a bold bullet without one is a task that somebody forgot to give a state. */
function boxAt(text: string, at: number, faults: Omit<Problem, 'line'>[]) {
  if (text.startsWith('**', at)) {
    faults.push({
      code: 'task-state',
      message: 'This task has no state.',
      hint: `Write a state before the name: ${SHAPE}`,
    })
    return { state: 'pending' as const, sign: [at, at] as const, end: at }
  }
  const close = text[at] === '[' ? text.indexOf(']', at) : -1
  const said = text.slice(at + 1, close)
  // A longer text in brackets is a link.
  if (close === -1 || Array.from(said.trim()).length > 1 || text[close + 1] === '(') return undefined
  const state = STATE_OF.get(said.trim() === '' ? ' ' : said.trim())
  if (state === undefined || said === '')
    faults.push({
      code: 'task-state',
      message: said === '' ? 'The box of this task is empty.' : `[${oneLine(said)}] is no state of a task.`,
      hint: 'Use one of: [ ] pending, [>] in progress, [x] done, [!] blocked, [†] failed, [-] cancelled',
    })
  // Nobody should begin what may mean anything.
  return { state: state ?? ('blocked' as const), sign: [at + 1, close] as const, end: close + 1 }
}

function nameAt(text: string, at: number, faults: Omit<Problem, 'line'>[]) {
  const from = at + (/^[ \t]*/.exec(text.slice(at))?.[0].length ?? 0)
  const isBold = text.startsWith('**', from)
  const close = isBold ? text.indexOf('**', from + 2) : -1
  if (close !== -1) {
    const name = text.slice(from + 2, close).trim()
    if (name !== '') return { name, end: close + 2 }
  }
  const end = plainEnd(text, from)
  const name = text.slice(from, end).replaceAll('*', '').trim()
  if (name === '') return undefined
  faults.push({
    code: 'task-name',
    message: isBold
      ? `The bold name of this task has no end: ${oneLine(name, LONGEST_SHOWN)}.`
      : `The name of this task is not bold: ${oneLine(name, LONGEST_SHOWN)}.`,
    hint: `Write two stars on both sides of the name: **${oneLine(name, LONGEST_SHOWN)}**`,
  })
  return { name, end }
}

/** A name without stars ends before whatever can follow a name. */
function plainEnd(text: string, from: number): number {
  const rest = text.slice(from)
  const found = rest.search(/[ \t](?:[—–→|]|--?[ \t>]|#[A-Z0-9]|`)/)
  return found === -1 ? text.length : from + found
}

/** The dash between a task and its command, outside of back-ticks. */
function separatorIn(text: string, from: number): { readonly from: number; readonly to: number } {
  let isCode = false
  for (let at = from; at < text.length; at++) {
    if (text[at] === '`') isCode = !isCode
    else if (!isCode && isBlankAt(text, at - 1)) {
      const dash =
        text[at] === '—' || text[at] === '–' ? 1 : text.startsWith('--', at) ? 2 : text[at] === '-' ? 1 : 0
      if (dash > 0 && isBlankAt(text, at + dash)) return { from: at, to: at + dash }
    }
  }
  return { from: text.length, to: text.length }
}

const isBlankAt = (text: string, at: number): boolean =>
  at >= text.length || text[at] === ' ' || text[at] === '\t'

const TOKEN = new RegExp(String.raw`(?<=^|[ \t])${ANY_TOKEN}(?=$|[ \t])`, 'g')

/** What stands between the name and the dash: the worktree and the token. */
function headOf(
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
  faults: Omit<Problem, 'line'>[],
) {
  const head = text.slice(from, to)
  const arrow = /(?:→|->)[ \t]*(?:`([^`]*)`|([^\s`|#]+))?/.exec(head)
  const slug = (arrow?.[1] ?? arrow?.[2] ?? '').trim()
  if (arrow !== null && (arrow[1] === undefined || slug === ''))
    faults.push({
      code: 'task-slug',
      message: 'The worktree of this task is not in back-ticks.',
      hint: `Write: → \`${slug === '' ? 'worktree' : oneLine(slug, LONGEST_SHOWN)}\``,
    })
  const tokens = [...head.matchAll(TOKEN)].map(([found]) => found)
  if (tokens.length > 1)
    faults.push({
      code: 'task-token',
      message: `This task has ${tokens.length} tokens: ${tokens.join(' ')}.`,
      hint: `Keep ${tokens.find((one) => one !== PENDING_TOKEN) ?? PENDING_TOKEN} and remove the rest.`,
    })
  const token = tokens.find((one) => one !== PENDING_TOKEN) ?? tokens[0]
  const tokenAt = from + (arrow === null ? 0 : arrow.index + arrow[0].trimEnd().length)
  return { ...(slug !== '' && { slug }), ...(token !== undefined && { token }), tokenAt }
}

/** A word of people has other signs. */
const OUR_SIGNS = new RegExp(String.raw`(?<=^|[ \t])#[${TOKEN_SIGNS}]{${TOKEN_LENGTH}}(?=$|[ \t])`, 'gi')
const PENDING_WORD = /(?<=^|[ \t])#pndng(?=$|[ \t])/gi

/** Tokens in small letters, which nothing would ever expand or find. */
function loweredIn(
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
): readonly Omit<Problem, 'line'>[] {
  const behind = text.slice(from).replaceAll(/`[^`]*`/g, '')
  const words = [...text.slice(from, to).matchAll(OUR_SIGNS), ...behind.matchAll(PENDING_WORD)]
  return words
    .map(([word]) => word)
    .filter((word) => word !== word.toUpperCase())
    .map((word) => ({
      code: 'task-token',
      message: `The token ${word} is not in capitals.`,
      hint: `Write ${word.toUpperCase()} in its place.`,
    }))
}

/** Every `#PNDNG` of the line behind its name, outside of back-ticks. */
function pendingIn(text: string, from: number): readonly number[] {
  const found: number[] = []
  let isCode = false
  for (let at = from; at < text.length; at++) {
    if (text[at] === '`') isCode = !isCode
    else if (
      !isCode &&
      text.startsWith(PENDING_TOKEN, at) &&
      !/\w/.test(text[at + PENDING_TOKEN.length] ?? '')
    )
      found.push(at)
  }
  return found
}

/** The command in back-ticks, and the fields behind it. */
function detailOf(detail: string, faults: Omit<Problem, 'line'>[]) {
  const text = detail.trim()
  const ticks = /^`+/.exec(text)?.[0] ?? ''
  const close = ticks === '' ? -1 : text.indexOf(ticks, ticks.length)
  if (ticks !== '' && close === -1)
    faults.push({
      code: 'task-command',
      message: 'The command of this task has no end.',
      hint: `Close it with ${ticks}`,
    })
  const isOpen = ticks !== '' && close === -1
  const bar = text.indexOf('|', isOpen || ticks === '' ? 0 : close)
  const command = ticks === '' ? '' : text.slice(ticks.length, isOpen ? endOr(text, bar) : close).trim()
  const fields =
    bar === -1
      ? []
      : text
          .slice(bar + 1)
          .split('|')
          .map((field) => field.trim())
  return { ...(command !== '' && { command }), ...fieldsOf(fields) }
}

const endOr = (text: string, at: number): number => (at === -1 ? text.length : at)

const RESTART = /^restart(?::?[ \t]*(yes|no|true|false))?$/i
const PRIORITY = /^(?:p?\d+(?:\.\d+)?|low|medium|normal|high|urgent|(?:priority|prio)\b.*)$/i

function fieldsOf(fields: readonly string[]) {
  let [model, priority] = ['', '']
  let restart = false
  for (const field of fields.filter((one) => one !== '' && one !== PENDING_TOKEN)) {
    const asked = RESTART.exec(field)
    if (asked !== null) restart = !/^(no|false)$/i.test(asked[1] ?? '')
    else if (/^no restart$/i.test(field)) restart = false
    else if (PRIORITY.test(field)) priority = field.replace(/^(?:priority|prio)\b[:\s]*/i, '')
    else if (model === '') model = field
    else if (priority === '') priority = field
  }
  return { restart, ...(model !== '' && { model }), ...(priority !== '' && { priority }) }
}

/** A task as a line of a session file. */
export function taskLine({ name, state, slug, token, command, model, restart, priority }: TaskWords): string {
  const fields = [
    ...(model === undefined ? [] : [model]),
    ...(restart ? ['restart'] : []),
    ...(priority === undefined ? [] : [`priority ${priority}`]),
  ]
  const detail = [...(command === undefined ? [] : [inTicks(command)]), ...fields].join(' | ')
  // Without a command, a bar tells that the words are fields.
  const behind = detail === '' ? '' : command === undefined ? ` — | ${detail}` : ` — ${detail}`
  const where = slug === undefined ? '' : ` → \`${slug}\``
  return `- [${STATE_SIGNS[state]}] **${name}**${where}${token === undefined ? '' : ` ${token}`}${behind}`
}

/** More back-ticks than the command has itself. */
function inTicks(command: string): string {
  if (!command.includes('`')) return `\`${command}\``
  const longest = Math.max(...[...command.matchAll(/`+/g)].map(([run]) => run.length))
  const ticks = '`'.repeat(longest + 1)
  return `${ticks} ${command} ${ticks}`
}
