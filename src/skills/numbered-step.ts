import type { Step } from '../model/plan/plan.ts'
import { type Entry, isOptional, onlyIn } from './series/entry.ts'

/** A step that is only a number and a title: its text names no artifacts and no proof. */
export function numberedStep(
  { title, line }: Entry,
  { id, label, file }: { readonly id: string; readonly label: string; readonly file: string },
): Step {
  const only = onlyIn(title)
  return {
    id,
    label,
    title,
    optional: isOptional(title),
    consumes: [],
    produces: [],
    proof: [],
    ...(only !== undefined && { only }),
    place: { file, line, column: 1 },
  }
}
