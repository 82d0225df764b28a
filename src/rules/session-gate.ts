import type { HookEvent, ToolAction } from '../model/event.ts'
import { startCommand } from '../model/task.ts'
import { oneLine } from '../model/text/line.ts'
import type { Watch } from '../model/watch.ts'
import { rule } from './rule.ts'
import { NO_EFFORT } from './told/words.ts'

/** A project can require an effort for every change, so that each change has a purpose on record. */
export const sessionGate = rule({
  name: 'session-gate',
  summary: 'refuses to change files while no effort is active, if the project asks for it',
  on: ['tool.before'],
  wakes: (subject, { watch }) => isEditWithoutEffort(subject.event, subject, watch),
  needs: ['writes', 'tracked'],
  judge: (event, facts) =>
    isEditWithoutEffort(event, facts, facts.watch)
      ? { block: { reason: reasonFor(facts.tracked), skill: '', effort: facts.session.effort_id } }
      : undefined,
})

const MOST_NAMED = 5

/** Only work that is tracked opens the gate; the call of a skill without a plan starts none. */
function reasonFor(tracked: readonly string[]): string {
  const more = tracked.length > MOST_NAMED ? ` and ${tracked.length - MOST_NAMED} more` : ''
  const names = tracked.slice(0, MOST_NAMED).map((name) => `/${oneLine(name)}`)
  const call = names.length === 0 ? '' : `call a skill that has a plan (${names.join(', ')}${more}), or `
  const only = tracked.length === 1 ? tracked[0] : undefined
  return `${NO_EFFORT} Next: ${call}run ${startCommand(only)} (to list the skills: holdfast skill list). The user can turn this off: holdfast enforce --session-gate off`
}

/** The files that a command names as written, and a command that may write others. */
export interface MayWrite {
  readonly writes?: readonly unknown[] | undefined
  readonly unsureWrite?: string | undefined
}

const isEditWithoutEffort = (event: HookEvent, { writes = [] }: MayWrite, { wantsEffort }: Watch): boolean =>
  wantsEffort && event.kind === 'tool.before' && (writes.length > 0 || isEdit(event.tool.does))

const isEdit = (does: ToolAction): boolean =>
  does.kind === 'files' && does.touches.some(({ how }) => how === 'write')

export const mayBeEdit = ({ unsureWrite }: MayWrite, { wantsEffort }: Watch): boolean =>
  wantsEffort && unsureWrite !== undefined
