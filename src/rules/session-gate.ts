import type { HookEvent, ToolAction } from '../model/event.ts'
import type { Watch } from '../model/watch.ts'
import { rule } from './rule.ts'

/** Where a project wants it, files are changed only in an effort, so that somebody knows what for. */
export const sessionGate = rule({
  name: 'session-gate',
  summary: 'refuses to change files before an effort is active, where the project asks for it',
  on: ['tool.before'],
  wakes: ({ event, ...does }, { watch }) => isEditWithoutEffort(event, does, watch),
  needs: ['writes'],
  judge: (event, facts) =>
    isEditWithoutEffort(event, facts, facts.watch)
      ? { block: { reason: REASON, skill: '', effort: facts.session.effort_id } }
      : undefined,
})

const REASON =
  'This project wants an effort before files are changed, and none is active in this session. Call a skill with steps, phases or todos that fits the task, or run: holdfast effort start . SKILL (holdfast skill list names them). The user switches this off with: holdfast enforce --session-gate off'

/** What a command writes as far as its text tells, and a command that may write what it does not tell. */
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
