import type { Client } from '../../../model/client.ts'
import {
  type Directive,
  foldersUp,
  importsIn,
  parentOf,
  type TouchedDirective,
  typesInForce,
} from '../../../model/directive.ts'
import { absolutePath } from '../../../model/text/path.ts'
import type { HookEvent, Touch } from '../../../model/event.ts'
import { innermost } from '../../../model/project.ts'
import type { Tx } from '../../../store/query.ts'
import { declaredIn, directivesDeclared } from '../../../store/skill.ts'
import type { Store } from '../../../store/store.ts'
import { listRoots } from '../../../store/workplace.ts'
import type { Context, Machine } from '../../call/context.ts'
import { directivesIn, fileAt, textOf } from '../../skill/directive-files.ts'
import type { Look, Looked, WorkedFolder } from './look.ts'

type DirectiveText = Pick<TouchedDirective, 'text'> & Directive

/** A short cache, because directives change rarely and tool calls are frequent. */
const KEPT_MILLISECONDS = 10_000
const MOST_KEPT = 5000
/** The limit of folders per call. */
const MOST_FOLDERS = 8
/** The limit of directive types per project. */
const MOST_TYPES = 50

interface Kept {
  readonly at: number
  readonly found: Promise<readonly DirectiveText[]>
}

const kept = new WeakMap<Store, Map<string, Kept>>()

/** The cached result, if any. */
function keptAt({ store, clock }: Context, key: string): Kept['found'] | undefined {
  const known = kept.get(store)?.get(key)
  return known !== undefined && Math.abs(clock.now() - known.at) < KEPT_MILLISECONDS ? known.found : undefined
}

function keep({ store, clock }: Context, key: string, found: Kept['found']): Kept['found'] {
  const known = kept.get(store) ?? new Map<string, Kept>()
  kept.set(store, known)
  if (known.size >= MOST_KEPT) known.clear()
  known.set(key, { at: clock.now(), found })
  // A failure is not cached.
  found.catch(() => known.delete(key))
  return found
}

/**
 * The directives that apply to a tool call of the main thread, nearest first, without those that the client loads.
 * Includes the types of every skill in the project, because only the store knows which skill is active.
 */
export const directives: Look = {
  isOfSession: true,
  find({ context, client, event, found }) {
    const worked = workedIn(event, found)
    return worked.length === 0 ? undefined : lately(context, client, worked)
  },
  ask({ context, client, found: { worked = [] } }) {
    const unknown = worked.filter(({ folder }) => keptAt(context, keyOf(client, folder)) === undefined)
    if (unknown.length === 0) return undefined
    return async (tx) => {
      const places = await placesOf(tx, unknown, context.machine)
      return async () => {
        for (const { folder, ...place } of places)
          void keep(context, keyOf(client, folder), directivesAt(context, client, place))
        return await lately(context, client, worked)
      }
    }
  },
}

const keyOf = ({ name }: Client, folder: string): string => JSON.stringify([name, folder])

/** The folders of an event, and their directives once every folder was read. */
async function lately(
  context: Context,
  client: Client,
  worked: readonly WorkedFolder[],
): Promise<Pick<Looked, 'worked' | 'directives'>> {
  const found = new Map<string, TouchedDirective>()
  for (const { folder, isWritten } of worked) {
    const known = keptAt(context, keyOf(client, folder))
    if (known === undefined) return { worked: await canonical(context, worked), directives: [] }
    for (const one of await known) if (!found.has(one.path)) found.set(one.path, { ...one, isWritten })
  }
  return { worked, directives: [...found.values()] }
}

const canonical = ({ files }: Context, worked: readonly WorkedFolder[]) =>
  Promise.all(
    worked.map(async (one) => ({ ...one, real: await files.canonical(one.folder).catch(() => undefined) })),
  )

/** Written folders come first, because the number of folders is limited. */
function workedIn(event: HookEvent, found: Looked): readonly WorkedFolder[] {
  if (event.kind !== 'tool.before' && event.kind !== 'tool.after') return []
  const { does } = event.tool
  const touches = does.kind === 'files' ? does.touches.map(touchOf) : touchedBy(found, event.cwd)
  const written = new Set(touches.flatMap(({ folder, isWritten }) => (isWritten ? [folder] : [])))
  const folders = [...new Set([...written, ...touches.map(({ folder }) => folder)])]
  return folders.slice(0, MOST_FOLDERS).map((folder) => ({ folder, isWritten: written.has(folder) }))
}

interface FolderTouch {
  readonly folder: string
  readonly isWritten: boolean
}

const touchOf = ({ path, how }: Touch): FolderTouch => ({
  folder: how === 'list' ? path : parentOf(path),
  isWritten: how === 'write',
})

/** A command with unknown writes counts for the folder it runs in. */
const touchedBy = (
  { reads, looked = [], writes = [], unsureWrite }: Looked,
  cwd: string | undefined,
): readonly FolderTouch[] => [
  ...writes.map(({ folder }) => ({ folder, isWritten: true })),
  ...[...looked, ...reads.map(parentOf)].map((folder) => ({ folder, isWritten: false })),
  ...(unsureWrite === undefined || cwd === undefined ? [] : [{ folder: cwd, isWritten: false }]),
]

/** The workplace of each folder, and the directive types to find. */
async function placesOf(tx: Tx, folders: readonly WorkedFolder[], machine: Machine) {
  const roots = await listRoots(tx, machine)
  const places: { folder: string; real: string | undefined; root: string | undefined; types: Types }[] = []
  for (const { folder, real } of folders) {
    const found = real === undefined ? undefined : innermost(roots, real)
    const workplace_id = found?.workplace?.id
    const rows = workplace_id === undefined ? [] : await directivesDeclared(tx, { workplace_id })
    const types = typesInForce(declaredIn(rows)).slice(0, MOST_TYPES)
    places.push({ folder, real, root: found?.path, types })
  }
  return places
}

type Types = readonly string[]

async function directivesAt(
  context: Context,
  client: Client,
  { real, root, types }: { real: string | undefined; root: string | undefined; types: Types },
): Promise<readonly DirectiveText[]> {
  if (real === undefined || root === undefined) return []
  const levels = await Promise.all(
    foldersUp(root, real).map((folder) => directivesOfLevel(context, client, { root, folder, types })),
  )
  return [...new Map(levels.flat().map((one) => [one.path, one])).values()]
}

interface DirectiveLevel {
  readonly root: string
  readonly folder: string
  readonly types: readonly string[]
}

/** The directives of one folder that the client does not load itself. */
export function directivesOfLevel(context: Context, client: Client, level: DirectiveLevel): Kept['found'] {
  const key = JSON.stringify([client.name, level])
  return keptAt(context, key) ?? keep(context, key, readLevel(context, client, level))
}

async function readLevel(context: Context, client: Client, level: DirectiveLevel) {
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
}

/** Whether the client loads the file itself, directly or by an import. */
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
