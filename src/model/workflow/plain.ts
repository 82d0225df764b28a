import { contained } from '../text/foreign.ts'
import { oneLine } from '../text/line.ts'
import type { Element, Part } from './xml.ts'

/**
 * Parts as plain lines, for workflows that print text: an element becomes a heading with its content below it. Every
 * line is indented, so that no text can pass for a heading of the step.
 */
export const plainLines = (parts: readonly Part[], indent = '  '): readonly string[] =>
  parts.flatMap((part) => (typeof part === 'string' ? textLines(part, indent) : elementLines(part, indent)))

function elementLines({ name, attributes, content }: Element, indent: string): readonly string[] {
  const words = name.replaceAll('_', ' ')
  const about = Object.entries(attributes).map(
    ([key, value]) => `${key.replaceAll('_', ' ')}: ${line(value)}`,
  )
  const more = about.length === 0 ? '' : ` (${about.join(', ')})`
  if (content.length === 0) return [`${indent}${words}${more}`]
  const deeper = `${indent}  `
  if (typeof content !== 'string')
    return [`${indent}${words.toUpperCase()}${more}:`, ...plainLines(content, deeper)]
  const [first = '', ...rest] = textLines(content, deeper)
  return [`${indent}${words}${more}: ${first.trimStart()}`, ...rest]
}

const textLines = (text: string, indent: string): readonly string[] =>
  contained(text.toWellFormed())
    .split('\n')
    .map((one) => (one === '' ? '' : `${indent}${one}`))

const line = (text: string): string => oneLine(contained(text))
