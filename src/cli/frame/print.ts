import type { Io } from './io.ts'

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

export function paint(io: Pick<Io, 'color'>, style: keyof typeof CODES, text: string): string {
  return io.color ? `\u001B[${CODES[style]}m${text}\u001B[0m` : text
}

/** A value on one line, without what a terminal would take for a command. */
export function cell(value: unknown): string {
  if (value === null || value === undefined || isEmpty(value)) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // oxlint-disable-next-line no-control-regex -- text from agents is data, and must not move the cursor
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, ' ')
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

/** How many columns of a terminal a text takes: Chinese and Japanese take two a character, marks above others none. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  let width = 0
  for (const char of text) width += WIDE.test(char) ? 2 : /\p{Mn}|\p{Cf}/u.test(char) ? 0 : 1
  return width
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

export type Row = Readonly<Record<string, unknown>>

/** Rows under their column names; columns that are empty everywhere are left out. */
export function table(io: Io, rows: readonly Row[], columns = columnsOf(rows)): string {
  const shown = columns.filter((column) => rows.some((row) => cell(row[column]) !== ''))
  const widths = shown.map((column) =>
    Math.min(60, Math.max(column.length, ...rows.map((row) => widthOf(cell(row[column]))))),
  )
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => text + ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(text))))
      .join('  ')
      .trimEnd()
  return [
    paint(io, 'dim', line(shown)),
    ...rows.map((row) => line(shown.map((column) => cell(row[column])))),
  ].join('\n')
}

const columnsOf = (rows: readonly Row[]) => [...new Set(rows.flatMap((row) => Object.keys(row)))]

/** Any result for a person: lists as tables, objects as lines, with the tables of their lists below. */
export function show(io: Io, value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? paint(io, 'dim', '(none)') : table(io, value as Row[])
  if (typeof value !== 'object' || value === null) return cell(value)
  const entries = Object.entries(value).filter(([, part]) => cell(part) !== '')
  const lines = entries.filter(([, part]) => !isRows(part))
  const width = Math.max(0, ...lines.map(([key]) => key.length))
  const plain = lines.map(([key, part]) => `${paint(io, 'dim', key.padEnd(width))}  ${cell(part)}`)
  const tables = entries
    .filter(([, part]) => isRows(part))
    .map(([key, part]) => `${paint(io, 'bold', key)}\n${table(io, (part as Row[]).map(shortened))}`)
  return [...(plain.length === 0 ? [] : [plain.join('\n')]), ...tables].join('\n\n')
}

const isRows = (part: unknown): boolean =>
  Array.isArray(part) && part.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row))

/** The texts of files would bury everything else; `--json` has them whole. */
const shortened = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => {
      const text = cell(value)
      return [key, text.length > 200 ? `${text.slice(0, 199)}…` : text]
    }),
  )

/** What a command found, in the form that was asked for. */
export function printResult(io: Io, value: unknown, text: () => string = () => show(io, value)): void {
  io.out(io.json ? JSON.stringify(value, null, 2) : text())
}

/** How long ago something was, in the largest unit that fits. */
export function ago(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  const units = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
  ] as const
  const [size, unit] = units.find(([length]) => seconds >= length) ?? [1, 's']
  return `${Math.floor(seconds / size)} ${unit}`
}
