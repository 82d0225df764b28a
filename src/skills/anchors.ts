import { type Diagnostic, diagnose } from '../model/diagnostic.ts'
import type { Found, SkillSource } from './notations/frontend.ts'
import { entryOf } from './series.ts'
import { placeIn, type Sidecar } from './sidecar.ts'
import type { Block } from './text/markdown.ts'
import { fieldsOf } from './text/values.ts'

/** A plan whose phases name headings or files that the skill no longer has is only a guide. */
export function anchored(found: Found | undefined, sidecar: Sidecar, source: SkillSource): Found | undefined {
  const { phases } = sidecar.values
  if (found?.plan === undefined || !Array.isArray(phases)) return found
  const gone = phases.flatMap((phase, index) =>
    goneFrom(fieldsOf(phase), source).map((what) => ({ what, index })),
  )
  if (gone.length === 0) return found
  const diagnostics = gone.map(({ what, index }): Diagnostic =>
    diagnose('HF120', placeIn(sidecar, `phases/${index}`, 'phases'), `${source.main.file} has no ${what}.`),
  )
  return {
    ...found,
    plan: { ...found.plan, explicit: false },
    diagnostics: [...found.diagnostics, ...diagnostics],
  }
}

function goneFrom(
  { heading, file }: Readonly<Record<string, unknown>>,
  source: SkillSource,
): readonly string[] {
  return [
    ...(typeof heading === 'string' && !hasTitle(source.blocks, heading)
      ? [`heading or list item ${JSON.stringify(heading)}`]
      : []),
    ...(typeof file === 'string' && !source.files.has(file) ? [`file ${file}`] : []),
  ]
}

const hasTitle = (blocks: readonly Block[], title: string): boolean => {
  const wanted = wordsOf(title)
  return wanted !== '' && blocks.some((block) => titlesOf(block).includes(wanted))
}

/** What a block can be called by: a heading by its text, other lines also by the bold words they begin with. */
function titlesOf(block: Block): readonly string[] {
  if (block.kind === 'fence') return []
  const [line = ''] = block.text.split('\n')
  const bold = block.kind === 'heading' ? undefined : /^\W*\*\*(.+?)\*\*/.exec(line)?.[1]
  return [wordsOf(line), ...(bold === undefined ? [] : [wordsOf(bold)])]
}

const LONGEST_TITLE = 200

/** The words of a title without number, markup and case, so that small edits of a skill do not matter. */
export function wordsOf(title: string): string {
  const text = title.slice(0, LONGEST_TITLE)
  const own = entryOf(text)?.title ?? text
  return own
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
