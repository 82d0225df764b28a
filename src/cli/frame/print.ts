import type { Io } from './io.ts'

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

export function paint(io: Pick<Io, 'color'>, style: keyof typeof CODES, text: string): string {
  return io.color ? `\u001B[${CODES[style]}m${text}\u001B[0m` : text
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
