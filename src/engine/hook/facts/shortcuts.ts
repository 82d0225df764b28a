import { saidIn } from '../../../model/invocation.ts'
import { shortcutsOf } from '../../../model/own-words.ts'
import { shortcutsIn } from '../../../model/shortcut.ts'
import { skillCalled } from '../../skill/called.ts'
import type { Loader } from './loader.ts'

/** The skills that texts of shortcuts name. */
const NAMED = ['handoff', 'commit'] as const

/** The shortcuts that a prompt uses, and what their texts depend on. */
export const shortcuts: Loader<'shortcuts'> = {
  looks: ['sessionFile'],
  async load(tx, { looked, project, context }) {
    const { sessionFile, event } = looked
    const known = shortcutsOf(context.config(project.root), sessionFile !== undefined)
    const used = shortcutsIn(saidIn(event) ?? '', known)
    const skills: string[] = []
    if (used.length > 0)
      for (const name of NAMED)
        if ((await skillCalled(tx, { workplace_id: project.workplace_id, name })) !== undefined)
          skills.push(name)
    return { used, known, sessionFile, skills }
  },
}
