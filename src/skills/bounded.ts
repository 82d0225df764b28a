import { type Diagnostic, diagnose } from '../model/diagnostic.ts'
import type { SkillInput } from './skill-md.ts'
import { LARGEST_SKILL, LONGEST_TEXT, MOST_FILES } from './text/bounds.ts'

const MOST_DIAGNOSTICS = 1000

/** The texts of a skill within their bounds, and what was left out. */
export function bounded(input: SkillInput): {
  readonly text: string
  readonly others: SkillInput['others']
  readonly diagnostics: readonly Diagnostic[]
} {
  const { file, text, others, leftOut = 0 } = input
  const size = [text, ...others.values()].reduce((sum, one) => sum + one.length, 0)
  const isLarge = size > LARGEST_SKILL
  const kept = [...others].filter(([path]) => !isLarge || isSidecar(path))
  const files = `${leftOut} other files; the most are ${MOST_FILES}`
  const inAll = `${size} characters in all its files; the most are ${LARGEST_SKILL}`
  const reasons = [...(leftOut > 0 ? [files] : []), ...(isLarge ? [inAll] : [])]
  const prefix = input.folder === '.' ? '' : `${input.folder}/`
  return {
    text: text.slice(0, LONGEST_TEXT),
    others: new Map(kept.map(([path, one]) => [path, one.slice(0, LONGEST_TEXT)])),
    diagnostics: [
      ...reasons.map((why) => tooLarge(file, `The skill has ${why}, so its step files are not read.`)),
      ...longTexts([[file, text], ...kept.map(([path, one]) => [`${prefix}${path}`, one] as const)]),
    ],
  }
}

/** Whether a file holds the plan of a skill that is too large for its step files. */
export const isSidecar = (path: string): boolean => /(^|\/)holdfast\.ya?ml$/.test(path)

const longTexts = (texts: readonly (readonly [string, string])[]): readonly Diagnostic[] =>
  texts
    .filter(([, text]) => text.length > LONGEST_TEXT)
    .map(([file]) =>
      tooLarge(file, `The file is too long; only its first ${LONGEST_TEXT} characters are read.`),
    )

const tooLarge = (file: string, message: string): Diagnostic =>
  diagnose('HF125', { file, line: 1, column: 1 }, message)

/** The first diagnostics of very many, because all of them are stored and shown. */
export function firstOfMany(all: readonly Diagnostic[], file: string): readonly Diagnostic[] {
  if (all.length <= MOST_DIAGNOSTICS) return all
  // An error counts even if it comes late.
  const first = all.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, MOST_DIAGNOSTICS)
  const message = `The skill has ${all.length} problems; these are ${MOST_DIAGNOSTICS} of them.`
  return [...first, diagnose('HF126', { file, line: 1, column: 1 }, message)]
}

const rankOf = ({ severity }: Diagnostic): number => ['error', 'warning', 'info'].indexOf(severity)
