import { continuedBy } from '../../../model/invocation.ts'
import { findActiveEfforts, lockEffort, toEffort } from '../../../store/effort.ts'
import { MOST_OPEN, openEfforts } from '../../effort/open.ts'
import type { Loader } from './loader.ts'

/** Open efforts of the project; for a call, those of the called skill. */
export const open: Loader<'open'> = {
  looks: ['place', 'records'],
  async load(tx, scene) {
    const { project, window, looked } = scene
    const [called] = looked.invocations.length === 0 ? [] : await scene.fact('invoked')
    const wanted = { projectId: project.id, skill: called?.skill.name, limit: MOST_OPEN }
    const efforts = (await findActiveEfforts(tx, wanted)).map(toEffort)
    // Locked, so that two sessions never resume the same effort.
    if (looked.invocations.some((one) => continuedBy(one) !== undefined))
      for (const { id } of efforts) await lockEffort(tx, { id })
    return await openEfforts(tx, efforts, { session: window.session, project }, scene.context)
  },
}
