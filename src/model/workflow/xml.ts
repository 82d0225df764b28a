import { HIDDEN, withoutMarkers } from '../text/foreign.ts'
import { escapedCharacter } from '../text/line.ts'

/**
 * A part of what a step prints: text, or an element. Only `writtenAsXml` turns parts into markup, and it escapes every
 * text, so that none can end its element.
 */
export type Part = string | Element

export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  /** One text stands in the line of its tags; a list stands below them, each part on lines of its own. */
  readonly content: string | readonly Part[]
  /** Set if what it holds keeps its place in the line, because it is code or prose of others. */
  readonly isFlat?: true
}

type Attributes = Readonly<Record<string, string | number | null | undefined>>

/** An element; attributes without a value are left out. */
export const element = (
  name: string,
  content: string | readonly Part[],
  attributes: Attributes = {},
): Element => ({ name, content, attributes: given(attributes) })

/** An element that does not indent what it holds. */
export const flatElement = (
  name: string,
  content: readonly Part[],
  attributes: Attributes = {},
): Element => ({ name, content, attributes: given(attributes), isFlat: true })

const given = (attributes: Attributes): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]])),
  )

/** Groups of parts with a blank line between them. */
export const spaced = (groups: readonly (readonly Part[])[]): readonly Part[] =>
  groups.filter(({ length }) => length > 0).flatMap((parts, index) => (index === 0 ? parts : ['', ...parts]))

export const writtenAsXml = (parts: readonly Part[]): string =>
  parts.flatMap((part) => linesOf(part, '')).join('\n')

const STEP_IN = '  '

function linesOf(part: Part, indent: string): readonly string[] {
  if (typeof part === 'string')
    return escaped(part)
      .split('\n')
      .map((line) => (line === '' ? '' : `${indent}${line}`))
  const { name, attributes, content, isFlat } = part
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapedAttribute(value)}"`)
  const open = `${indent}<${name}${written.join('')}`
  if (content.length === 0) return [`${open} />`]
  if (typeof content === 'string') return [`${open}>${escaped(content)}</${name}>`]
  const inner = isFlat === true ? indent : `${indent}${STEP_IN}`
  return [`${open}>`, ...content.flatMap((child) => linesOf(child, inner)), `${indent}</${name}>`]
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** A text in the body of an element: exactly what a parser gives back, except for what XML cannot hold. */
const escaped = (text: string): string =>
  withoutMarkers(
    text
      .toWellFormed()
      .replaceAll('\r\n', '\n')
      .replaceAll(/[&<>]/g, (sign) => ENTITIES[sign] ?? ''),
    reference,
  ).replaceAll(HIDDEN, (sign) => (NOT_IN_XML.test(sign) ? escapedCharacter(sign) : reference(sign)))

const escapedAttribute = (text: string): string =>
  escaped(text)
    .replaceAll('"', '&quot;')
    .replaceAll(/[\n\t]/g, reference)

// oxlint-disable-next-line no-control-regex -- no document of XML may hold these, not even by their number
const NOT_IN_XML = /[\0-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/

const reference = (sign: string): string => `&#x${(sign.codePointAt(0) ?? 0).toString(16)};`
