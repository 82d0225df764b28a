import { type InstalledPlugin, personalFolders, type UserFolders } from '../model/client-files.ts'
import type { Clients } from '../model/client.ts'
import type { SkillScope } from '../model/skill.ts'

/** A folder in which clients keep skills and commands, each in a folder of that name below it. */
export interface Place {
  readonly root: string
  readonly scope: SkillScope
  readonly plugin?: string
}

/** Folders of programs in a project; skills in them count although we may have no hooks in the program. */
const OTHER_FOLDERS = ['.agents', '.codex', '.gemini', '.qwen', '.opencode', '.cursor', '.github']

/** The folders of a project in which skills lie; those of our clients win where a name stands twice. */
const projectFolders = (clients: Clients): readonly string[] => [
  ...new Set([...[...clients.values()].map(({ folders }) => folders.project), ...OTHER_FOLDERS]),
]

/** The folder of commands or agents that a path is, or lies in, where clients look for them. */
export function clientFolderAt(path: string, clients: Clients): 'commands' | 'agents' | undefined {
  const folders = projectFolders(clients)
  const names = path.split('/')
  const name = names.findLast((one, at) => isKept(one) && folders.includes(names[at - 1] ?? ''))
  return isKept(name) ? name : undefined
}

const isKept = (name: string | undefined): name is 'commands' | 'agents' =>
  name === 'commands' || name === 'agents'

interface Wanted {
  readonly user: UserFolders
  readonly clients: Clients
  /** The project's folder and those above it up to the root of its repository. */
  readonly folders: readonly string[]
  readonly plugins: readonly InstalledPlugin[]
}

/** In the order in which clients decide between equal names: the user's own before the project's. */
export function placesOf({ user, clients, folders, plugins }: Wanted): readonly Place[] {
  const personal = personalFolders(user, clients).map((root) => ({ root, scope: 'personal' as const }))
  const project = folders.flatMap((folder) =>
    projectFolders(clients).map((name) => ({ root: `${folder}/${name}`, scope: 'project' as const })),
  )
  const plugged = plugins.map(({ name, folder }) => ({
    root: folder,
    scope: 'plugin' as const,
    plugin: name,
  }))
  return [...personal, ...project, ...plugged]
}
