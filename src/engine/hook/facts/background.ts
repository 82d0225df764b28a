import { loadBackground } from '../../session/background.ts'
import { pastToTell } from '../../session/past.ts'
import type { Loader } from './loader.ts'

/** What a new session needs besides its plan. */
export const background: Loader<'background'> = {
  looks: ['written', 'contents'],
  async load(tx, scene) {
    const { session } = scene.window
    const work = await scene.fact('work')
    const { project, context, now } = scene
    const found = await scene.fact('lookedUp')
    const isOff = context.config(project.root).directives === 'off'
    const lookedUp = isOff ? { ...found, standards: [] } : found
    const { event } = scene.looked
    const past = work === undefined ? await pastToTell(tx, session, event, context) : undefined
    return await loadBackground(
      tx,
      { project, session, work, lookedUp, effortId: session.effort_id, past, tellsChains: true },
      { context, now },
    )
  },
}
