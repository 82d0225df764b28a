import { bare, type Word } from './words.ts'

/** Dashes, and verbs that tell what a skill does; none of them is a usual plural. */
const DESCRIBES = new Set(
  `— – adds allows also always applies asks automatically builds can captures checks collects compares contains creates
  deletes detects displays does doesn't expects fetches finds generates gets gives handles has helps includes installs is isn't
  keeps lets loads looks makes may might must needs never only opens performs produces prompts provides reads removes
  replaces requires returns saves scans sends sets shall should shows skips squashes starts stores supports takes tells
  tries uses validates was were will won't works would writes are aren't`.split(/\s+/),
)

/** Verbs that end a clause about several skills, as in "what /a and /b use". */
const ENDS = new Set(['are', 'do', 'have', 'need', 'run', 'share', 'use', 'work'])

/** True if a sentence says something about the skill that a word names. */
export function isDescribed(words: readonly Word[], index: number): boolean {
  const next = words[index + 1]
  if (next === undefined || next.masked || next.line !== words[index]?.line) return false
  const text = bare(next).toLowerCase()
  const isLast = index > 0 && words[index + 2]?.line !== next.line
  return DESCRIBES.has(text) || (isLast && ENDS.has(text))
}

const MARKS = new Set(['—', '–', '→', '->', '=>', '#', '|', '='])

/** True if most calls have a mark and a description, as in documentation of commands. */
export function isListing(words: readonly Word[], calls: readonly number[]): boolean {
  const described = calls.filter((index, order) => {
    const line = words.slice(index, calls[order + 1]).filter((word) => word.line === words[index]?.line)
    return isDashed(line) || isInColumns(line) || line.slice(1, -1).some(isMark)
  })
  return described.length > 1 && described.length * 2 >= calls.length
}

const isMark = ({ text, masked }: Word): boolean => !masked && MARKS.has(text)

/** In a line of its own, a hyphen before words is more often a dash than the sign for quick. */
const isDashed = ([call, dash, word]: readonly Word[]): boolean =>
  call?.begins === true && dash?.text === '-' && word?.masked === false

/** Descriptions in a column of their own stand some spaces after the call. */
const isInColumns = (words: readonly Word[]): boolean =>
  words.some(({ from, masked }, index) => !masked && from - (words[index - 1]?.to ?? from) > 3)
