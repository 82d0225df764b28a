import { mayBeShortcut } from '../../../model/shortcut.ts'
import { saidIn } from '../../../model/invocation.ts'
import { sessionFileIn } from '../../handoff/place.ts'
import { listRoots } from '../../../store/workplace.ts'
import type { Look } from './look.ts'
import { rootFor } from './tasks.ts'

/** The session file of the project, for a new session and for a prompt that may be a shortcut. */
export const sessionFile: Look = {
  isOfSession: true,
  isForFactsOnly: true,
  ask(looking) {
    const { context, event } = looking
    const isAsked = event.kind === 'prompt.submitted' && mayBeShortcut(saidIn(event) ?? '')
    if (event.kind !== 'session.started' && !isAsked) return undefined
    return async (tx) => {
      const root = await rootFor(tx, looking, await listRoots(tx, context.machine))
      return async () => (root === undefined ? {} : { sessionFile: await sessionFileIn(context, root) })
    }
  },
}
