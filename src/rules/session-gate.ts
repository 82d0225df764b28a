import type { HookEvent } from '../model/event.ts'
import type { Watch } from '../model/watch.ts'
import type { Rule } from './rule.ts'

/** Where a project wants it, files are changed only in an effort, so that somebody knows what for. */
export const sessionGate: Rule = {
  name: 'session-gate',
  summary: 'refuses to change files before an effort is active, where the project asks for it',
  on: ['tool.before'],
  judge: (event, { watch, session }) =>
    isEditWithoutEffort(event, watch)
      ? { block: { reason: REASON, skill: '', effort: session.effort_id } }
      : undefined,
}

const REASON =
  'This project wants an effort before files are changed, and none is active in this session. Call a skill with a plan (steps or phases) that fits the task, or run: holdfast effort start . SKILL (holdfast skill list names them). The user switches this off with: holdfast enforce --session-gate off'

export const isEditWithoutEffort = (event: HookEvent, { wantsEffort }: Watch): boolean =>
  wantsEffort &&
  event.kind === 'tool.before' &&
  event.tool.does.kind === 'files' &&
  event.tool.does.touches.some(({ how }) => how === 'write')
