import type { IndexedProject, IndexProgress, TextIndex } from '../engine/call/context.ts'
import type { TextSource } from '../files/text-sources.ts'
import { chunksOfSpoken } from '../model/search/spoken.ts'
import { kindOfFile } from '../model/search/source.ts'
import {
  deleteSources,
  findChunks,
  replaceSource,
  sourcesOf,
  spokenIn,
  spokenSessions,
} from '../store/search.ts'
import type { Store } from '../store/store.ts'
import { IndexThread } from './index-thread.ts'

const KINDS_OF_FILES = ['doc', 'directive', 'skill', 'session'] as const

/** The index of this daemon: read in a thread or by the server, and written in short transactions. */
export function openTextIndex(store: Store, onFault: (project: IndexedProject, error: unknown) => void) {
  const { database } = store
  const thread = new IndexThread(database.kind === 'sqlite' ? database.location : undefined)
  const running = new Map<number, { progress: IndexProgress; ended: Promise<void> }>()
  const stopped = new AbortController()

  const saidIn = async (native_id: string) =>
    database.kind === 'sqlite'
      ? await thread.ask({ kind: 'said', native_id })
      : chunksOfSpoken(await store.transact((tx) => spokenIn(tx, { native_id }), { reads: true }))

  const index: TextIndex = {
    find: async (wanted) =>
      database.kind === 'sqlite'
        ? await thread.ask({ kind: 'find', wanted })
        : await store.transact((tx) => findChunks(tx, wanted), { reads: true }),
    progress: (project) => running.get(project)?.progress,
    refresh(project) {
      const known = running.get(project.id)
      if (known !== undefined) return known.ended
      const progress: IndexProgress = { done: 0, total: 0, changed: 0, started: performance.now() }
      const ended = bringUpToDate(project, progress)
        .catch((error: unknown) => {
          if (!stopped.signal.aborted) onFault(project, error)
        })
        .finally(() => void running.delete(project.id))
      running.set(project.id, { progress, ended })
      return ended
    },
  }

  async function bringUpToDate(project: IndexedProject, progress: IndexProgress): Promise<void> {
    const project_id = project.id
    const known = await store.transact(
      async (tx) => {
        const all = []
        for (const source_type of [...KINDS_OF_FILES, 'message'])
          for (const row of await sourcesOf(tx, { project_id, source_type }))
            all.push({ ...row, source_type })
        return all
      },
      { reads: true },
    )
    const digests = new Map(known.map((one) => [`${one.source_type} ${one.source_path}`, one.digest]))
    const files = await thread.ask({ kind: 'files', root: project.root })
    const sessions = await store.transact((tx) => spokenSessions(tx, { project_id }), { reads: true })
    progress.total = files.length + sessions.length
    const gone = new Set(digests.keys())
    for (const path of files) {
      stopped.signal.throwIfAborted()
      const key = `${kindOfFile(path)} ${path}`
      const read = await thread.ask({ kind: 'file', root: project.root, path, known: digests.get(key) })
      if (read.isSame === true || read.source !== undefined) gone.delete(key)
      if (read.isSame !== true && read.source !== undefined) await write(read.source)
      progress.done++
    }
    for (const { native_id, newest, count, at } of sessions) {
      stopped.signal.throwIfAborted()
      const key = `message ${native_id}`
      const digest = `${newest}:${count}`
      gone.delete(key)
      if (digests.get(key) !== digest)
        await write({
          source_type: 'message',
          source_path: native_id,
          digest,
          at,
          chunks: await saidIn(native_id),
        })
      progress.done++
    }
    for (const { source_type, source_path } of known)
      if (gone.has(`${source_type} ${source_path}`))
        await store.transact((tx) =>
          deleteSources(tx, { project_id, source_types: [source_type], source_path }),
        )

    async function write({ chunks, ...source }: TextSource) {
      await store.transact((tx) => replaceSource(tx, { ...source, project_id }, chunks), { repeatable: true })
      progress.changed++
    }
  }

  return {
    index,
    close() {
      stopped.abort()
      thread.close()
    },
  }
}
