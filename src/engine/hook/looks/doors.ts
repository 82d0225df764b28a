import type { Client } from '../../../model/client.ts'
import { WIDEST_FIRST } from '../../../model/client-settings.ts'
import { ownFolder } from '../../../model/client-files.ts'
import { doorsIn } from '../../../model/door-calls.ts'
import type { HookEvent, Touch } from '../../../model/event.ts'
import { type FileUse, isOwnUse } from '../../../model/own-files.ts'
import type { Context } from '../../call/context.ts'
import { losesHooks } from '../settings-change.ts'
import { filesOf, fromOf } from './files.ts'
import type { Look } from './look.ts'

/** What only the user may do: calls that loosen the rules, and uses of the files that hold them. */
export const doors: Look = {
  find({ context, client, event }) {
    if (event.kind !== 'tool.before') return undefined
    const used = usesOf(context, event)
    const { does } = event.tool
    const calls = does.kind === 'command' ? doorsIn(does.command) : []
    if (used.length === 0)
      return calls.length === 0 ? undefined : Promise.resolve({ doors: { calls, files: [] } })
    return ownIn({ context, client }, used).then((files) =>
      calls.length + files.length === 0 ? {} : { doors: { calls, files } },
    )
  },
}

interface Used extends Pick<Touch, 'path' | 'makes'> {
  readonly use: FileUse
}

const MOST_USED = 200

function usesOf(context: Context, event: Extract<HookEvent, { kind: 'tool.before' }>): readonly Used[] {
  const { does } = event.tool
  if (does.kind === 'files')
    return does.touches.flatMap(({ path, how, makes }) => (how === 'list' ? [] : [{ path, makes, use: how }]))
  if (does.kind !== 'command') return []
  const { reads, writes, asked } = filesOf(does.command, fromOf(context, event))
  const all = [
    ...writes.paths.map((path) => ({ path, use: 'write' as const })),
    ...reads.paths.map((path) => ({ path, use: 'read' as const })),
    ...asked.map((path) => ({
      path: path.replace(/^.*\/~\//, `${context.user.home}/`),
      use: 'given' as const,
    })),
  ]
  return all.slice(0, MOST_USED)
}

type Where = Readonly<{ context: Context; client: Client }>

async function ownIn(where: Where, used: readonly Used[]): Promise<readonly string[]> {
  const found = await Promise.all(used.map(async (one) => ((await isOwn(where, one)) ? [one.path] : [])))
  return [...new Set(found.flat())]
}

async function isOwn({ context, client }: Where, { path, use, makes }: Used): Promise<boolean> {
  const { own, files, user } = context
  if (isOwnUse(own, path, use)) return true
  // A program may do with a name what it wants; only its text is compared.
  if (use === 'given') return false
  const real = await files.canonical(path).catch(() => path)
  if (real !== path && isOwnUse(own, real, use)) return true
  if (use === 'read' || !isSettings(client, ownFolder(user, client), real)) return false
  return await losesHooks({ context, client }, real, makes)
}

/** Settings of any project count, because a session may begin in any folder of it. */
function isSettings({ settings }: Client, user: string, path: string): boolean {
  return WIDEST_FIRST.some((scope) => {
    const known = settings.path(scope, { user, project: '' })
    return scope === 'user' ? path === known : path.endsWith(known)
  })
}
