import { workOf } from '../../effort/skill-facts.ts'
import type { Loader } from './loader.ts'

/** What the session works on. */
export const work: Loader<'work'> = {
  looks: ['place', 'records'],
  load: (tx, { window: { session }, project, looked: { digests } }) =>
    workOf(tx, { session, project, digests }),
}
