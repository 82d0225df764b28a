import { type InstalledPlugin, personalFolders, type UserFolders } from '../model/client-files.ts'
import type { Clients } from '../model/client.ts'
import type { SkillScope } from '../model/skill.ts'

/** A folder whose `skills` and `commands` folders clients read. */
export interface SkillPlace {
  readonly root: string
  readonly scope: SkillScope
  readonly plugin?: string
}

/** Folders of other programs; their skills count even if we have no hooks there. */
const OTHER_FOLDERS = ['.agents', '.codex', '.gemini', '.qwen', '.opencode', '.cursor', '.github']

/** The files of a project that hold instructions for these programs. */
export const INSTRUCTIONS = /^(?:CLAUDE|AGENTS?|GEMINI|QWEN)(?:\.local)?\.md$/i

/** The skill folders of a project; those of our clients come first and win over duplicates. */
const projectFolders = (clients: Clients): readonly string[] => [
  ...new Set([...[...clients.values()].map(({ folders }) => folders.project), ...OTHER_FOLDERS]),
]

/** The kind of client folder, commands or agents, that contains a path. */
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
  /** The project folder and its parents up to the repository root. */
  readonly folders: readonly string[]
  readonly plugins: readonly InstalledPlugin[]
}

/** All places in client precedence: the user's skills come before the project's. */
export function placesOf({ user, clients, folders, plugins }: Wanted): readonly SkillPlace[] {
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
