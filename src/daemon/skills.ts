import { clients } from '../clients/index.ts'
import { call } from '../engine/call/call.ts'
import type { Context } from '../engine/call/context.ts'
import { NodeSkillFolders } from '../files/skill-folders.ts'
import { findProjectByPath, projectsInUse } from '../store/project.ts'
import type { Store } from '../store/store.ts'
import type { Home } from './home.ts'
import { errorDetails, type Log } from './log.ts'
import { VERSION } from './version.ts'

/** Opens the skill folders and rereads skills whose files change. */
export function openSkillFolders(parts: { home: Home; log: Log; store: Store; context: () => Context }) {
  const { home, log, store, context } = parts
  const caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }
  const read = async (path: string) => {
    const project = await store.transact((tx) => findProjectByPath(tx, { path }), { reads: true })
    if (project !== undefined) await call(context(), 'agent.skills.list', { project_id: project.id }, caller)
  }
  let isOpen = true
  const folders = new NodeSkillFolders({
    user: home.user,
    clients,
    version: VERSION,
    changed(path) {
      read(path).catch((error: unknown) => {
        if (isOpen) log.write('warn', 'skills not read', { project: path, ...errorDetails(error) })
      })
    },
  })
  return {
    folders,
    /** Watches the projects that are in use. */
    async resume() {
      for (const { path } of await store.transact((tx) => projectsInUse(tx, {}), { reads: true }))
        folders.want(path)
    },
    close() {
      isOpen = false
      folders.close()
    },
  }
}
