import { artifactsAround } from '../../../store/artifact.ts'
import type { Tx } from '../../../store/query.ts'
import { type Cover, coversIn, digestsOf } from '../../plan/recorded.ts'
import type { Look } from './look.ts'

/** The current digests of files with records in the project. */
export const records: Look = {
  isOfSession: true,
  isForFactsOnly: true,
  ask:
    ({ context, event: { session = '' } }) =>
    async (tx) => {
      const covers = await recordsAround(tx, session)
      return async () => ({ digests: await digestsOf(context, covers) })
    },
}

export const recordsAround = async (tx: Tx, session: string): Promise<readonly Cover[]> =>
  coversIn(await artifactsAround(tx, { native_id: session }))
