import type { Client } from '../model/client.ts'
import {
  CORE_TYPES,
  type Directive,
  foldersUp,
  importsIn,
  parentOf,
  type TouchedDirective,
} from '../model/directive.ts'
import { absolutePath } from '../model/path.ts'
import type { HookEvent, Touch } from '../model/event.ts'
import { projectOf } from '../model/project.ts'
import { listProjects } from '../store/project.ts'
import type { Store } from '../store/store.ts'
import type { Context } from './context.ts'
import { directivesIn, fileAt, textOf } from './directive-files.ts'

type DirectiveText = Pick<TouchedDirective, 'text'> & Directive

/** Directives change seldom, and tool calls come often. */
const KEPT_MILLISECONDS = 10_000
const MOST_KEPT = 5000
/** The folders of one call that are looked at. */
const MOST_FOLDERS = 8

interface Kept {
  readonly at: number
  readonly found: Promise<readonly DirectiveText[]>
}

const kept = new WeakMap<Store, Map<string, Kept>>()

/** Asks the disk only where nobody has asked lately. */
function lately(
  { store, clock }: Context,
  key: string,
  look: () => Promise<readonly DirectiveText[]>,
): Kept['found'] {
  const known = kept.get(store) ?? new Map<string, Kept>()
  kept.set(store, known)
  const now = clock.now()
  const before = known.get(key)
  if (before !== undefined && Math.abs(now - before.at) < KEPT_MILLISECONDS) return before.found
  if (known.size >= MOST_KEPT) known.clear()
  const found = look()
  known.set(key, { at: now, found })
  // What went wrong once may go well the next time.
  found.catch(() => known.delete(key))
  return found
}

/** The directives in force where a tool call of the main thread works, nearest first, without those that the client loads. */
export async function directivesTouched(
  context: Context,
  client: Client,
  { event, reads }: { readonly event: HookEvent; readonly reads: readonly string[] },
): Promise<readonly TouchedDirective[]> {
  const isCall = event.kind === 'tool.before' || event.kind === 'tool.after'
  if (!isCall || event.subagent !== undefined || event.session === undefined) return []
  const { does } = event.tool
  const touches = does.kind === 'files' ? does.touches : reads.map((path) => ({ path, how: 'read' as const }))
  if (touches.length === 0) return []
  const found = new Map<string, TouchedDirective>()
  const byFolder = new Map(touches.map((touch) => [folderOf(touch), touch]))
  for (const [folder, { how }] of [...byFolder].slice(0, MOST_FOLDERS))
    for (const directive of await directivesAt(context, client, folder))
      if (how === 'write' || !found.has(directive.path))
        found.set(directive.path, { ...directive, isWritten: how === 'write' })
  return [...found.values()]
}

const folderOf = ({ path, how }: Touch): string => (how === 'list' ? path : parentOf(path))

const directivesAt = (context: Context, client: Client, folder: string) =>
  lately(context, JSON.stringify([client.name, folder]), async () => {
    const real = await context.files.canonical(folder).catch(() => undefined)
    if (real === undefined) return []
    const projects = await context.store.transact((tx) => listProjects(tx, {}), { reads: true })
    const root = projectOf(projects, real)?.path
    if (root === undefined) return []
    const levels = await Promise.all(
      foldersUp(root, real).map((above) => directivesOfLevel(context, client, { root, folder: above })),
    )
    return [...new Map(levels.flat().map((one) => [one.path, one])).values()]
  })

const directivesOfLevel = (context: Context, client: Client, level: { root: string; folder: string }) =>
  lately(context, JSON.stringify([client.name, level.root, level.folder]), async () => {
    const own = await loadedByClient(context, client, level)
    const found = await directivesIn(context, { ...level, types: CORE_TYPES })
    return await Promise.all(
      found
        .filter(({ path }) => !own.has(path))
        .map(async (directive) => ({
          ...directive,
          text: await textOf(context, { root: level.root, path: directive.path }),
        })),
    )
  })

/** What the client gives to its agent by itself, here or as an import of it. */
async function loadedByClient(
  context: Context,
  { instructions }: Client,
  { root, folder }: { root: string; folder: string },
): Promise<ReadonlySet<string>> {
  const real = async (names: readonly string[]) =>
    (
      await Promise.all(
        names.map((name) => fileAt(context, { root, path: absolutePath(name, folder) ?? '' })),
      )
    ).flatMap((path) => path ?? [])
  const own = await real(instructions.names)
  if (own.length === 0) return new Set(folder === root ? await real(instructions.otherwise) : [])
  const texts = await Promise.all(own.map((path) => textOf(context, { root, path })))
  return new Set([...own, ...(await real(texts.flatMap((text) => importsIn(text ?? ''))))])
}
