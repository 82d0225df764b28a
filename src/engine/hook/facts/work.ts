import { workOf } from '../../effort/skill-facts.ts'
import type { Loader } from './loader.ts'

/** The current work of the session. */
export const work: Loader<'work'> = {
  looks: ['place', 'records'],
  load: (tx, { window: { session }, project, looked: { digests, unwritten } }) =>
    workOf(tx, { session, project, digests, unwritten }),
}
