import { isMap, parseDocument } from 'yaml'
import type { DiagnosticCode } from '../model/diagnostic.ts'
import type { Definition } from '../model/plan/definition.ts'
import { misspelledField } from './known-fields.ts'
import { fencedFrontmatter, FIELD_LINE, type Frontmatter, readFrontmatter } from './text/frontmatter.ts'
import { sourceText } from './text/text.ts'
import { PARSING } from './text/yaml.ts'

/** A problem that was fixed, at its line in the old text. */
export interface Fix {
  readonly code: DiagnosticCode
  readonly line: number
  readonly what: string
}

export interface Fixed {
  readonly text: string
  readonly fixes: readonly Fix[]
}

/** A line with its own ending, and its number in the old text; a new line has none. */
interface Line {
  readonly text: string
  readonly end: string
  readonly number: number
}

interface Draft {
  readonly lines: readonly Line[]
  readonly fixes: readonly Fix[]
}

/** Fixes what has only one right form in the frontmatter; everything else stays byte for byte. Pure. */
export function fixText(kind: Definition['kind'], text: string): Fixed {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  let draft: Draft = { lines: linesOf(text.slice(mark.length)), fixes: [] }
  // Nobody wrote so much by hand, and trying every line would take long.
  if (frontmatterOf(draft).diagnostics.some(({ code }) => code === 'HF124')) return { text, fixes: [] }
  for (const step of [withoutFence, closed, quoted, renamed(kind)]) {
    const next = step(draft)
    // A change that leaves the frontmatter unreadable was a wrong guess.
    if (next.fixes.length > draft.fixes.length && isBetter(draft, next)) draft = next
  }
  return { text: mark + textOf(draft), fixes: draft.fixes }
}

const linesOf = (text: string): readonly Line[] =>
  [...text.matchAll(/([^\r\n]*)(\r\n|\n|\r|$)/g)]
    .filter(({ 0: whole }) => whole !== '')
    .map(([, line = '', end = ''], index) => ({ text: line, end, number: index + 1 }))

const textOf = ({ lines }: Draft): string => lines.map(({ text, end }) => text + end).join('')
const frontmatterOf = (draft: Draft): Frontmatter => readFrontmatter(sourceText('', textOf(draft)))
/** Fewer faults, or other names for as many fields. */
function isBetter(before: Draft, after: Draft): boolean {
  const [old, fresh] = [frontmatterOf(before), frontmatterOf(after)]
  const fewer = old.diagnostics.length - fresh.diagnostics.length
  return fewer > 0 || (fewer === 0 && old.fields.size === fresh.fields.size)
}

/** Removes a fence around the frontmatter or the whole file; fields without rules get them. */
function withoutFence(draft: Draft): Draft {
  const fence = fencedFrontmatter(draft.lines.map(({ text }) => text))
  if (fence === undefined) return draft
  const { from, to, isBare } = fence
  const lines = isBare
    ? draft.lines.map((line, at) => (at === from || at === to ? { ...line, text: '---' } : line))
    : draft.lines.filter((_, at) => at !== from && at !== to)
  const fix = { code: 'HF103', line: from + 1, what: 'Removed the fence around the frontmatter' } as const
  return { lines, fixes: [...draft.fixes, fix] }
}

/** Closes frontmatter before a heading, if all that is above it is fields. */
function closed(draft: Draft): Draft {
  const { diagnostics, bodyLine } = frontmatterOf(draft)
  const [fault] = diagnostics
  if (diagnostics.length !== 1 || fault?.code !== 'HF116') return draft
  const next = draft.lines.slice(bodyLine).find(({ text }) => text.trim() !== '')
  const above = draft.lines.slice(fault.line, bodyLine)
  const isCertain = above.every(({ text }) => FIELD_LINE.test(text) || /^\s+\S|^- /.test(text))
  if (!isCertain || next === undefined || !/^#{1,6}\s/.test(next.text)) return draft
  const rule = { text: '---', end: above.at(-1)?.end ?? '\n', number: 0 }
  const fix = { code: 'HF116', line: fault.line, what: 'Closed the frontmatter' } as const
  return { lines: draft.lines.toSpliced(bodyLine, 0, rule), fixes: [...draft.fixes, fix] }
}

/** Quotes values that break the YAML. */
function quoted(draft: Draft): Draft {
  const { diagnostics, bodyLine } = frontmatterOf(draft)
  if (!diagnostics.some(({ code }) => code === 'HF101')) return draft
  const fixes = [...draft.fixes]
  const lines = draft.lines.map((line, at) => {
    const [, key = '', rest = ''] = at < bodyLine ? (FIELD_LINE.exec(line.text) ?? []) : []
    const value = rest.trim()
    const isContinued = /^\s+\S/.test(draft.lines[at + 1]?.text ?? '')
    if (value === '' || isContinued || isValid(line.text) || !isPlainText(key, value)) return line
    fixes.push({ code: 'HF101', line: line.number, what: `Quoted the value of ${key}` })
    return { ...line, text: `${key}: ${quote(value)}` }
  })
  return { lines, fixes }
}

const isValid = (line: string): boolean => {
  const { errors, contents } = parseDocument(line, PARSING)
  return errors.length === 0 && isMap(contents)
}

/** Fields that are always a text; in others, a bracket or a hyphen may begin a broken list. */
const TEXTS = /^(name|description|when_to_use|argument[-_]hint|license|compatibility)$/i
const isPlainText = (key: string, value: string): boolean => TEXTS.test(key) || !/^[[{\-"'|>&*!]/.test(value)

const quote = (value: string): string =>
  /["\\]/.test(value) ? `'${value.replaceAll("'", "''")}'` : `"${value}"`

/** Writes the names of fields as clients read them. */
const renamed =
  (kind: Definition['kind']) =>
  (draft: Draft): Draft => {
    const { found, bodyLine, diagnostics } = frontmatterOf(draft)
    if (!found || diagnostics.some(({ code }) => code === 'HF101' || code === 'HF116')) return draft
    const head = draft.lines.slice(0, bodyLine).map(({ text }) => FIELD_LINE.exec(text)?.[1])
    const fixes = [...draft.fixes]
    const lines = draft.lines.map((line, at) => {
      const key = head[at]
      const meant = key === undefined ? undefined : misspelledField(kind, key)
      if (key === undefined || meant === undefined || head.includes(meant)) return line
      fixes.push({ code: 'HF111', line: line.number, what: `Renamed ${key} to ${meant}` })
      return { ...line, text: meant + line.text.slice(key.length) }
    })
    return { lines, fixes }
  }
