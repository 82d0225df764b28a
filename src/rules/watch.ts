import type { HookEvent } from '../model/event.ts'
import type { Session } from '../model/session.ts'
import type { Watch } from '../model/watch.ts'
import { isContextNews } from './context-budget.ts'
import { isHeartbeatDue } from './heartbeat.ts'
import { isEditWithoutEffort, mayBeEdit, type MayWrite } from './session-gate.ts'
import { isAboutTodos } from './todo-check.ts'

/** Whether a rule that watches has something to say to an event that touches no skill: most have not, and stay cheap. */
export const isDue = (
  { event, ...does }: { readonly event: HookEvent } & MayWrite,
  session: Session,
  watch: Watch,
): boolean =>
  isHeartbeatDue(event, session, watch) ||
  isEditWithoutEffort(event, does, watch) ||
  mayBeEdit(does, watch) ||
  isContextNews(event, session) ||
  isAboutTodos(event)
