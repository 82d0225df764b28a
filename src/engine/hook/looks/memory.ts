import { type Invocation, continuedBy } from '../../../model/invocation.ts'
import { listRoots } from '../../../store/workplace.ts'
import { memoryWish, remember } from '../../effort/memory.ts'
import type { Look, Looking } from './look.ts'
import { rootFor } from './tasks.ts'

/** What the project knows about the request of a skill call, if the index answers at once. */
export const memory: Look = {
  isOfSession: true,
  isForFactsOnly: true,
  ask(looking) {
    const { context, event } = looking
    const call = callIn(looking)
    if (call === undefined) return undefined
    return async (tx) => {
      const roots = await listRoots(tx, context.machine)
      const root = await rootFor(tx, looking, roots)
      const known = roots.find(({ path }) => path === root)
      const asking = { request: call.args, native_id: event.session }
      const wish =
        known === undefined
          ? undefined
          : await memoryWish(tx, { ...asking, project: known.of, root: known.path }, context)
      return async () => (wish === undefined ? {} : { memory: await remember(context, wish) })
    }
  },
}

/** The call of a main thread for new work; the expansion of a prompt only repeats it. */
function callIn({ context, event, found }: Looking): Invocation | undefined {
  const [call] = found.invocations
  if (event.kind !== 'prompt.submitted' && event.kind !== 'tool.before') return undefined
  const window = context.store.volatile.openWindows.get(event.session ?? '')
  const isScope = (window?.session.scope_of ?? null) !== null
  return call === undefined || isScope || continuedBy(call) !== undefined ? undefined : call
}
