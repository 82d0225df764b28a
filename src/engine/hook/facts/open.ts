import { continuedBy } from '../../../model/invocation.ts'
import { lockProject } from '../../../store/project.ts'
import { namedEffort, openEfforts } from '../../effort/open.ts'
import type { Loader } from './loader.ts'

/** Open efforts of the project; for a call, those of the called skill, else the one that it names. */
export const open: Loader<'open'> = {
  looks: ['place', 'records'],
  async load(tx, scene) {
    const { project, window, looked, context } = scene
    const [called] = looked.invocations.length === 0 ? [] : await scene.fact('invoked')
    const asked = called === undefined ? undefined : continuedBy(called)
    // Locked, so that two sessions never resume the same effort.
    if (asked !== undefined) await lockProject(tx, { id: project.id })
    const skill = called?.skill.name
    const about = { project, root: project.root, session: window.session, skill, effort: asked?.effort }
    const found = await openEfforts(tx, about, context)
    if (found.length > 0 || asked?.effort === undefined) return found
    return await namedEffort(tx, { ...about, effort: asked.effort }, context)
  },
}
