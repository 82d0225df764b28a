import { loadBackground } from '../../session/background.ts'
import type { Loader } from './loader.ts'

/** What a new session needs besides its plan. */
export const background: Loader<'background'> = {
  looks: [],
  async load(tx, scene) {
    const { session } = scene.window
    return await loadBackground(tx, {
      projectId: scene.project.id,
      effortId: session.effort_id,
      work: (await scene.fact('work'))?.effort,
      loadedFiles: session.loaded_files,
      since: scene.since,
      now: scene.now,
    })
  },
}
