import type { Client } from '../../model/client.ts'
import {
  CORE_TYPES,
  type Directive,
  foldersUp,
  importsIn,
  parentOf,
  type TouchedDirective,
  typesInForce,
} from '../../model/directive.ts'
import { absolutePath } from '../../model/text/path.ts'
import type { HookEvent, Touch } from '../../model/event.ts'
import { projectOf } from '../../model/project.ts'
import type { Session } from '../../model/session.ts'
import { listProjects } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { declaredIn, directivesDeclared, directivesInCharge } from '../../store/skill.ts'
import type { Store } from '../../store/store.ts'
import type { Context } from '../call/context.ts'
import { directivesIn, fileAt, textOf } from '../skill/directive-files.ts'
import type { Worked } from './reads.ts'

type DirectiveText = Pick<TouchedDirective, 'text'> & Directive

/** Directives change seldom, and tool calls come often. */
const KEPT_MILLISECONDS = 10_000
const MOST_KEPT = 5000
/** The folders of one call that are looked at. */
const MOST_FOLDERS = 8
/** The types that are looked for in one project. */
const MOST_TYPES = 50

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

/**
 * The directives in force where a tool call of the main thread works, nearest first, without those that the client
 * loads; of the types that any skill of the project declares, because only the store knows which is in charge.
 */
export async function directivesTouched(
  context: Context,
  client: Client,
  { event, ...files }: { readonly event: HookEvent; readonly reads: readonly string[] } & Worked,
): Promise<readonly TouchedDirective[]> {
  const isCall = event.kind === 'tool.before' || event.kind === 'tool.after'
  if (!isCall || event.subagent !== undefined || event.session === undefined) return []
  const { does } = event.tool
  const touches = does.kind === 'files' ? does.touches.map(touchOf) : touchedBy(files, event.cwd)
  if (touches.length === 0) return []
  const written = new Set(touches.flatMap(({ folder, isWritten }) => (isWritten ? [folder] : [])))
  const found = new Map<string, TouchedDirective>()
  const folders = [...new Set([...written, ...touches.map(({ folder }) => folder)])]
  for (const folder of folders.slice(0, MOST_FOLDERS))
    for (const directive of await directivesAt(context, client, folder))
      if (!found.has(directive.path))
        found.set(directive.path, { ...directive, isWritten: written.has(folder) })
  return [...found.values()]
}

interface FolderTouch {
  readonly folder: string
  readonly isWritten: boolean
}

const touchOf = ({ path, how }: Touch): FolderTouch => ({
  folder: how === 'list' ? path : parentOf(path),
  isWritten: how === 'write',
})

/** A command that writes nobody knows what works where it runs. */
const touchedBy = (
  { reads, looked = [], writes = [], unsureWrite }: { readonly reads: readonly string[] } & Worked,
  cwd: string | undefined,
): readonly FolderTouch[] => [
  ...writes.map(({ folder }) => ({ folder, isWritten: true })),
  ...[...looked, ...reads.map(parentOf)].map((folder) => ({ folder, isWritten: false })),
  ...(unsureWrite === undefined || cwd === undefined ? [] : [{ folder: cwd, isWritten: false }]),
]

/** Without those of types that only other skills declare than the one in charge. */
export async function directivesWanted(
  tx: Tx,
  directives: readonly TouchedDirective[],
  { native_id, task_id, effort_id }: Session,
): Promise<readonly TouchedDirective[]> {
  if (directives.every(({ type }) => CORE_TYPES.includes(type))) return directives
  const rows = await directivesInCharge(tx, { native_id: native_id ?? '', task_id, effort_id })
  const wanted = new Set(typesInForce(declaredIn(rows)))
  return directives.filter(({ type }) => wanted.has(type))
}

const directivesAt = (context: Context, client: Client, folder: string) =>
  lately(context, JSON.stringify([client.name, folder]), async () => {
    const real = await context.files.canonical(folder).catch(() => undefined)
    if (real === undefined) return []
    const { root, types } = await placeOf(context, real)
    if (root === undefined) return []
    const levels = await Promise.all(
      foldersUp(root, real).map((above) =>
        directivesOfLevel(context, client, { root, folder: above, types }),
      ),
    )
    return [...new Map(levels.flat().map((one) => [one.path, one])).values()]
  })

/** The root of the project that a folder belongs to, and what is looked for in there. */
const placeOf = (context: Context, folder: string) =>
  context.store.transact(
    async (tx) => {
      const project = projectOf(await listProjects(tx, {}), folder)
      const rows = project === undefined ? [] : await directivesDeclared(tx, { project_id: project.id })
      return { root: project?.path, types: typesInForce(declaredIn(rows)).slice(0, MOST_TYPES) }
    },
    { reads: true },
  )

interface DirectiveLevel {
  readonly root: string
  readonly folder: string
  readonly types: readonly string[]
}

const directivesOfLevel = (context: Context, client: Client, level: DirectiveLevel) =>
  lately(context, JSON.stringify([client.name, level]), async () => {
    const own = await loadedByClient(context, client, level)
    const found = await directivesIn(context, level)
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
