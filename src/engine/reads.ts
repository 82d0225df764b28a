import type { HookEvent } from '../model/event.ts'
import { keptText } from '../model/kept.ts'
import { filesNamedIn, mentionsIn } from '../model/named-files.ts'
import { type ShellReads, shellReads } from '../model/shell-reads.ts'
import type { Context } from './context.ts'

/** What an event may read besides what it surely does. */
export interface UnsureRead {
  /** A name that only running the command would tell, or a program that opens files by itself. */
  readonly why: 'variable' | 'program'
  readonly command: string
  /** The files that its text names, where they really lie. */
  readonly named: readonly string[]
}

interface Reads {
  readonly reads: readonly string[]
  readonly unsure?: UnsureRead | undefined
}

const NOTHING: Reads = { reads: [] }

/** The files that an event reads, where they really lie. */
export async function readsIn(context: Context, event: HookEvent): Promise<Reads> {
  const from = { cwd: event.cwd, home: context.user.home }
  if (event.kind === 'prompt.submitted')
    return event.by === 'user' ? { reads: await real(context, mentionsIn(event.text, from)) } : NOTHING
  if (event.kind !== 'tool.before' && event.kind !== 'tool.after') return NOTHING
  const { does } = event.tool
  if (does.kind === 'files') {
    const touched = does.touches.filter(({ how }) => how === 'read').map(({ path }) => path)
    return { reads: await real(context, touched) }
  }
  if (does.kind !== 'command') return NOTHING
  const found = shellReads(does.command, from.cwd, from.home)
  const reads = await real(context, found.paths)
  const why = event.kind === 'tool.before' ? doubtOf(found) : undefined
  if (why === undefined) return { reads }
  const named = await real(context, filesNamedIn(does.command, from))
  return { reads, unsure: { why, command: keptText(does.command, LONGEST_COMMAND), named } }
}

const LONGEST_COMMAND = 200

const doubtOf = ({ opens, isUnresolved }: ShellReads): UnsureRead['why'] | undefined =>
  isUnresolved ? 'variable' : opens ? 'program' : undefined

const MOST_READS = 50
/** Only Markdown can be a step; a pattern or a folder may stand for some. */
const MAY_BE_STEP = /\.md\/?$|\/[^/]*[*?[][^/]*$|\/\.?[^/.]+\/?$/i

async function real(context: Context, paths: readonly string[]): Promise<readonly string[]> {
  const wanted = paths.filter((path) => MAY_BE_STEP.test(path)).slice(0, MOST_READS)
  if (wanted.length === 0) return []
  return [...new Set((await Promise.all(wanted.map((path) => realPaths(context, path)))).flat())]
}

/** A skill's folder, its folder of steps and a step may each be a link; of a pattern only the folder can be resolved. */
async function realPaths({ files }: Context, path: string): Promise<readonly string[]> {
  const parts = path.split('/')
  const isPattern = /[*?[]/.test(parts.at(-1) ?? '')
  const resolved = async (up: number) => {
    const folder = parts.slice(0, Math.max(1, parts.length - up)).join('/')
    const found = await files.canonical(folder).catch(() => undefined)
    return found === undefined ? undefined : `${found}${path.slice(folder.length)}`
  }
  const whole = await resolved(isPattern ? 1 : 0)
  // Where nothing is a link, which is nearly everywhere, less of the path leads nowhere else.
  if (whole === path) return [path]
  const above = await Promise.all((isPattern ? [2] : [1, 2]).map(resolved))
  // What cannot be resolved is what it says.
  return [whole, ...above].map((found) => found ?? path)
}
