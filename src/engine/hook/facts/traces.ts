import { isTracked } from '../../../model/effort.ts'
import { loadTraces } from '../../session/background.ts'
import type { Loader } from './loader.ts'

/** The traces of a session for a generated handover note. */
export const traces: Loader<'traces'> = {
  looks: [],
  async load(tx, scene) {
    const work = await scene.fact('work')
    if (work === undefined || !isTracked(work)) return undefined
    const { window, project } = scene
    return await loadTraces(tx, window.session, { effortId: work.effort.id, projectId: project.id })
  },
}
