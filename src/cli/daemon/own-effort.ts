import type { Effort } from '../../model/effort.ts'
import type { Remote } from './remote.ts'

/** The ways to say which effort is meant. */
interface Wish {
  readonly dir: string
  readonly agent_id?: string | undefined
  readonly native_id?: string | undefined
}

/** The one effort of a task that is meant: the caller's own, else the only one. */
export const effortMeant = (remote: Remote, { dir, agent_id, native_id }: Wish): Promise<Effort> =>
  remote.call<Effort>('commands.effort.meant', {
    dir,
    ...(agent_id !== undefined && { agent_id }),
    ...(native_id !== undefined && { native_id }),
  })
