import { type Diagnostic, diagnose, type Place } from '../../model/diagnostic.ts'
import { DEFAULT_MAX_TURNS, type RunbookModel } from '../../model/runbook/runbook.ts'
import { fieldsIn, modelIn, turnsIn } from './fields.ts'
import { nameOf, type WrittenItem } from './sections.ts'

/** How an item is done. */
export interface ItemFields {
  readonly values: { readonly model?: RunbookModel; readonly maxTurns: number }
  readonly report: string | undefined
  readonly diagnostics: readonly Diagnostic[]
}

export const modelOr = (model: RunbookModel | undefined) => (model === undefined ? {} : { model })

/** The fields of an item; without a model of its own, it has that of its phase or of the runbook. */
export function itemFields(
  written: WrittenItem,
  inherited: RunbookModel | undefined,
  place: Place,
): ItemFields {
  const fields = fieldsIn(written.lines)
  const [model, turns, report] = [fields.get('model'), fields.get('turns'), fields.get('report')]
  const own = model && modelIn(model.value)
  const found = own ?? inherited
  const maxTurns = turns && turnsIn(turns.value)
  const path = report?.value.replace(/^<|>$/g, '')
  const isInside = path !== undefined && isPathInside(path)
  const diagnostics: Diagnostic[] = []
  if (model !== undefined && own === undefined)
    diagnostics.push(
      diagnose(
        'HF408',
        model.place,
        `${JSON.stringify(model.value)} names no model, or several.`,
        MODEL_HINT,
      ),
    )
  if (found === undefined) diagnostics.push(diagnose('HF407', place, `${nameOf(written)} has no model.`))
  if (turns !== undefined && maxTurns === undefined)
    diagnostics.push(
      diagnose('HF408', turns.place, `${JSON.stringify(turns.value)} is no number of turns.`, TURNS_HINT),
    )
  if (report !== undefined && !isInside)
    diagnostics.push(
      diagnose(
        'HF420',
        report.place,
        `${JSON.stringify(report.value)} is outside of the project, or in a hidden folder.`,
      ),
    )
  return {
    values: { ...modelOr(found), maxTurns: maxTurns ?? DEFAULT_MAX_TURNS },
    report: isInside ? path.replace(/^\.\//, '') : undefined,
    diagnostics,
  }
}

const MODEL_HINT =
  'Write haiku, sonnet or opus. Until then, the model of the phase or the frontmatter counts.'
const TURNS_HINT = `Write a whole number, such as **Max Turns**: 50. Until then, it is ${DEFAULT_MAX_TURNS}.`

const isPathInside = (path: string): boolean =>
  path !== '' &&
  path.length <= 200 &&
  !/^[/~]|^[a-z]+:|[\0\s]/i.test(path) &&
  !path.endsWith('/') &&
  !path.split('/').includes('..') &&
  // A report does not count as a change, so it must not be a hook of git or a setting.
  !/(^|\/)\.(?!\/)/.test(path.replace(/^(\.\/)?\.holdfast\/(tasks|runs)\//, ''))
