import { isHandOver } from '../../../rules/subagent-steps.ts'
import { artifactsAround } from '../../../store/artifact.ts'
import type { Tx } from '../../../store/query.ts'
import { type Cover, coversIn, digestsOf } from '../../plan/recorded.ts'
import type { Look, Looked } from './look.ts'

/** The current digests of files with records in the project. */
export const records: Look = {
  ask({ context, event, found }) {
    const { session, subagent } = event
    if (session === undefined || subagent !== undefined || !isAboutWork(found)) return undefined
    return async (tx) => {
      const covers = await recordsAround(tx, session)
      return async () => ({ digests: await digestsOf(context, covers) })
    }
  },
}

/** The events whose rules depend on records: session starts, skill calls, step reads, phase moves. */
const isAboutWork = ({ event, place, invocations, reads, phase }: Looked): boolean =>
  place !== undefined ||
  invocations.length + reads.length > 0 ||
  phase !== undefined ||
  event.kind === 'session.started' ||
  isHandOver(event)

export const recordsAround = async (tx: Tx, session: string): Promise<readonly Cover[]> =>
  coversIn(await artifactsAround(tx, { native_id: session }))
