import { type Diagnostic, diagnose } from '../../model/diagnostic.ts'
import type { PhaseType, RunbookModel } from '../../model/runbook/runbook.ts'
import { modelIn, placeOf } from './fields.ts'
import type { Mark, Part } from './part.ts'

/** What a header such as `### Phase 2: Ship (type: inline) model: opus` says besides its number. */
export interface PhaseHeader {
  readonly title: string
  readonly type?: PhaseType
  readonly model?: RunbookModel
  readonly diagnostics: readonly Diagnostic[]
}

const TYPES: readonly PhaseType[] = ['general', 'tdd', 'inline']
const TYPE = /\btype\s*:\s*[`*]*([\w-]+)[`*]*/i
const MODEL = /\bmodel\s*:\s*[`*]*([\w-]+)[`*]*/i

/** Reads the header of a phase; the order and the brackets of type and model do not matter. */
export function readPhaseHeader(part: Part, header: Mark | undefined): PhaseHeader {
  if (header?.entry === undefined) return { title: '', diagnostics: [] }
  const { entry, line } = header
  const [typeWord, modelWord] = [TYPE.exec(entry.title)?.[1], MODEL.exec(entry.title)?.[1]]
  const type = TYPES.find((one) => one === typeWord?.toLowerCase())
  const model = modelWord === undefined ? undefined : modelIn(modelWord.replaceAll('-', ' '))
  const unknown = (word: string, hint: string) =>
    diagnose(
      'HF408',
      placeOf(part, line, word),
      `${JSON.stringify(word)} is not known in the header of a phase.`,
      hint,
    )
  return {
    title: entry.title
      .replace(TYPE, '')
      .replace(MODEL, '')
      .replaceAll(/[([][\s,;|]*[)\]]/g, '')
      .replaceAll(/\s{2,}/g, ' ')
      .replace(/[\s,;|–—-]+$/, '')
      .trim(),
    ...(type !== undefined && { type }),
    ...(model !== undefined && { model }),
    diagnostics: [
      ...(typeWord === undefined || type !== undefined
        ? []
        : [unknown(typeWord, 'Write (type: general), (type: tdd) or (type: inline).')]),
      ...(modelWord === undefined || model !== undefined
        ? []
        : [unknown(modelWord, 'Write model: haiku, sonnet or opus.')]),
    ],
  }
}
