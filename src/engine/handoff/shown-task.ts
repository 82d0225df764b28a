import { type SessionTask } from '../../model/handoff/session-file.ts'
import type { TaskState } from '../../model/handoff/task-line.ts'

/** A task of the session file as answers show it. */
export interface ShownTask {
  readonly name: string
  readonly state: TaskState
  readonly section: SessionTask['section']
  readonly line: number
  readonly token: string | null
  readonly slug: string | null
  readonly command: string | null
  /** Null for the usual one. */
  readonly model: string | null
  readonly restart: boolean
  readonly priority: string | null
  readonly plan: string | null
  readonly plan_status: string | null
}

/** A task without the places in its line. */
export const shownTask = (task: SessionTask): ShownTask => ({
  name: task.name,
  state: task.state,
  section: task.section,
  line: task.line,
  token: task.token ?? null,
  slug: task.slug ?? null,
  command: task.command ?? null,
  model: task.model ?? null,
  restart: task.restart,
  priority: task.priority ?? null,
  plan: task.plan?.name ?? null,
  plan_status: task.plan?.status ?? null,
})
