import type { Section } from '../../model/recap.ts'
import { oneLine } from '../../model/text/line.ts'

/** A file that a phase names or that a project has as a standard. */
export interface Content {
  /** As it is named: `§CMD_X`, `templates/plan.md`, `INVARIANTS`. */
  readonly name: string
  readonly path: string
  /** Undefined if it is too long to show. */
  readonly text: string | undefined
}

/** One section each, because some may not fit; indented, so that no line can pass for one of ours. */
export const contentSections = (contents: readonly Content[]): readonly Section[] =>
  contents.map(({ name, path, text }) => ({
    name: oneLine(name),
    title:
      text === undefined
        ? `${oneLine(name)} is too long to show here.`
        : `${oneLine(name)}, from ${oneLine(path)}:`,
    lines: text === undefined ? [`Read it: ${oneLine(path)}`] : indented(text),
    ...(text !== undefined && { isProse: true as const }),
  }))

/** Foreign lines, none of which can pass for one of ours. */
export const indented = (text: string): readonly string[] =>
  text
    .trimEnd()
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => `  ${oneLine(line)}`)
