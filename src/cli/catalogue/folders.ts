import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { clients } from '../../clients/index.ts'
import { type Home, preparePrivateFolders } from '../../daemon/home.ts'
import { writeWhole } from '../../daemon/write-whole.ts'
import { makeFoldersSync } from '../../files/place.ts'
import { agentsFolder, ownFolder, skillsFolder } from '../../model/client-files.ts'
import type { Scope } from '../../model/client-settings.ts'
import type { Client } from '../../model/client.ts'
import { EngineError } from '../../model/error.ts'
import { isInside } from '../../model/project.ts'
import { keptIn } from './kept.ts'

/** Where skills are installed: the folders of a client for a user or a project. */
export interface Target {
  readonly home: Home
  readonly client: Client
  readonly scope: Scope
  /** The folder of the project; for the scope `user`, only where the user is. */
  readonly project: string
  readonly skills: string
  readonly agents: string
}

type Asked = Pick<Target, 'home' | 'client' | 'scope' | 'project'>

export function targetOf(asked: Asked): Target {
  const { home, client, scope, project } = asked
  const root = scope === 'user' ? ownFolder(home.user, client) : join(project, client.folders.project)
  const [skills, agents] = [skillsFolder(client), agentsFolder(client)].map((path) =>
    join(root, basename(path)),
  )
  return { ...asked, skills: skills ?? '', agents: agents ?? '' }
}

/** Refuses folders that a link in a project leads out of it: what is there would be the user’s own. */
export function checkInside(target: Target): void {
  const [out] = leadingOut(target)
  if (out === undefined) return
  const [folder, real] = out
  throw new EngineError('forbidden', `${folder} leads out of the project, to ${real}; nothing changed.`, {
    hint: 'holdfast skill install NAME --scope user',
  })
}

/** The folders of a project that are not in it, each with where they are. */
export function leadingOut({ scope, project, skills, agents }: Target) {
  if (scope === 'user' || !existsSync(project)) return []
  return [skills, agents].flatMap((folder) => {
    const real = existsSync(folder) ? realpathSync(folder) : realpathSync(nearestFolder(folder))
    return isInside(realpathSync(project), real) ? [] : [[folder, real] as const]
  })
}

const nearestFolder = (path: string): string => {
  const above = join(path, '..')
  return existsSync(above) ? above : nearestFolder(above)
}

/** The names of the skills that we installed into a folder. */
export const installedIn = ({ skills }: Pick<Target, 'skills'>): readonly string[] =>
  statSync(skills, { throwIfNoEntry: false })?.isDirectory() === true
    ? readdirSync(skills)
        .toSorted()
        .filter((name) => keptIn(join(skills, name)) !== undefined)
    : []

const RECORDS = 'skills'

const recordOf = ({ home, skills }: Target): string =>
  join(home.folder, RECORDS, `${hash('sha256', skills).slice(0, 16)}.json`)

/** Remembers where skills are installed, before they are, so that all of them can be found again. */
export function noteTarget(target: Target): void {
  const { home, client, scope, project } = target
  preparePrivateFolders(home)
  makeFoldersSync(join(home.folder, RECORDS), 0o700)
  const told = { client: client.name, scope: scope === 'user' ? 'user' : 'project', project }
  writeWhole(recordOf(target), `${JSON.stringify(told, null, 2)}\n`)
}

/** Forgets a folder in which nothing of ours is left. */
export function forgetTarget(target: Target): void {
  if (installedIn(target).length === 0) rmSync(recordOf(target), { force: true })
}

/** Every folder that this home has installed skills into; those that are gone have none. */
export function knownTargets(home: Home): readonly Target[] {
  const folder = join(home.folder, RECORDS)
  if (!existsSync(folder)) return []
  // A killed command may have left half a note beside them.
  const notes = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return notes.flatMap((name) => {
    const {
      client: of,
      scope,
      project,
    } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
      readonly client: string
      readonly scope: Scope
      readonly project: string
    }
    const client = clients.get(of)
    return client === undefined ? [] : [targetOf({ home, client, scope, project })]
  })
}
