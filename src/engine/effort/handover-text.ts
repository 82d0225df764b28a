import type { Section } from '../../model/recap.ts'
import { oneLine } from '../../model/text/line.ts'
import { startOn } from '../../model/task.ts'
import { tailSections, toldText, type WorkView } from './work-text.ts'

/** What one session leaves for the next. */
export interface Handover {
  readonly dehydration: unknown
  readonly required_files: { readonly present: readonly string[]; readonly missing: readonly string[] }
  readonly resume: string | null
}

/** The answer to `session continue`: the state of the effort and what the builder tells of it. */
export function continuedText(view: WorkView, { resume }: Handover, told: readonly Section[]): string {
  const below = resume === null ? [] : [`To reopen the last session with its full context: ${resume}`]
  return toldText(view, { title: 'Session continued', below, told })
}

/** Who has a shown effort, and the command that takes it. */
export interface ShownHolder {
  readonly held_by: string | null
  readonly take: string
}

/** The same for a terminal, which takes nothing over: how to resume the client, and how to take the effort. */
export function shownText(
  view: WorkView,
  { resume }: Handover,
  { held_by, take, told }: ShownHolder & { readonly told: readonly Section[] },
): string {
  const reopen = resume === null ? '' : `reopen its session: ${resume}; or `
  const who = held_by === null ? '' : `; ${held_by} has it`
  const below = [
    `Holdfast: shown only, nothing changed${who}. To resume it, ${reopen}take it over here: ${take}`,
  ]
  return toldText(view, { title: 'Effort', below, told })
}

/** The answer to `session continue` if the effort is finished. */
export function finishedText(view: WorkView, again: string): string {
  const { task_id, id, skill } = view.effort
  const next = view.next_skills.map((name) => startOn(task_id, oneLine(name.replace(/^\//, ''))))
  return [
    `Nothing to continue: effort ${id} (${skill}) of ${oneLine(task_id)} is finished.`,
    next.length === 0 ? `To begin it anew, if the user asks: ${again}` : `Next: ${next.join(' or ')}`,
    ...tailSections(view),
  ].join('\n\n')
}
