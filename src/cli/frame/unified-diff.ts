import { structuredPatch } from 'diff'
import type { Io } from './io.ts'
import { paint } from './print.ts'

const STYLES: Readonly<Record<string, 'green' | 'red' | 'cyan'>> = { '+': 'green', '-': 'red', '@': 'cyan' }

/** In the form of `diff -u`; empty if the texts are equal. */
export function unifiedDiff(before: string, after: string): readonly string[] {
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: 3, stripTrailingCr: true })
  return hunks.flatMap(({ oldStart, newStart, lines }) => [`@@ -${oldStart} +${newStart} @@`, ...lines])
}

export const painted = (io: Pick<Io, 'color'>, diff: readonly string[]): string =>
  diff
    .map((line) => {
      const style = STYLES[line[0] ?? '']
      return style === undefined ? line : paint(io, style, line)
    })
    .join('\n')
