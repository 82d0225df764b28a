import type { Client } from '../../../model/client.ts'
import { WIDEST_FIRST } from '../../../model/client-settings.ts'
import { ownFolder } from '../../../model/client-files.ts'
import { isDoor, type OurWords } from '../../../model/door.ts'
import { submittedDoor, typedDoor } from '../../../model/in-client.ts'
import { doorsIn } from '../../../model/door-calls.ts'
import type { HookEvent, ToolAction, Touch } from '../../../model/event.ts'
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
    const called =
      does.kind === 'command' ? callsIn(does.command, fromOf(context, event), () => programsOf(context)) : []
    const submitted =
      called.length === 0 && SUBMITS.has(does.kind) ? submittedDoor(event.tool.input) : undefined
    const calls = submitted === undefined ? called : [submitted]
    if (used.length === 0)
      return calls.length === 0 ? undefined : Promise.resolve({ doors: { calls, files: [] } })
    return ownIn({ context, client }, used).then((files) =>
      calls.length + files.length === 0 ? {} : { doors: { calls, files } },
    )
  },
}

/** What tools do that may make a prompt of their input, such as those that wake the client later. */
const SUBMITS: ReadonlySet<ToolAction['kind']> = new Set(['other', 'agent', 'command'])

/** The programs of the clients, as users start them. */
const programsOf = ({ clients }: Context): readonly string[] =>
  [...clients.values()].flatMap((client) => client.resume('x').split(' ').slice(0, 1))

/** Doors in plain words, and those that variables, functions, substitutions and other programs lead to. */
function callsIn(
  command: string,
  from: ReturnType<typeof fromOf>,
  clients: () => readonly string[],
): readonly OurWords[] {
  const plain = doorsIn(command)
  const found = new Set(plain.map((words) => words.join(' ')))
  const others = filesOf(command, from).ours.flatMap((words): readonly OurWords[] => {
    const known = words.map((word) => word ?? '?')
    // The hook cannot tell an agent from the client, so it counts whatever else it is given.
    const isMeant = known[0] === 'hook' ? !plain.some(([name]) => name === 'hook') : isDoor(known)
    return isMeant && !found.has(known.join(' ')) ? [known] : []
  })
  const typed = typedDoor(command, clients)
  return [...plain, ...others.slice(0, 1), ...(typed === undefined ? [] : [typed])]
}

interface Used extends Pick<Touch, 'path' | 'makes'> {
  readonly use: FileUse
  /** Whether the command has words of code that changes files. */
  readonly mayWrite?: boolean
}

function usesOf(context: Context, event: Extract<HookEvent, { kind: 'tool.before' }>): readonly Used[] {
  const { does } = event.tool
  if (does.kind === 'files')
    return does.touches.flatMap(({ path, how, makes }) => (how === 'list' ? [] : [{ path, makes, use: how }]))
  if (does.kind !== 'command') return []
  const { reads, writes, asked, handled, changed } = filesOf(does.command, fromOf(context, event))
  const mayWrite = WRITES.test(does.command)
  return [
    ...writes.paths.map((path) => ({ path, use: 'write' as const })),
    ...reads.paths.map((path) => ({ path, use: 'read' as const })),
    ...handled.map((path) => ({ path, use: 'handled' as const })),
    ...changed.map((path) => ({ path, use: 'changed' as const })),
    ...asked.map((path) => ({
      path: path.replace(/^.*\/~\//, `${context.user.home}/`),
      use: 'given' as const,
      mayWrite,
    })),
  ]
}

type Where = Readonly<{ context: Context; client: Client }>

async function ownIn(where: Where, used: readonly Used[]): Promise<readonly string[]> {
  const found = await Promise.all(used.map(async (one) => ((await isOwn(where, one)) ? [one.path] : [])))
  return [...new Set(found.flat())]
}

async function isOwn({ context, client }: Where, { path, use, makes, mayWrite }: Used): Promise<boolean> {
  const { own, files, user } = context
  if (isOwnUse(own, path, use)) return true
  // A program may do with a name what it wants; only its text is compared.
  if (use === 'given')
    return (
      mayWrite === true &&
      (isOwnUse(own, path, 'changed') || namesSettings(client, ownFolder(user, client), path))
    )
  const real = await files.canonical(path).catch(() => path)
  if (real !== path && isOwnUse(own, real, use)) return true
  if (use !== 'write' || !isSettings(client, ownFolder(user, client), real)) return false
  return await losesHooks({ context, client }, real, makes)
}

/** What code says if it changes a file. */
const WRITES =
  /write|dump|unlink|remove|delete|rename|replace|copy|truncate|rmtree|rmSync|mkfifo|mknod|trash|\s-[oOi]\s|open\([^)]*,\s*\\*['"][wax+]/i

/** Whether a text names client settings. */
const namesSettings = ({ settings }: Client, user: string, text: string): boolean =>
  WIDEST_FIRST.some((scope) =>
    text.includes(settings.path(scope, { user, project: '' }).replace(/^\/(?=\.)/, '')),
  )

/** Settings of any project count, because a session may begin in any folder of it. */
function isSettings({ settings }: Client, user: string, path: string): boolean {
  return WIDEST_FIRST.some((scope) => {
    const known = settings.path(scope, { user, project: '' })
    return scope === 'user' ? path === known : path.endsWith(known)
  })
}
