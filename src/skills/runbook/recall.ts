import type { Runbook } from '../../model/runbook/runbook.ts'
import { readBlocks } from '../text/markdown.ts'
import { sourceText } from '../text/text.ts'

const ENTRY_KEYS = /^entry keys\W*$/i
const FOR_PHASE = /\s*\(phase\s+(\d+)\)\s*/i

/** Adds the entries below `## Entry Keys`, to all steps or to those of the phase that they name. */
export function withRecall(runbook: Runbook, text: string | undefined): Runbook {
  const entries = text === undefined ? [] : entriesIn(text)
  if (entries.length === 0) return runbook
  const recalled = (context: string, phase: number | undefined): string => {
    const lines = entries.filter((entry) => entry.phase === phase).map((entry) => `- ${entry.key}`)
    return lines.length === 0 ? context : [context, `### Recall\n\n${lines.join('\n')}`].join('\n\n').trim()
  }
  return {
    ...runbook,
    context: recalled(runbook.context, undefined),
    phases: runbook.phases.map((phase) => ({ ...phase, context: recalled(phase.context, phase.number) })),
  }
}

/** The lines of the section, up to the next heading. */
function entriesIn(text: string): readonly { readonly key: string; readonly phase: number | undefined }[] {
  const source = sourceText('', text)
  const headings = readBlocks(source, 0).filter((block) => block.kind === 'heading')
  const at = headings.findIndex((heading) => ENTRY_KEYS.test(heading.text))
  const [from, to] = [headings[at], headings[at + 1]]
  if (from === undefined) return []
  return source.lines
    .slice(from.line, (to?.line ?? source.lines.length + 1) - 1)
    .map((line) => line.replace(/^\s*[-*+]\s+/, '').trim())
    .filter((line) => line !== '')
    .map((line) => {
      const phase = FOR_PHASE.exec(line)?.[1]
      return {
        key: line.replace(FOR_PHASE, ' ').trim(),
        phase: phase === undefined ? undefined : Number(phase),
      }
    })
}
