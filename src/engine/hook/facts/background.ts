import { loadBackground } from '../../session/background.ts'
import type { Loader } from './loader.ts'

/** What a new session needs besides its plan. */
export const background: Loader<'background'> = {
  looks: ['written', 'contents'],
  async load(tx, scene) {
    const { session } = scene.window
    const work = await scene.fact('work')
    const lookedUp = await scene.fact('lookedUp')
    const { project, context, now } = scene
    return await loadBackground(
      tx,
      { project, session, work, lookedUp, effortId: session.effort_id },
      { context, now },
    )
  },
}
