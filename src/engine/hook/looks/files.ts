import type { HookEvent, Touch } from '../../../model/event.ts'
import { parentOf } from '../../../model/directive.ts'
import { keptText } from '../../../model/text/kept.ts'
import { filesNamedIn, mentionsIn } from '../../../model/text/named-files.ts'
import { beginsWithOurs } from '../../../model/shell/repair.ts'
import { type ShellFiles, shellFiles } from '../../../model/shell/files.ts'
import type { Subject, UnsureRead, Written } from '../../../model/subject.ts'
import type { Context } from '../../call/context.ts'
import { filesMatching, isPattern } from '../pattern-files.ts'
import type { Look, Looked } from './look.ts'

type FileEvent = Extract<HookEvent, { kind: 'prompt.submitted' | 'tool.before' | 'tool.after' }>

type Touched = Pick<Subject, 'reads' | 'unsure' | 'looked' | 'writes' | 'unsureWrite'> &
  Pick<Looked, 'changed'>

/** The files that an event reads and writes, by their real paths. */
export const files: Look = {
  find({ context, event }) {
    const isOfFiles =
      event.kind === 'prompt.submitted' || event.kind === 'tool.before' || event.kind === 'tool.after'
    return isOfFiles
      ? filesIn(context, event)
      : event.kind === 'tool.failed'
        ? readBy(context, event)
        : undefined
  },
}

interface From {
  readonly cwd: string | undefined
  readonly home: string
}

function filesIn(context: Context, event: FileEvent): Promise<Touched> | undefined {
  const from: From = { cwd: event.cwd, home: context.user.home }
  if (event.kind === 'prompt.submitted')
    return event.by === 'user' ? readsOf(context, mentionsIn(event.text, from)) : undefined
  const { does } = event.tool
  if (does.kind === 'files') return filesOfTool(context, event, does.touches)
  if (does.kind !== 'command') return undefined
  const found = filesOf(does.command, from)
  if (event.subagent !== undefined && (event.kind === 'tool.after' || !mayBeGated(context, event)))
    return readsOf(context, found.reads.paths)
  if (event.kind === 'tool.after')
    return event.tool.ended && found.writes.paths.length > 0
      ? filesAfter(context, found)
      : readsOf(context, found.reads.paths)
  return isWriting(found) || found.reads.paths.length > 0 || doubtOf(found) !== undefined
    ? filesOfCommand(context, does.command, { found, from, isGated: mayBeGated(context, event) })
    : undefined
}

/** False if memory shows that no plan of the session says when files may change. */
const mayBeGated = ({ store }: Context, { session = '' }: HookEvent): boolean =>
  store.volatile.openWindows.get(session)?.watch.gatesWrites !== false

/** A command may show files before it fails. */
function readBy(
  context: Context,
  { tool: { does }, cwd }: Extract<HookEvent, { kind: 'tool.failed' }>,
): Promise<Touched> | undefined {
  if (does.kind !== 'command') return undefined
  return readsOf(context, filesOf(does.command, { cwd, home: context.user.home }).reads.paths)
}

function filesOfTool(
  context: Context,
  event: FileEvent,
  touches: readonly Touch[],
): Promise<Touched> | undefined {
  const pathsOf = (how: Touch['how']) => touches.flatMap((touch) => (touch.how === how ? [touch.path] : []))
  const read = readsOf(context, pathsOf('read'))
  const written = pathsOf('write')
  if (event.kind !== 'tool.before' || written.length === 0 || !mayBeGated(context, event)) return read
  return Promise.all([read, realPlaces(context, written)]).then(([found, writes]) => ({
    reads: [],
    ...found,
    writes,
  }))
}

/** Undefined without files, so that nothing waits for the disk. */
const readsOf = (context: Context, paths: readonly string[]): Promise<Touched> | undefined =>
  paths.length === 0 ? undefined : real(context, paths).then((reads) => ({ reads }))

/** Only files that exist count, because a part of the command may not have run. */
async function filesAfter(context: Context, { reads, writes }: ShellFiles): Promise<Touched> {
  const paths = writes.paths.slice(0, MOST_PLACES)
  const kinds = await Promise.all(paths.map((path) => context.files.kind(path).catch(() => undefined)))
  const changed = paths.filter((_, index) => kinds[index] === 'file')
  return { reads: await real(context, reads.paths), changed }
}

async function filesOfCommand(
  context: Context,
  text: string,
  { found, from, isGated }: { readonly found: ShellFiles; readonly from: From; readonly isGated: boolean },
): Promise<Touched> {
  const reads = await real(context, found.reads.paths)
  const command = keptText(text, LONGEST_COMMAND)
  // Commands that unblock the agent must never be refused.
  const writes =
    isWriting(found) && !beginsWithOurs(text)
      ? await writesOf(context, found.writes, { command, isGated })
      : {}
  const looked = (await placesOf(context, found.reads.paths)).map(({ folder }) => folder)
  const why = doubtOf(found)
  if (why === undefined) return { reads, looked, ...writes }
  const named = await real(context, filesNamedIn(text, from))
  return { reads, looked, ...writes, unsure: { why, command, named } }
}

const isWriting = ({ writes }: ShellFiles): boolean => writes.isUnresolved || writes.paths.length > 0

const MOST_KEPT = 500
const LONGEST_KEPT = 1000
const kept = new Map<string, ShellFiles>()

/** Agents repeat short commands, and each comes before and after its call. */
function filesOf(command: string, { cwd, home }: From): ShellFiles {
  if (command.length > LONGEST_KEPT) return shellFiles(command, cwd, home)
  const key = `${home}\0${cwd}\0${command}`
  const known = kept.get(key)
  if (known !== undefined) return known
  if (kept.size >= MOST_KEPT) kept.clear()
  const found = shellFiles(command, cwd, home)
  kept.set(key, found)
  return found
}

const MOST_PLACES = 50

async function writesOf(
  context: Context,
  { paths, isUnresolved }: ShellFiles['writes'],
  { command, isGated }: { readonly command: string; readonly isGated: boolean },
): Promise<Pick<Subject, 'writes' | 'unsureWrite'>> {
  const places = await placesOf(context, paths)
  // Only a plan asks for single files.
  const patterns = isGated ? paths.filter(isPattern).slice(0, MOST_PATTERNS) : []
  const matched = await Promise.all(patterns.map((one) => filesMatching(context.files, one)))
  const written = matched.flatMap(({ files: found, folder }) => found.map((path) => ({ path, folder })))
  const isUnsure = isUnresolved || matched.some(({ isAll }) => !isAll)
  return { writes: [...places, ...written], ...(isUnsure && { unsureWrite: command }) }
}

const MOST_PATTERNS = 10

async function placesOf(context: Context, paths: readonly string[]): Promise<readonly Written[]> {
  // For a pattern only the part before it is known.
  const known = new Set(paths.map((path) => path.replace(/\/[^/]*[*?[].*$/s, '') || '/'))
  return await realPlaces(context, [...known])
}

async function realPlaces({ files: disk }: Context, paths: readonly string[]): Promise<readonly Written[]> {
  return await Promise.all(
    paths.slice(0, MOST_PLACES).map(async (path): Promise<Written> => {
      const found = await disk.canonical(path).catch(() => path)
      const isFolder = (await disk.kind(found).catch(() => undefined)) === 'folder'
      return { path: found, folder: isFolder ? found : parentOf(found) }
    }),
  )
}

const LONGEST_COMMAND = 200

const doubtOf = ({ opens, reads }: ShellFiles): UnsureRead['why'] | undefined =>
  reads.isUnresolved ? 'variable' : opens ? 'program' : undefined

const MOST_READS = 50
/** Only Markdown files are steps; a pattern or a folder may include some. */
const MAY_BE_STEP = /\.md\/?$|\/[^/]*[*?[][^/]*$|\/\.?[^/.]+\/?$/i

async function real(context: Context, paths: readonly string[]): Promise<readonly string[]> {
  const wanted = paths.filter((path) => MAY_BE_STEP.test(path)).slice(0, MOST_READS)
  if (wanted.length === 0) return []
  return [...new Set((await Promise.all(wanted.map((path) => realPaths(context, path)))).flat())]
}

/** Skill folders, step folders and steps may be links; for a pattern only the folder resolves. */
async function realPaths({ files: disk }: Context, path: string): Promise<readonly string[]> {
  const parts = path.split('/')
  const isOfMany = isPattern(parts.at(-1) ?? '')
  const resolved = async (up: number) => {
    const folder = parts.slice(0, Math.max(1, parts.length - up)).join('/')
    const found = await disk.canonical(folder).catch(() => undefined)
    return found === undefined ? undefined : `${found}${path.slice(folder.length)}`
  }
  const whole = await resolved(isOfMany ? 1 : 0)
  // Without links, the usual case, the parents of the path resolve to themselves.
  if (whole === path) return [path]
  const above = await Promise.all((isOfMany ? [2] : [1, 2]).map(resolved))
  // A path that does not resolve stays as written.
  return [whole, ...above].map((found) => found ?? path)
}
