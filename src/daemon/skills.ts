import { setTimeout as sleep } from 'node:timers/promises'
import { clients } from '../clients/index.ts'
import { call } from '../engine/call/call.ts'
import type { Context } from '../engine/call/context.ts'
import { NodeSkillFolders } from '../files/skill-folders.ts'
import { SkillParser } from '../files/skill-parser.ts'
import type { Store } from '../store/store.ts'
import { listRoots, workplacesInUse } from '../store/workplace.ts'
import type { Home } from './home.ts'
import { errorDetails, type Log } from './log.ts'
import { trustedIn } from './trusted.ts'
import { VERSION } from './version.ts'

const AGAIN_MILLISECONDS = 1000

/** Opens the skill folders and rereads skills whose files change. */
export function openSkillFolders(parts: { home: Home; log: Log; store: Store; context: () => Context }) {
  const { home, log, store, context } = parts
  const caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }
  const read = async (path: string) => {
    const roots = await store.transact((tx) => listRoots(tx, context().machine), { reads: true })
    const found = roots.find((root) => root.path === path)
    if (found !== undefined)
      await call(context(), 'agent.skills.list', { project_id: found.of.id, path }, caller)
  }
  let isOpen = true
  const parser = new SkillParser()
  const folders = new NodeSkillFolders({
    user: home.user,
    clients,
    overlays: home.overlays,
    version: VERSION,
    parser,
    trusted: trustedIn(store),
    changed(path) {
      read(path).catch((error: unknown) => {
        if (isOpen) log.write('warn', 'skills not read', { project: path, ...errorDetails(error) })
      })
    },
  })
  const inUse = () => store.transact((tx) => workplacesInUse(tx, context().machine), { reads: true })
  /** A daemon may begin while its server is away. */
  const whenThere = async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      if (!isOpen || store.database.server?.breaker.openSince === undefined) return await work()
      await sleep(AGAIN_MILLISECONDS, undefined, { ref: false })
    }
  }
  return {
    folders,
    /** Watches the workplaces that are in use. */
    async resume() {
      for (const { path } of await whenThere(inUse)) folders.want(path)
    },
    close() {
      isOpen = false
      folders.close()
      parser.close()
    },
  }
}
