import { mayBeShortcut } from '../../../model/shortcut.ts'
import { saidIn } from '../../../model/invocation.ts'
import type { Context } from '../../call/context.ts'
import { listRoots } from '../../../store/workplace.ts'
import type { Look } from './look.ts'
import { rootFor } from './tasks.ts'

const USUAL = ['agents/session.md', 'session.md'] as const

/** The session file of the project, for a prompt that may be a shortcut. */
export const sessionFile: Look = {
  isOfSession: true,
  isForFactsOnly: true,
  ask(looking) {
    const { context, event } = looking
    if (event.kind !== 'prompt.submitted' || !mayBeShortcut(saidIn(event) ?? '')) return undefined
    return async (tx) => {
      const root = await rootFor(tx, looking, await listRoots(tx, context.machine))
      return async () => (root === undefined ? {} : { sessionFile: await sessionFileIn(context, root) })
    }
  },
}

async function sessionFileIn({ config, files }: Context, root: string): Promise<string | undefined> {
  const { session_file: given } = config(root)
  for (const path of given === undefined ? USUAL : [given])
    if ((await files.kind(`${root}/${path}`)) === 'file') return path
  return undefined
}
