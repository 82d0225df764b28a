import {
  accessSync,
  chmodSync,
  constants,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { resolve } from 'node:path'
import { placeSync } from '../../files/place.ts'
import type { DiagnosticCode } from '../../model/diagnostic.ts'
import type { Fix } from '../../skills/fix.ts'
import { painted, unifiedDiff } from '../frame/unified-diff.ts'
import type { Io } from '../frame/io.ts'
import { cell, paint } from '../frame/print.ts'
import type { Skills } from './read.ts'

/** The new text of one file, not yet written. */
export interface Change {
  /** As the check names it. */
  readonly file: string
  /** With links resolved, so that a link stays one. */
  readonly real: string
  readonly before: Buffer
  readonly after: string
  readonly fixes: readonly Fix[]
}

const FIXABLE: ReadonlySet<DiagnosticCode> = new Set(['HF101', 'HF103', 'HF111', 'HF116'])

/** What can be fixed in the main files of skills, commands and agents. */
export async function findChanges({ root, parsed }: Skills): Promise<readonly Change[]> {
  const { fixText } = await import('../../skills/read-all.ts')
  const changes = parsed.flatMap(({ definition: { kind, file }, diagnostics }): readonly Change[] => {
    if (!diagnostics.some((one) => one.file === file && FIXABLE.has(one.code))) return []
    const path = resolve(root, file)
    const before = readFileSync(path)
    const text = before.toString('utf8')
    const { text: after, fixes } = fixText(kind, text)
    // Bytes that are not UTF-8 would be lost.
    const isWhole = Buffer.from(text).equals(before)
    return fixes.length === 0 || !isWhole ? [] : [{ file, real: realpathSync(path), before, after, fixes }]
  })
  // Several links may lead to one file.
  return [...new Map(changes.map((change) => [change.real, change])).values()]
}

/** Writes a change in one move, and returns why it could not; a file that changed meanwhile stays. */
export function writeChange({ real, before, after }: Change): string | undefined {
  try {
    accessSync(real, constants.W_OK)
    if (!readFileSync(real).equals(before)) return 'it changed meanwhile'
    const { mode } = statSync(real)
    placeSync(real, (fresh) => {
      writeFileSync(fresh, after, { flush: true })
      chmodSync(fresh, mode)
    })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** All changes as one unified diff, each with what it fixes. */
export const describeChanges = (io: Io, changes: readonly Change[]): string =>
  changes
    .map(({ file, before, after, fixes }) =>
      [
        paint(io, 'bold', `--- ${cell(file)}`),
        paint(io, 'bold', `+++ ${cell(file)}`),
        painted(io, unifiedDiff(before.toString('utf8'), after).map(cell)),
        ...fixes.map(({ code, line, what }) => `# ${code} line ${line}: ${cell(what)}`),
      ].join('\n'),
    )
    .join('\n\n')

/** What --json tells of a change. */
export const tellChange = ({ file, before, after, fixes }: Change) => ({
  file,
  fixes,
  diff: unifiedDiff(before.toString('utf8'), after).join('\n'),
})
