import type { Effort } from '../../model/effort.ts'
import type { Io } from '../frame/io.ts'
import { callAs } from './call-as.ts'
import type { Remote } from './remote.ts'

/** A task, and who asks for its effort. */
interface Asked {
  readonly dir: string
  readonly agent_id?: string | undefined
  readonly native_id?: string | undefined
}

/** The caller's own effort of a task, else its only one. */
export const ownEffort = (
  io: Pick<Io, 'env'>,
  remote: Remote,
  { dir, agent_id, native_id }: Asked,
): Promise<Effort> =>
  callAs<Effort>(io, remote, 'commands.effort.meant', {
    dir,
    ...(agent_id !== undefined && { agent_id }),
    ...(native_id !== undefined && { native_id }),
  })
