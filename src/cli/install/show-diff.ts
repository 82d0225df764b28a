import { unifiedDiff } from '../frame/unified-diff.ts'

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
