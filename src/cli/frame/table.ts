import type { Io } from './io.ts'
import { cell, paint } from './print.ts'
import { cutStart, cutTo, padTo, widthOf, wrap } from './wrap.ts'

export type Row = Readonly<Record<string, unknown>>

interface Layout {
  /** Columns in order (default: every key of the rows). */
  readonly columns?: readonly string[]
  /** Columns of prose, which may be cut; other columns wrap, so that they can be copied. */
  readonly cut?: readonly string[]
  /** Columns of ids and paths that another command or --json shows in full; they may be cut too. */
  readonly short?: readonly string[]
  /** Whether to keep empty columns. */
  readonly all?: boolean
}

const GAP = 2
/** Narrower columns are unreadable. */
const NARROWEST = 12

/** A table within the width of the terminal, or a list of records if it is too wide. */
export function table(
  io: Pick<Io, 'color' | 'width'>,
  rows: readonly Row[],
  { columns = columnsOf(rows), cut = [], short = [], all = false }: Layout = {},
): string {
  const names = columns.filter((name) => all || rows.some((row) => cell(row[name]) !== ''))
  const texts = rows.map((row) => names.map((name) => cell(row[name])))
  const shown = names.map((name, at) => ({
    name,
    width: texts.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), widthOf(name)),
    isCut: cut.includes(name) || short.includes(name),
  }))
  const widths = fit(io.width - GAP * (names.length - 1), shown)
  if (widths === undefined)
    return texts
      .map((row) =>
        pairs(
          io,
          row.map((text, at) => [names[at] ?? '', text] as const),
          all,
        ),
      )
      .join('\n\n')
  const linesOf = (row: readonly string[]): string => {
    const cells = row.map((text, at) => {
      const width = widths[at] ?? 0
      if (short.includes(names[at] ?? '') && text.includes('/')) return [cutStart(text, width)]
      return shown[at]?.isCut === true ? [cutTo(text, width)] : wrap(text, width)
    })
    const height = Math.max(1, ...cells.map(({ length }) => length))
    const line = (number: number) =>
      cells.map((own, at) => padTo(own[number] ?? '', widths[at] ?? 0)).join(' '.repeat(GAP))
    return Array.from({ length: height }, (_, number) => line(number).trimEnd()).join('\n')
  }
  return [paint(io, 'dim', linesOf(names)), ...texts.map(linesOf)].join('\n')
}

interface Column {
  readonly name: string
  /** Its natural width. */
  readonly width: number
  /** Whether it may be cut. */
  readonly isCut: boolean
}

const columnsOf = (rows: readonly Row[]) => [...new Set(rows.flatMap((row) => Object.keys(row)))]

/** Narrows what may be cut first, then the widest columns; undefined if they would become unreadable. */
function fit(room: number, columns: readonly Column[]): readonly number[] | undefined {
  const least = columns.map(({ name, width }) => Math.min(width, Math.max(NARROWEST, widthOf(name))))
  if (sum(least) > room) return undefined
  const widths = columns.map(({ width }) => Math.min(width, room))
  const spare = (at: number, isCut: boolean) =>
    columns[at]?.isCut === isCut ? (widths[at] ?? 0) - (least[at] ?? 0) : 0
  for (const isCut of [true, false])
    while (sum(widths) > room) {
      const spares = widths.map((_, at) => spare(at, isCut))
      const most = Math.max(...spares)
      if (most === 0) break
      const widest = spares.indexOf(most)
      widths[widest] = (widths[widest] ?? 0) - 1
    }
  return widths
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

/** Names with their values beside them, or below them on a narrow terminal. */
export function pairs(
  io: Pick<Io, 'color' | 'width'>,
  entries: readonly (readonly [name: string, value: unknown])[],
  all = false,
): string {
  const shown = entries.filter(([, value]) => all || cell(value) !== '')
  const margin = Math.max(0, ...shown.map(([name]) => widthOf(name))) + GAP
  const room = io.width - margin
  return shown
    .map(([name, value]) => {
      const isBelow = room < NARROWEST
      const lines = wrap(cell(value), isBelow ? Math.max(1, io.width - GAP) : room)
      const indent = `\n${' '.repeat(isBelow ? GAP : margin)}`
      const head = padTo(paint(io, 'dim', name), isBelow ? 0 : margin)
      return `${head}${isBelow ? indent : ''}${lines.join(indent)}`.trimEnd()
    })
    .join('\n')
}
