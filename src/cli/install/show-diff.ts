import { structuredPatch } from 'diff'
import type { Io } from '../frame/io.ts'
import { paint } from '../frame/print.ts'

const STYLES: Readonly<Record<string, 'green' | 'red' | 'cyan'>> = { '+': 'green', '-': 'red', '@': 'cyan' }

/** The difference between settings, without secrets, because transcripts keep it. */
export function settingsDiff(before: string | undefined, after: string | undefined): readonly string[] {
  return unifiedDiff(before ?? '', after ?? '').map((line) =>
    line
      .replaceAll(
        /("[^"]*(?:key|token|secret|passw|authorization)[^"]*"\s*:\s*)"(?:[^"\\]|\\.)*"/gi,
        '$1"***"',
      )
      .replaceAll(/Bearer [\w-]+/g, 'Bearer ***'),
  )
}

/** In the form of `diff -u`; empty if the texts are equal. */
function unifiedDiff(before: string, after: string): readonly string[] {
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: 3, stripTrailingCr: true })
  return hunks.flatMap(({ oldStart, newStart, lines }) => [`@@ -${oldStart} +${newStart} @@`, ...lines])
}

export const painted = (io: Io, diff: readonly string[]): string =>
  diff
    .map((line) => {
      const style = STYLES[line[0] ?? '']
      return style === undefined ? line : paint(io, style, line)
    })
    .join('\n')
