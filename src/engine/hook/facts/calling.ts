import { callerOfEffort } from '../../../store/span.ts'
import { workOf } from '../../effort/skill-facts.ts'
import type { Loader } from './loader.ts'
import { turnOf } from './turn.ts'

/** The work that called the skill in charge, if the session returns to it. */
export const calling: Loader<'calling'> = {
  looks: ['place', 'records'],
  async load(tx, scene) {
    const { session } = scene.window
    const { effort_id: id = null } = (await callerOfEffort(tx, { effort_id: session.effort_id })) ?? {}
    if (id === null || !(await scene.fact('spans')).some(({ effort_id }) => effort_id === id))
      return undefined
    const { project, looked } = scene
    const work = await workOf(tx, { session: { effort_id: id }, project, digests: looked.digests })
    return work === undefined ? undefined : { work, turn: await turnOf(tx, scene, id) }
  },
}
