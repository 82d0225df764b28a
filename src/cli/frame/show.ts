import type { Io } from './io.ts'
import { cell, paint } from './print.ts'
import { forShell, resultForShell, type Teller } from './program.ts'
import { pairs, type Row, table } from './table.ts'
import { cutTo, fit } from './wrap.ts'
import { isTime, relativeTime } from '../../model/text/time.ts'

/** Prints a result as JSON, or as text within the width of the terminal. */
export function printResult(io: Io, value: unknown, text?: () => string): void {
  // What is shown without a text of ours is stored data, whose words stay.
  printVerbatim(io, value, () => fit(text === undefined ? show(io, value) : forShell(io, text()), io.width))
}

/** Prints a result whose lines agents and programs read: they wrap only in a terminal. */
export function printLines(io: Io, value: unknown, text: () => string): void {
  printVerbatim(io, value, () => fitTerminal(io, text()))
}

/** Prints a result whose text contains code or a diff, which never wrap. */
export function printVerbatim(io: Io, value: unknown, text: () => string): void {
  io.out(io.json ? JSON.stringify(resultForShell(io, value), null, 2) : text())
}

/** The same for markup of ours, in which what others say is escaped already. */
export function printMarkup(io: Io, value: unknown, text: () => string): void {
  if (io.json) printVerbatim(io, value, text)
  else io.out(text(), true)
}

/** Signs that control a terminal, except for line ends, tabs and our colors. */
const CONTROLS =
  // oxlint-disable-next-line no-control-regex -- names in a text of ours may be anybody’s
  /\u001b(?!\[[\d;]*m)|[\0-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** A text of ours for this user; wrapped in a terminal only. */
export function fitTerminal(io: Pick<Io, 'isTerminal' | 'width'> & Teller, text: string): string {
  const told = forShell(io, text).replaceAll(CONTROLS, ' ')
  return io.isTerminal ? fit(told, io.width) : told
}

/** Any result as text: lists as tables, objects as lines with their lists below. */
export function show(io: Pick<Io, 'color' | 'width'>, value: unknown): string {
  if (Array.isArray(value))
    return value.length === 0 ? paint(io, 'dim', '(none)') : table(io, (value as Row[]).map(rowForPeople))
  if (typeof value !== 'object' || value === null) return cell(forPeople(value))
  const entries = Object.entries(value).filter(([, part]) => cell(part) !== '')
  const plain = pairs(
    io,
    entries.filter(([, part]) => !isRows(part)).map(([key, part]) => [key, forPeople(part)] as const),
  )
  const tables = entries
    .filter(([, part]) => isRows(part))
    .map(
      ([key, part]) =>
        `${paint(io, 'bold', key)}\n${table(io, (part as Row[]).map(rowForPeople).map(shortened))}`,
    )
  return [...(plain === '' ? [] : [plain]), ...tables].join('\n\n')
}

const isRows = (part: unknown): boolean =>
  Array.isArray(part) && part.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row))

const rowForPeople = (row: Row): Row => forPeople(row) as Row

const DIGEST = /^[0-9a-f]{40,}$/

/** Shows relative times and drops digests, at every depth. */
export function forPeople(value: unknown): unknown {
  if (typeof value === 'string') return isTime(value) ? relativeTime(value) : DIGEST.test(value) ? '' : value
  if (Array.isArray(value)) return value.map(forPeople)
  if (typeof value !== 'object' || value === null) return value
  const parts = Object.entries(value).map(([key, part]) => [key, forPeople(part)] as const)
  return Object.fromEntries(parts.filter(([, part]) => part !== ''))
}

const LONGEST_TEXT = 200

/** Shortens long texts; `--json` has them whole. */
const shortened = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => {
      const isText = typeof value === 'string' && value.includes('\n')
      return [key, isText ? cutTo(cell(value), LONGEST_TEXT) : value]
    }),
  )
