import { styleText } from 'node:util'
import type { Io } from './io.ts'

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** Whether there are colors was decided before, so the stream is not asked again. */
export function paint(io: Pick<Io, 'color'>, style: Style, text: string): string {
  return io.color ? styleText(style, text, { validateStream: false }) : text
}

/** A value on one line, without terminal control characters. */
export function cell(value: unknown): string {
  if (value === null || value === undefined || isEmpty(value)) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // oxlint-disable-next-line no-control-regex -- text from agents must not control the terminal
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, ' ')
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** The start of a UUID, which is enough to tell sessions apart; any other id as it is. */
export const shortId = (id: string): string => id.replace(/^([0-9a-f]{8})-[0-9a-f-]{27}$/i, '$1…')
