import { oneLine } from '../text/line.ts'
import { contentIn, headingOf, type Line, type Lines, toLines } from './lines.ts'
import type { Problem } from './problem.ts'
import { PENDING_TOKEN, readTaskLine, type TaskLine } from './task-line.ts'

/** Where a session file lies if the config names none; the first is where a new one is made. */
export const USUAL_SESSION_FILES = ['agents/session.md', 'session.md'] as const

/** The sections of a session file, in their order. */
export const SECTION_TITLES = {
  completed: 'Completed This Session',
  tasks: 'In-tree Tasks',
  worktree: 'Worktree Tasks',
  blockers: 'Blockers / Gotchas',
  reference: 'Reference Files',
  next: 'Next Steps',
} as const

export type SectionKind = keyof typeof SECTION_TITLES

export const SECTION_KINDS = Object.keys(SECTION_TITLES) as readonly SectionKind[]

const KIND_OF: ReadonlyMap<string, SectionKind> = new Map<string, SectionKind>([
  ...SECTION_KINDS.map((kind) => [SECTION_TITLES[kind].toLowerCase(), kind] as const),
  ['completed', 'completed'],
  ['pending tasks', 'tasks'],
  ['tasks', 'tasks'],
  ['blockers/gotchas', 'blockers'],
  ['blockers', 'blockers'],
  ['gotchas', 'blockers'],
  ['next', 'next'],
])

/** What a heading of level 2 begins. */
export interface SectionPlace {
  readonly kind: SectionKind | undefined
  readonly title: string
  /** The index of its heading. */
  readonly at: number
  /** The index of the line behind it. */
  readonly end: number
}

/** A task of a session file, with its place. */
export interface SessionTask extends Omit<TaskLine, 'faults'> {
  readonly section: 'tasks' | 'worktree'
  /** From 1. */
  readonly line: number
  /** The last of its lines. */
  readonly until: number
  readonly plan?: { readonly name: string; readonly status?: string | undefined } | undefined
}

/** A session file as it was read; `lines` are its bytes. */
export interface SessionFile extends Lines {
  /** `# Session Handoff: DATE`, or another heading of level 1. */
  readonly title: { readonly at: number; readonly date: string | undefined } | undefined
  readonly status: { readonly at: number; readonly text: string } | undefined
  readonly sections: readonly SectionPlace[]
  readonly tasks: readonly SessionTask[]
  readonly problems: readonly Problem[]
}

const TITLE = /^session handoff(?::[ \t]*(.*))?$/i
const STATUS = /^\*\*Status:\*\*[ \t]*(.*)$/i

/** Reads any text as a session file; what it cannot understand stays as it is. */
export function readSessionFile(text: string): SessionFile {
  const file = toLines(text)
  const { lines } = file
  const problems: Problem[] = []
  const sections = sectionsIn(lines)
  const head = lines.slice(0, sections[0]?.at ?? lines.length)
  const titleAt = head.findIndex((line) => headingOf(line)?.level === 1)
  const title = titleAt === -1 ? undefined : TITLE.exec(headingOf(lines[titleAt] ?? NO_LINE)?.title ?? '')
  const statusAt = head.findIndex((line) => !line.isCode && STATUS.test(line.text))
  if (file.isFenceOpen) problems.push(openFence(lines))
  problems.push(...twice(sections))
  const tasks = sections.flatMap((section) => tasksIn(lines, section, problems))
  problems.push(...strayTokens(lines, tasks))
  return {
    ...file,
    title: titleAt === -1 ? undefined : { at: titleAt, date: title?.[1]?.trim() },
    status:
      statusAt === -1
        ? undefined
        : { at: statusAt, text: STATUS.exec(lines[statusAt]?.text ?? '')?.[1]?.trim() ?? '' },
    sections,
    tasks,
    problems,
  }
}

const NO_LINE: Line = { text: '', end: '', isCode: false }

/** The first section of a kind; edits change only that one. */
export const sectionOf = (
  { sections }: Pick<SessionFile, 'sections'>,
  kind: SectionKind,
): SectionPlace | undefined => sections.find((section) => section.kind === kind)

/** The words of a section, without the blank lines around them. */
export function wordsIn({ lines }: Pick<Lines, 'lines'>, section: SectionPlace | undefined): string {
  if (section === undefined) return ''
  const { from, to } = contentIn(lines, section.at + 1, section.end)
  return lines
    .slice(from, to)
    .map(({ text }) => text)
    .join('\n')
}

function sectionsIn(lines: readonly Line[]): readonly SectionPlace[] {
  const found: { kind: SectionKind | undefined; title: string; at: number; end: number }[] = []
  let open: (typeof found)[number] | undefined
  for (const [at, line] of lines.entries()) {
    const heading = headingOf(line)
    if (heading === undefined) continue
    if (open !== undefined) open.end = at
    open = undefined
    if (heading.level === 1) continue
    open = { kind: kindOf(heading.title), title: heading.title, at, end: lines.length }
    found.push(open)
  }
  return found
}

const kindOf = (title: string): SectionKind | undefined =>
  KIND_OF.get(title.toLowerCase().replace(/:$/, '').split(/\s+/).join(' '))

/** The tasks of a section; what is indented below one belongs to it. */
function tasksIn(
  lines: readonly Line[],
  { kind, at, end }: SectionPlace,
  problems: Problem[],
): SessionTask[] {
  if (kind !== 'tasks' && kind !== 'worktree') return []
  const tasks: SessionTask[] = []
  for (let index = at + 1; index < end; index++) {
    const { text, isCode } = lines[index] ?? NO_LINE
    const read = isCode ? undefined : readTaskLine(text)
    if (read === undefined) continue
    const { faults, ...task } = read
    problems.push(...faults.map((fault) => ({ ...fault, line: index + 1 })))
    const until = endOfTask(lines, index, end)
    const plan = planIn(lines.slice(index + 1, until))
    tasks.push({ ...task, section: kind, line: index + 1, until, ...(plan !== undefined && { plan }) })
    index = until - 1
  }
  return tasks
}

/** The index behind the last indented line of a task. */
function endOfTask(lines: readonly Line[], at: number, end: number): number {
  let last = at
  for (let index = at + 1; index < end; index++) {
    const { text } = lines[index] ?? NO_LINE
    if (text.trim() === '') continue
    if (!/^[ \t]/.test(text)) break
    last = index
  }
  return last + 1
}

/** `- Plan: name | Status: s` below a task. */
function planIn(lines: readonly Line[]): SessionTask['plan'] {
  for (const { text, isCode } of lines) {
    const found = isCode ? null : /^[ \t]+[-*+][ \t]+Plan:[ \t]*(.*)$/i.exec(text)
    if (found === null) continue
    const [name = '', ...fields] = (found[1] ?? '').split('|').map((field) => field.trim())
    const status = fields
      .find((field) => /^status:/i.test(field))
      ?.slice('status:'.length)
      .trim()
    if (name !== '') return { name: name.replaceAll('`', ''), ...(status !== undefined && { status }) }
  }
  return undefined
}

function openFence(lines: readonly Line[]): Problem {
  let at = lines.length - 1
  while (at > 0 && lines[at - 1]?.isCode === true) at--
  return {
    code: 'fence-open',
    line: at + 1,
    message: 'The code fence that begins here has no end, so everything behind it counts as code.',
    hint: 'Close it with a line of ```',
  }
}

function* twice(sections: readonly SectionPlace[]): Generator<Problem> {
  const first = new Map<SectionKind, SectionPlace>()
  for (const section of sections) {
    const { kind, title, at } = section
    if (kind === undefined) continue
    const before = first.get(kind)
    if (before === undefined) first.set(kind, section)
    else
      yield {
        code: 'section-twice',
        line: at + 1,
        message: `The section ${oneLine(title, LONGEST)} is in the file twice; the first one is in line ${before.at + 1}.`,
        hint: 'Move its lines to the first one.',
      }
  }
}

const LONGEST = 80

/** A task line with the pending token, in letters of any size. */
const STRAY = new RegExp(String.raw`^[ \t]*[-*+][ \t]*\[.*${PENDING_TOKEN}`, 'i')

/** A token that nothing would ever expand. */
function* strayTokens(lines: readonly Line[], tasks: readonly SessionTask[]): Generator<Problem> {
  const own = new Set(tasks.map(({ line }) => line))
  for (const [at, { text, isCode }] of lines.entries())
    if (!isCode && !own.has(at + 1) && STRAY.test(text))
      yield {
        code: 'token-outside',
        line: at + 1,
        message: `${PENDING_TOKEN} stands in a line that is no task of this file.`,
        hint: `Move the task, without indentation, below "## ${SECTION_TITLES.tasks}" or "## ${SECTION_TITLES.worktree}".`,
      }
}
