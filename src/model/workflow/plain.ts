import { contained } from '../text/foreign.ts'
import { oneLine } from '../text/line.ts'
import type { Element, Part } from './xml.ts'

const TOP = '  '

/**
 * Parts as plain lines, for workflows that print text: an element becomes a heading with its content below it, set off
 * by blank lines. Every line is indented, so that no text can pass for a heading of the step.
 */
export const plainLines = (parts: readonly Part[], indent = TOP): readonly string[] =>
  parts.reduce<readonly string[]>((lines, part, index) => {
    const isApart = indent === TOP && (isHeading(part) || isHeading(parts[index - 1]))
    const needsSpace = isApart && lines.length > 0 && part !== '' && lines.at(-1) !== ''
    return [...lines, ...(needsSpace ? [''] : []), ...linesOf(part, indent)]
  }, [])

const isHeading = (part: Part | undefined): boolean =>
  part !== undefined && typeof part !== 'string' && typeof part.content !== 'string'

const linesOf = (part: Part, indent: string): readonly string[] =>
  typeof part === 'string' ? textLines(part, indent) : elementLines(part, indent)

/** What the texts of some elements say without the name of the element. */
const UNNAMED: ReadonlySet<string> = new Set(['gate_result'])
/** Entries of lists; if one has a name, that stands in the place of the dash. */
const ENTRIES: ReadonlySet<string> = new Set([
  'action',
  'category',
  'var',
  'value',
  'question',
  'case',
  'choice',
])
/** The attributes that say which one an element is. */
const NAMING: ReadonlySet<string> = new Set(['name', 'id', 'ref', 'result', 'label'])

function elementLines(whole: Element, indent: string): readonly string[] {
  const { name, content } = whole
  const deeper = `${indent}  `
  if (name === 'check') return checkLines(whole, indent)
  if (typeof content !== 'string' && content.length > 0) {
    const { named, more } = headOf(whole)
    return [`${indent}${wordsOf(name).toUpperCase()}${named}${more}:`, ...plainLines(toldIn(whole), deeper)]
  }
  const [first = '', ...rest] = textLines(typeof content === 'string' ? content : '', deeper)
  return [`${indent}${leadOf(whole)}${first.trimStart()}`.trimEnd(), ...rest]
}

/** What stands before the text of an element. */
function leadOf(whole: Element): string {
  const { name, content } = whole
  if (UNNAMED.has(name)) return ''
  const { named, more } = headOf(whole)
  if (ENTRIES.has(name) && more === '') return named === '' ? '- ' : `${named.trimStart()}: `
  return `${wordsOf(name)}${named}${more}${content.length === 0 ? '' : ': '}`
}

function headOf({ attributes }: Element): { readonly named: string; readonly more: string } {
  const about = Object.entries(attributes).filter(([, value]) => value !== 'true')
  const named = about.filter(([key]) => NAMING.has(key)).map(([, value]) => ` ${line(value)}`)
  const more = about
    .filter(([key]) => !NAMING.has(key))
    .map(([key, value]) => `${wordsOf(key)}: ${line(value)}`)
  return { named: named.join(''), more: more.length === 0 ? '' : ` (${more.join(', ')})` }
}

/** The prompt of a sub-agent names its command, so nothing else needs to. */
const toldIn = ({ name, content }: Element): readonly Part[] =>
  name === 'subagent_dispatch' && typeof content !== 'string'
    ? content.filter((part) => typeof part === 'string' || part.name !== 'invoke')
    : [content].flat()

const checkLines = ({ attributes }: Element, indent: string): readonly string[] => {
  const { element = '', criterion = '', if_missing = '' } = attributes
  return [
    `${indent}- ${line(element)}: ${line(criterion)}`,
    ...(if_missing === '' ? [] : [`${indent}  If missing: ${line(if_missing)}`]),
  ]
}

const wordsOf = (name: string): string => name.replaceAll('_', ' ')

const textLines = (text: string, indent: string): readonly string[] =>
  contained(text.toWellFormed())
    .split('\n')
    .map((one) => (one === '' ? '' : `${indent}${one}`))

const line = (text: string): string => oneLine(contained(text))
