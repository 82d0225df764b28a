import { isAdHoc } from '../../model/effort.ts'
import type { Project } from '../../model/project.ts'
import type { Memory, MemoryWish } from '../../model/search/memory.ts'
import { LEAST_WORDS } from '../../model/search/relevance.ts'
import { subjectsOf } from '../../model/search/request.ts'
import { findEffort } from '../../store/effort.ts'
import { fromJson } from '../../store/json.ts'
import { isIndexed, nativesOf, toldMemory } from '../../store/memory.ts'
import type { Tx } from '../../store/query.ts'
import { findLastByNative, toSession } from '../../store/session.ts'
import { levelInForce } from '../../store/setting.ts'
import type { Context } from '../call/context.ts'
import { within } from '../call/within.ts'

/** A call that may be told of the memory of its project. */
interface Asking {
  /** The words of the request. */
  readonly request: string
  readonly project: Pick<Project, 'id' | 'level'>
  /** The checkout of the caller. */
  readonly root: string
  readonly native_id: string | undefined
  /** The folder of the task, whose efforts the agent sees anyway. */
  readonly dir?: string | undefined
}

/** What to look for; undefined if nothing may be told, the request names no subject, or nothing is indexed. */
export async function memoryWish(
  tx: Tx,
  { request, project, root, native_id, dir }: Asking,
  context: Context,
): Promise<MemoryWish | undefined> {
  const words = subjectsOf(request)
  if (words.length < LEAST_WORDS || context.config(root).memory === 'off') return undefined
  const level = await levelInForce(tx, project.level, context.pausedUntil() !== undefined)
  const { id: project_id } = project
  if (level === 'observe' || (await isIndexed(tx, { project_id })) === undefined) return undefined
  const known = native_id === undefined ? [] : await knownBy(tx, native_id, context)
  const inside = [...known, ...(dir === undefined ? [] : [`${dir}/`])].map((path) =>
    path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path,
  )
  return { project_id, words, except: inside }
}

/** Itself, what it has read or was told of, and the other sessions of its effort, which its recap told. */
async function knownBy(tx: Tx, native_id: string, { store }: Context): Promise<readonly string[]> {
  const row = await findLastByNative(tx, { native_id })
  if (row === undefined) return [native_id]
  const { id, effort_id, loaded_files: read } = store.volatile.overlay(toSession(row))
  const effort = await findEffort(tx, { id: effort_id })
  const beside = effort === undefined || isAdHoc(effort) ? [] : await nativesOf(tx, { effort_id })
  const told = (await toldMemory(tx, { window_id: id })).flatMap(
    ({ payload }) => fromJson<{ readonly sources?: readonly string[] }>(payload, {}).sources ?? [],
  )
  return [native_id, ...beside.flatMap((one) => one.native_id ?? []), ...told, ...read]
}

/** The places of a project that are about a request; it never fails, and waits only for a moment. */
export async function remember(context: Context, wish: MemoryWish): Promise<Memory> {
  const { words } = wish
  try {
    const quotes = await within(context.memoryMilliseconds, context.index.remember(wish))
    return quotes === undefined ? { quotes: [], words, missed: 'late' } : { quotes, words }
  } catch (error) {
    return { quotes: [], words, missed: error instanceof Error ? error.message : String(error) }
  }
}
