import { continuedBy } from '../../../model/invocation.ts'
import { lockProject } from '../../../store/project.ts'
import { openEfforts } from '../../effort/open.ts'
import type { Loader } from './loader.ts'

/** Open efforts of the project; for a call, those of the called skill. */
export const open: Loader<'open'> = {
  looks: ['place', 'records'],
  async load(tx, scene) {
    const { project, window, looked, context } = scene
    const [called] = looked.invocations.length === 0 ? [] : await scene.fact('invoked')
    const asked = called === undefined ? undefined : continuedBy(called)
    // Locked, so that two sessions never resume the same effort.
    if (asked !== undefined) await lockProject(tx, { id: project.id })
    const about = { skill: called?.skill.name, effort: asked?.effort }
    return await openEfforts(tx, { project, root: project.root, session: window.session, ...about }, context)
  },
}
