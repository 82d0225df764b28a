import type { HookEvent, Touch } from '../../../model/event.ts'
import type { Client } from '../../../model/client.ts'
import { parentOf } from '../../../model/directive.ts'
import { keptText } from '../../../model/text/kept.ts'
import { filesNamedIn, mentionsIn } from '../../../model/text/named-files.ts'
import { beginsWithOurs } from '../../../model/shell/repair.ts'
import { type ShellFiles, shellFiles } from '../../../model/shell/files.ts'
import type { Subject, UnsureRead, Written } from '../../../model/subject.ts'
import type { Context } from '../../call/context.ts'
import { filesMatching, isPattern } from '../pattern-files.ts'
import { loadedBy } from '../loaded-commands.ts'
import type { Look, Looked } from './look.ts'
import { type RealPaths, realPathsOf } from '../real-paths.ts'
import { namesOf, stepsOf, withShared } from '../shared-files.ts'

type FileEvent = Extract<HookEvent, { kind: 'prompt.submitted' | 'tool.before' | 'tool.after' }>

type Touched = Pick<Subject, 'reads' | 'unsure' | 'looked' | 'writes' | 'unsureWrite'> &
  Pick<Looked, 'changed' | 'shared'>

/** The files that an event reads and writes, by their real paths. */
export const files: Look = {
  find({ context, client, event }) {
    if (event.kind === 'tool.before' && event.tool.does.kind === 'skill')
      return filesOfSkill(context, client, event, event.tool.does)
    const isOfFiles =
      event.kind === 'prompt.submitted' || event.kind === 'tool.before' || event.kind === 'tool.after'
    return isOfFiles
      ? filesIn(context, event)
      : event.kind === 'tool.failed'
        ? readBy(context, event)
        : undefined
  },
  ask({ context, event: { session = '' }, found }) {
    const { shared } = found
    if (shared === undefined) return undefined
    return async (tx) => {
      const steps = await stepsOf(tx, session)
      return async () => withShared(found, await namesOf(context, steps))
    }
  },
}

interface From {
  readonly cwd: string | undefined
  readonly home: string
  /** Our own folder, which the environment names. */
  readonly ours: string
}

/** Where the paths of a call begin. */
export const fromOf = ({ user, own }: Context, { cwd }: Pick<HookEvent, 'cwd'>): From => ({
  cwd,
  home: user.home,
  ours: own.folder,
})

function filesIn(context: Context, event: FileEvent): Promise<Touched> | undefined {
  const from = fromOf(context, event)
  if (event.kind === 'prompt.submitted')
    return event.by === 'user' ? readsOf(context, mentionsIn(event.text, from), from) : undefined
  const { does } = event.tool
  // The client attaches the files that its call of a skill mentions.
  if (does.kind === 'skill') return readsOfTool(context, mentionsIn(does.args, from), from)
  if (does.kind === 'files') return filesOfTool(context, event, does.touches)
  if (does.kind !== 'command') return undefined
  const found = filesOf(does.command, from)
  if (event.kind === 'tool.after')
    return event.subagent === undefined && event.tool.ended && found.writes.paths.length > 0
      ? filesAfter(context, found, from)
      : readsOf(context, readByAgent(found), from)
  const isGated = mayBeGated(context, event)
  const isOwn = event.subagent === undefined || isGated
  const { reads, asked, taken, entered, isLimited } = found
  const mayRead =
    reads.isUnresolved || isLimited || [reads.paths, asked, taken, entered].some((all) => all.length > 0)
  return mayRead || (isOwn && isWriting(found))
    ? filesOfCommand(context, does.command, { found, from, isOwn, isGated })
    : undefined
}

/** A copy of the main file of a skill does not mean that somebody works by it. */
const readByAgent = ({ reads, copied }: ShellFiles): readonly string[] =>
  reads.paths.filter((path) => !/\/skill\.md$/i.test(path) || !copied.includes(path))

/** False if memory shows that no plan of the session says when files may change. */
const mayBeGated = ({ store }: Context, { session = '' }: HookEvent): boolean =>
  store.volatile.openWindows.get(session)?.watch.gatesWrites !== false

/** A command may show files before it fails. */
function readBy(
  context: Context,
  { tool: { does }, cwd }: Extract<HookEvent, { kind: 'tool.failed' }>,
): Promise<Touched> | undefined {
  if (does.kind !== 'command') return undefined
  const from = fromOf(context, { cwd })
  return readsOf(context, filesOf(does.command, from).reads.paths, from)
}

function filesOfTool(
  context: Context,
  event: FileEvent,
  touches: readonly Touch[],
): Promise<Touched> | undefined {
  const pathsOf = (how: Touch['how']) => touches.flatMap((touch) => (touch.how === how ? [touch.path] : []))
  const read = readsOfTool(context, pathsOf('read'), event)
  const written = pathsOf('write')
  if (event.kind !== 'tool.before' || written.length === 0 || !mayBeGated(context, event)) return read
  return Promise.all([read, realPlaces(context, written)]).then(([found, writes]) => ({
    reads: [],
    ...found,
    writes,
  }))
}

/** Undefined without files, so that nothing waits for the disk. */
const readsOf = (
  context: Context,
  paths: readonly string[],
  { cwd }: Pick<From, 'cwd'>,
): Promise<Touched> | undefined =>
  paths.length === 0 ? undefined : realPathsOf(context, paths, { cwd }).then(touchedBy)

const touchedBy = ({ paths, shared }: RealPaths): Touched => ({
  reads: paths,
  ...(shared.length > 0 && { shared: { read: shared, given: [] } }),
})

/** The client attaches the files that its call of a skill mentions, and runs the commands in the text of the skill. */
async function filesOfSkill(
  context: Context,
  client: Client,
  event: HookEvent,
  { name, args }: { readonly name: string; readonly args: string },
): Promise<Partial<Touched>> {
  const from = fromOf(context, event)
  const mentioned = mentionsIn(args, from)
  const command = await loadedBy(context, client, { name, args, cwd: event.cwd })
  if (command === '') return (await readsOfTool(context, mentioned, from)) ?? {}
  const { reads, ...rest } = filesOf(command, from)
  const found = { ...rest, reads: { ...reads, paths: [...reads.paths, ...mentioned] } }
  return await filesOfCommand(context, command, { found, from, isOwn: false, isGated: false })
}

/** A tool can be given more files than are looked at. */
function readsOfTool(
  context: Context,
  paths: readonly string[],
  { cwd }: Pick<HookEvent, 'cwd'>,
): Promise<Touched> | undefined {
  if (paths.length === 0) return undefined
  return realPathsOf(context, paths, { cwd }).then((found) => ({
    ...touchedBy(found),
    ...(found.isLimited && {
      unsure: { why: 'limit', command: `${paths.length} files`, named: [], mentioned: [] },
    }),
    ...(found.isOfProcess && {
      unsure: {
        why: 'process',
        command: keptText(paths[0] ?? '', LONGEST_COMMAND),
        named: [],
        mentioned: [],
      },
    }),
  }))
}

/** Only files that exist count, because a part of the command may not have run. */
async function filesAfter(context: Context, found: ShellFiles, { cwd }: From): Promise<Touched> {
  const paths = found.writes.paths.slice(0, MOST_PLACES)
  const kinds = await Promise.all(paths.map((path) => context.files.kind(path).catch(() => undefined)))
  const changed = paths.filter((_, index) => kinds[index] === 'file')
  return { ...touchedBy(await realPathsOf(context, readByAgent(found), { cwd })), changed }
}

interface Command {
  readonly found: ShellFiles
  readonly from: From
  /** False for a sub-agent whose writes nothing gates. */
  readonly isOwn: boolean
  /** Whether a plan may say when files change. */
  readonly isGated: boolean
}

async function filesOfCommand(
  context: Context,
  text: string,
  { found, from, isOwn, isGated }: Command,
): Promise<Touched> {
  const read = await realPathsOf(context, found.reads.paths, from)
  const command = keptText(text, LONGEST_COMMAND)
  // Commands that unblock the agent must never be refused.
  const isWritten = isOwn && isWriting(found) && !beginsWithOurs(text)
  const writes = isWritten ? await writesOf(context, found.writes, { command, isGated }) : {}
  const looked = isOwn ? (await placesOf(context, found.reads.paths)).map(({ folder }) => folder) : []
  const { unsure, given } = await doubtOf(context, { found, from, text, isLimited: read.isLimited })
  return {
    reads: read.paths,
    looked,
    ...writes,
    ...(unsure !== undefined && { unsure: { ...unsure, command } }),
    ...(read.shared.length + given.length > 0 && { shared: { read: read.shared, given } }),
  }
}

const isWriting = ({ writes }: ShellFiles): boolean => writes.isUnresolved || writes.paths.length > 0

const MOST_KEPT = 500
const LONGEST_KEPT = 1000
const kept = new Map<string, ShellFiles>()
/** Several looks ask of the same command, one after the other. */
let last: (From & { readonly command: string; readonly found: ShellFiles }) | undefined

/** Agents repeat short commands, and each comes before and after its call. */
export function filesOf(command: string, { cwd, home, ours }: From): ShellFiles {
  if (command.length > LONGEST_KEPT) return shellFiles(command, cwd, home, ours)
  if (last?.command === command && last.cwd === cwd && last.home === home && last.ours === ours)
    return last.found
  const key = `${ours}\0${home}\0${cwd}\0${command}`
  if (kept.size >= MOST_KEPT) kept.clear()
  const found = kept.get(key) ?? shellFiles(command, cwd, home, ours)
  kept.set(key, found)
  last = { command, cwd, home, ours, found }
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
  const isUnsure = isUnresolved || paths.length > MOST_PLACES || matched.some(({ isAll }) => !isAll)
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
const MOST_NAMES = 2000

interface Doubtful {
  readonly found: ShellFiles
  readonly from: From
  readonly text: string
  readonly isLimited: boolean
}

/** What a command may read without saying so, with the files that it names. */
async function doubtOf(context: Context, { found, from, text, isLimited }: Doubtful) {
  const { reads, asked, taken } = found
  const isTooMuch = found.isLimited || isLimited || (await isLost(context, found))
  const inText = isTooMuch || reads.isUnresolved ? filesNamedIn(text, from, MOST_NAMES) : []
  const given = isTooMuch ? [...inText, ...asked] : asked
  const named = await realPathsOf(context, given, { cwd: from.cwd, mustExist: true })
  const mentioned = [...(await realPathsOf(context, isTooMuch ? [] : inText, from)).paths, ...taken]
  const why = whyOf({ isTooMuch: isTooMuch || named.isLimited, found, named, mentioned })
  return { given: named.shared, unsure: why && { why, named: named.paths, mentioned } }
}

const MOST_ENTERED = 10

/** Whether it may run elsewhere than it seems, because a folder that it enters is not there. */
async function isLost({ files: disk }: Context, { entered, writes }: ShellFiles): Promise<boolean> {
  const old = entered.filter((path) => !writes.paths.includes(path))
  const kinds = await Promise.all(
    old.slice(0, MOST_ENTERED).map((path) => disk.kind(path).catch(() => 'missing')),
  )
  return old.length > MOST_ENTERED || kinds.some((kind) => kind !== 'folder')
}

function whyOf({
  isTooMuch,
  found: { reads },
  named,
  mentioned,
}: {
  readonly isTooMuch: boolean
  readonly found: ShellFiles
  readonly named: RealPaths
  readonly mentioned: readonly string[]
}): UnsureRead['why'] | undefined {
  if (isTooMuch) return 'limit'
  if (reads.isUnresolved) return 'variable'
  if (named.paths.length > 0 || named.shared.length > 0) return 'program'
  return mentioned.length > 0 ? 'copy' : undefined
}
