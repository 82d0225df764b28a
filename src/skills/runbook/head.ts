import { type Diagnostic, diagnose, type Place } from '../../model/diagnostic.ts'
import type { RunbookModel, RunbookType } from '../../model/runbook/runbook.ts'
import type { Field } from '../text/frontmatter.ts'
import { modelIn } from './fields.ts'
import type { Part } from './part.ts'

/** What the frontmatter of a runbook says; of several phase files, the first that says it. */
export interface RunbookHead {
  readonly type?: RunbookType
  readonly typePlace?: Place
  readonly model?: RunbookModel
}

const TYPES: readonly RunbookType[] = ['general', 'tdd', 'mixed', 'inline']

/** Reads the frontmatter. Its `name` is only for people: the folder names a runbook. */
export function headOf(parts: readonly Part[]): {
  readonly head: RunbookHead
  readonly diagnostics: readonly Diagnostic[]
} {
  const first = (...names: readonly string[]): Field | undefined =>
    parts.flatMap(({ frontmatter }) => names.flatMap((name) => frontmatter.fields.get(name) ?? []))[0]
  const [type, model] = [first('type'), first('model', 'execution-model')]
  const ownType = TYPES.find((one) => one === wordOf(type))
  const ownModel = model && modelIn(wordOf(model))
  return {
    head: {
      ...(ownType !== undefined && type !== undefined && { type: ownType, typePlace: type.place }),
      ...(ownModel !== undefined && { model: ownModel }),
    },
    diagnostics: [
      ...(type === undefined || ownType !== undefined
        ? []
        : [
            diagnose(
              'HF408',
              type.place,
              `${JSON.stringify(wordOf(type))} is no type of a runbook.`,
              'Write general, tdd, mixed or inline, or remove the line: the headings decide.',
            ),
          ]),
      ...(model === undefined || ownModel !== undefined
        ? []
        : [
            diagnose(
              'HF408',
              model.place,
              `${JSON.stringify(wordOf(model))} names no model, or several.`,
              'Write model: haiku, sonnet or opus.',
            ),
          ]),
    ],
  }
}

const wordOf = (field: Field | undefined): string =>
  (field?.source ?? '').trim().toLowerCase().replaceAll(/["']/g, '')
