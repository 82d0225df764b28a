import { type Diagnostic, diagnose } from '../../model/diagnostic.ts'
import type { Runbook, RunbookModel, RunbookPhase, RunbookType } from '../../model/runbook/runbook.ts'
import { phaseNumberOf } from '../../model/runbook/files.ts'
import { openFences } from '../fences.ts'
import { readFrontmatter } from '../text/frontmatter.ts'
import { byName, sourceText } from '../text/text.ts'
import { checkCycles } from './check-cycles.ts'
import { checkFiles } from './check-files.ts'
import { checkNumbering } from './check-numbers.ts'
import { checkName, checkType, unread, unused } from './check-whole.ts'
import { type Lines, textIn } from './fields.ts'
import { headOf, type RunbookHead } from './head.ts'
import { modelOr } from './item-fields.ts'
import { readPart } from './part.ts'
import { readPhases } from './phases.ts'
import { withRecall } from './recall.ts'
import { divide, type NumberedPart } from './sections.ts'

/** The texts of a runbook, and what its reader must know about the place where it lies. */
export interface RunbookSource {
  /** The folder that names it, relative to the project, such as `plans/auth`. */
  readonly folder: string
  readonly name: string
  /** The texts of its files by path, relative to the project. */
  readonly files: ReadonlyMap<string, string>
  /** The text of `recall-artifact.md`, if there is one. */
  readonly recall?: string | undefined
  /** The model of items that name none, instead of the one in the frontmatter. */
  readonly model?: RunbookModel | undefined
  /** Whether a path exists, relative to the project; without it, references are not checked. */
  readonly exists?: ((path: string) => boolean) | undefined
}

/** A runbook as far as it could be read. With an error among the diagnostics, nothing may be made of it. */
export interface ReadRunbook {
  readonly runbook: Runbook
  readonly diagnostics: readonly Diagnostic[]
}

/** The text of an agent of the package, without its frontmatter. */
export function bodyOf(text: string): string {
  const source = sourceText('', text)
  return source.lines.slice(readFrontmatter(source).bodyLine).join('\n')
}

/** Reads a runbook. Never throws: every problem is a diagnostic, and one faulty step hides no other. */
export function readRunbook(source: RunbookSource): ReadRunbook {
  const all = [...source.files]
    .toSorted(([a], [b]) => byName(a, b))
    .map(([path, text]) => ({ part: readPart(sourceText(path, text)), ...numbered(path) }))
  const { parts, diagnostics: chosen } = choose(all, source.folder)
  const sections = divide(parts)
  const { head, diagnostics: told } = headOf(parts.map(({ part }) => part))
  const model = source.model ?? head.model
  const isInline = head.type === 'inline'
  const { phases, diagnostics: read } = readPhases(sections, { ...source, model, isInline })
  const type = typeOf(phases, head)
  const runbook: Runbook = {
    name: source.name,
    folder: source.folder,
    files: parts.map(({ part }) => part.source.file),
    type,
    ...modelOr(model),
    context: joined(sections.context),
    ...(sections.instructions.length > 0 && { instructions: joined(sections.instructions) }),
    phases,
  }
  return {
    runbook: withRecall(runbook, source.recall),
    diagnostics: [
      ...chosen,
      ...parts.flatMap(({ part }) => [
        ...part.frontmatter.diagnostics,
        ...openFences({ main: part.source, ...part }),
        ...unread(part),
      ]),
      ...told,
      ...checkName(runbook),
      ...checkNumbering(sections, parts, { type, isInline }),
      ...read,
      ...checkCycles(sections),
      ...checkType(runbook, head, parts),
      ...unused(sections),
      ...checkFiles(runbook, sections, source.exists),
    ],
  }
}

const numbered = (path: string): { readonly phase?: number } => {
  const phase = phaseNumberOf(path)
  return phase === undefined ? {} : { phase }
}

/** A whole runbook wins over phase files; one without steps is the head of them. */
function choose(
  all: readonly NumberedPart[],
  folder: string,
): { readonly parts: readonly NumberedPart[]; readonly diagnostics: readonly Diagnostic[] } {
  const whole = all.filter(({ phase }) => phase === undefined)
  const files = all.filter(({ phase }) => phase !== undefined)
  const hasSteps = whole.some(({ part }) =>
    part.marks.some(({ kind }) => kind === 'step' || kind === 'cycle'),
  )
  if (!hasSteps || files.length === 0) return { parts: [...whole, ...files], diagnostics: [] }
  const place = { file: files[0]?.part.source.file ?? folder, line: 1, column: 1 }
  const message = `${whole[0]?.part.source.file ?? folder} has steps of its own, so the phase files beside it are not read.`
  return { parts: whole, diagnostics: [diagnose('HF422', place, message)] }
}

const joined = (sections: readonly Lines[]): string =>
  sections
    .map(textIn)
    .filter((text) => text !== '')
    .join('\n\n')

/** The type that the items have, whatever the frontmatter says. */
function typeOf(phases: readonly RunbookPhase[], head: RunbookHead): RunbookType {
  const kinds = new Set(phases.flatMap(({ items }) => items.map(({ kind }) => kind)))
  if (kinds.has('cycle')) return kinds.size > 1 ? 'mixed' : 'tdd'
  if (kinds.has('inline')) return kinds.size > 1 ? 'mixed' : 'inline'
  return kinds.has('step') ? 'general' : (head.type ?? 'general')
}
