import { exceptionsIn } from '../text/glob.ts'

const MOST_PATTERNS = 50

/** A list of patterns inside the project, or one text with commas; undefined if it is neither. */
export function patternsOf(value: unknown): readonly string[] | undefined {
  const list: readonly unknown[] =
    typeof value === 'string' && !isNumber(value) ? value.split(',') : Array.isArray(value) ? value : []
  const patterns = list
    .map((one) => (typeof one === 'string' ? one.trim() : undefined))
    .filter((one) => one !== '')
  const isSound = patterns.length <= MOST_PATTERNS && patterns.every(isPattern)
  // Exceptions alone mean no file.
  return isSound && exceptionsIn(patterns).length < patterns.length ? patterns : undefined
}

/** YAML keeps a number as text; alone it is a mistake, not a file. */
const isNumber = (text: string): boolean => /^\s*[\d.]+\s*$/.test(text)

/** Relative to the project, and never above it; `!` marks an exception. */
const isPattern = (pattern: string | undefined): pattern is string =>
  pattern !== undefined &&
  !/^!?[/~]|^!!|^!$|\p{Cc}/u.test(pattern) &&
  !pattern.replace(/^!/, '').split('/').includes('..')
