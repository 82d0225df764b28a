import type { ItemDraft } from './item.ts'
import type { ItemProblem } from './resolve.ts'

type Row = Readonly<Record<string, unknown>>

/** Items from lines of JSON, in our words or in those of other trackers; closed ones are left out. */
export function draftsOfLines(text: string): {
  readonly drafts: readonly ItemDraft[]
  readonly ticked: number
  readonly problems: readonly ItemProblem[]
} {
  const problems: ItemProblem[] = []
  const rows: Row[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const row = rowIn(line)
    const message = row === undefined ? 'This line is no JSON object.' : faultOf(row)
    if (row !== undefined && message === undefined) rows.push(row)
    else problems.push({ at: index + 1, message: message ?? '' })
  }
  const closed = new Set(rows.filter(isClosed).map((row) => textAt(row, 'item', 'id') ?? ''))
  const drafts = rows.filter((row) => !isClosed(row)).map((row) => draftOf(row, closed))
  return { drafts, ticked: rows.length - drafts.length, problems }
}

function rowIn(line: string): Row | undefined {
  try {
    const value = JSON.parse(line) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : undefined
  } catch {
    return undefined
  }
}

const CLOSED: ReadonlySet<unknown> = new Set(['closed', 'done', 'completed', 'cancelled'])
const isClosed = (row: Row): boolean => CLOSED.has(row['status'])

function faultOf(row: Row): string | undefined {
  if (textAt(row, 'title', 'subject', 'name') === undefined) return 'This item has no title.'
  const limit = row['limit']
  const isNumber = limit === undefined || (Number.isInteger(limit) && Number(limit) >= 1)
  return isNumber ? undefined : 'The limit of this item must be a number from 1 on.'
}

function draftOf(row: Row, closed: ReadonlySet<string>): ItemDraft {
  const blockers = [
    ...blockersIn(row['dependencies']),
    ...namesAt(row, 'blocked_by', 'blockedBy', 'depends_on'),
  ]
  return {
    item: textAt(row, 'item', 'id'),
    title: textAt(row, 'title', 'subject', 'name') ?? '',
    prompt: textAt(row, 'prompt', 'description'),
    skill: textAt(row, 'skill'),
    phase: textAt(row, 'phase'),
    model: textAt(row, 'model'),
    proof: textAt(row, 'proof'),
    limit: row['limit'] as number | undefined,
    files: namesAt(row, 'files'),
    consumes: namesAt(row, 'consumes'),
    produces: namesAt(row, 'produces'),
    blocked_by: [...new Set(blockers)].filter((blocker) => !closed.has(blocker)),
  }
}

/** Only dependencies that block count; others say where an item came from. */
const blockersIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? (value as readonly unknown[]) : []).flatMap((one) => {
    if (typeof one === 'string') return one
    const row = (typeof one === 'object' ? one : null) ?? {}
    const { type = 'blocks' } = row as { readonly type?: unknown }
    return type === 'blocks' ? (textAt(row as Row, 'depends_on_id', 'id') ?? []) : []
  })

function textAt(row: Row, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = row[name]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
    if (typeof value === 'number') return `${value}`
  }
  return undefined
}

const namesAt = (row: Row, ...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => {
    const value = row[name]
    return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
  })
