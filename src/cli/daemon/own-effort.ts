import type { Effort } from '../../model/effort.ts'
import type { Remote } from './remote.ts'

/** A task, and who asks for its effort. */
interface Asked {
  readonly dir: string
  readonly agent_id?: string | undefined
  readonly native_id?: string | undefined
}

/** The caller's own effort of a task, else its only one. */
export const ownEffort = (remote: Remote, { dir, agent_id, native_id }: Asked): Promise<Effort> =>
  remote.call<Effort>('commands.effort.meant', {
    dir,
    ...(agent_id !== undefined && { agent_id }),
    ...(native_id !== undefined && { native_id }),
  })
