import type { Effort } from '../../model/effort.ts'
import type { Session } from '../../model/session.ts'
import type { Remote } from './remote.ts'

/** Who asks: an agent, a client's session, or neither. */
interface Asker {
  readonly agent_id?: string | undefined
  readonly native_id?: string | undefined
}

/** The active efforts of a task, and which of them is that of the session that asks. */
export async function effortsAt(remote: Remote, task_id: string, { agent_id, native_id }: Asker) {
  const active = await remote.call<readonly Effort[]>('db.effort.findActive', {
    task_id,
    ...(agent_id !== undefined && { agent_id }),
  })
  const [window] =
    native_id === undefined
      ? []
      : await remote.call<readonly Session[]>('db.session.find', { native_id, open: true, limit: 1 })
  return { active, own: active.find(({ id }) => id === window?.effort_id) }
}
