import { isBlank } from '../text/line.ts'
import { changed, ITEM, type Line } from './lines.ts'
import { type FieldFault, nameKey, type Problem } from './problem.ts'
import { emptySessionFile, mergeSection, replaceSection, wordsFault } from './section-edits.ts'
import { readSessionFile, sectionOf, type SessionFile, type SessionTask, wordsIn } from './session-file.ts'
import { addTaskLines, setStates } from './task-edits.ts'
import { PENDING_TOKEN, type TaskState } from './task-line.ts'

/** What a session hands over: what replaces the words of the session before, and what is added to them. */
export interface HandedOver {
  /** The day of the handoff, for the title. */
  readonly date: string
  readonly status?: string | undefined
  readonly completed?: string | undefined
  readonly next?: string | undefined
  readonly blockers?: readonly string[] | undefined
  /** A whole document with the sections of a session file. */
  readonly document?: string | undefined
}

/** A session file after a handoff; applying it again changes nothing. */
export function handOver(text: string | undefined, given: HandedOver): string {
  const { document, date, blockers = [] } = given
  const said = document === undefined ? undefined : readSessionFile(document)
  let now = text === undefined || text.trim() === '' ? emptySessionFile(date) : text
  now = withTitle(now, date)
  const status = given.status ?? said?.status?.text
  if (status !== undefined) now = withStatus(now, status)
  const completed = given.completed ?? sectionWords(said, 'completed')
  if (completed !== undefined) now = replaceSection(now, 'completed', linesIn(completed))
  if (said !== undefined) now = withTasks(now, said)
  const all = [...blockers.map(asItem), ...linesIn(sectionWords(said, 'blockers') ?? '')]
  now = mergeSection(now, { kind: 'blockers', title: '' }, all)
  for (const section of said?.sections ?? [])
    if (section.kind === 'reference' || section.kind === undefined)
      now = mergeSection(now, section, linesIn(wordsIn(said ?? NOTHING, section)))
  const next = given.next ?? sectionWords(said, 'next')
  return next === undefined ? now : replaceSection(now, 'next', linesIn(next))
}

const NOTHING = { lines: [] }

function sectionWords(
  file: SessionFile | undefined,
  kind: 'completed' | 'blockers' | 'next',
): string | undefined {
  const section = file === undefined ? undefined : sectionOf(file, kind)
  return file === undefined || section === undefined ? undefined : wordsIn(file, section)
}

/** The lines of words, without blank ones around them. */
function linesIn(words: string): readonly string[] {
  const lines = words.split(/\r\n|\r|\n/)
  while (lines.length > 0 && lines[0]?.trim() === '') lines.shift()
  while (lines.at(-1)?.trim() === '') lines.pop()
  return lines
}

/** Words as an item of a list, unless they are one. */
function asItem(words: string): string {
  const lines = linesIn(words)
  const [first = '', ...more] = lines
  return ITEM.test(first)
    ? lines.join('\n')
    : [`- ${first}`, ...more.map((line) => (line === '' ? '' : `  ${line}`))].join('\n')
}

/** A title of somebody else stays. */
function withTitle(text: string, date: string): string {
  const file = readSessionFile(text)
  const { title } = file
  const line = `# Session Handoff: ${date}`
  if (title === undefined) {
    const isGap = file.lines[0] === undefined || file.lines[0].text.trim() === ''
    return changed(file, [{ at: 0, removes: 0, puts: isGap ? [line] : [line, ''] }])
  }
  if (title.date === undefined || title.date === date) return text
  return changed(file, [{ at: title.at, removes: 1, puts: [line] }])
}

function withStatus(text: string, status: string): string {
  const file = readSessionFile(text)
  const line = `**Status:** ${status}`
  if (file.status !== undefined)
    return file.status.text === status
      ? text
      : changed(file, [{ at: file.status.at, removes: 1, puts: [line] }])
  const at = (file.title?.at ?? -1) + 1
  const behind = file.lines[at]
  return changed(file, [
    { at, removes: 0, puts: behind === undefined || isEmpty(behind) ? ['', line] : ['', line, ''] },
  ])
}

const isEmpty = ({ text }: Line): boolean => text.trim() === ''

/** Tasks that are there get the state of the document; others are added. */
function withTasks(text: string, said: SessionFile): string {
  const known = new Set(readSessionFile(text).tasks.map(({ name }) => nameKey(name)))
  const states = new Map<string, TaskState>()
  const added: Record<SessionTask['section'], string[]> = { tasks: [], worktree: [] }
  for (const task of said.tasks) {
    const key = nameKey(task.name)
    if (known.has(key)) states.set(key, task.state)
    else added[task.section].push(...ownLines(said, task))
    known.add(key)
  }
  let now = setStates(text, states)
  for (const section of ['tasks', 'worktree'] as const) now = addTaskLines(now, section, added[section])
  return now
}

/** The lines of a task, with a token to expand. */
function ownLines({ lines }: SessionFile, { line, until, token, tokenAt }: SessionTask): readonly string[] {
  const [first = '', ...more] = lines.slice(line - 1, until).map(({ text }) => text)
  return [
    token === undefined ? `${first.slice(0, tokenAt)} ${PENDING_TOKEN}${first.slice(tokenAt)}` : first,
    ...more,
  ]
}

/** What keeps words out of a session file: it could not be read afterwards. */
export function handOverFault(given: HandedOver): FieldFault | undefined {
  const { document, status, blockers = [] } = given
  if (status !== undefined && /[\r\n]/.test(status.trim()))
    return { field: 'status', message: 'The status must be one line.' }
  for (const [field, words] of [
    ['completed', given.completed],
    ['next', given.next],
    ...blockers.map((one) => ['blockers', one] as const),
  ] as const) {
    const fault = wordsFault(field, words ?? '')
    if (fault !== undefined) return fault
  }
  return document === undefined ? undefined : documentFault(readSessionFile(document), given)
}

function documentFault(said: SessionFile, given: HandedOver) {
  const field = 'document'
  const [problem] = said.problems
  if (problem !== undefined)
    return { field, message: `Line ${problem.line} of the document: ${problem.message} ${problem.hint}` }
  if (said.status === undefined && given.status === undefined)
    return { field, message: 'The document has no line "**Status:** TEXT" before its first section.' }
  if (isBlank(sectionWords(said, 'completed') ?? given.completed ?? ''))
    return { field, message: 'The document has no section "## Completed This Session" with text.' }
  return undefined
}

/** The problems that only an edit by hand can end, such as a code fence without an end. */
export const blocksEdits = ({ problems }: SessionFile): Problem | undefined =>
  problems.find(({ code }) => code === 'fence-open')
