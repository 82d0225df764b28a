import type { SkillScope } from '../model/skill.ts'
import { fieldsOf } from './text/values.ts'

/** A folder in which clients keep skills and commands, each in a folder of that name below it. */
export interface Place {
  readonly root: string
  readonly scope: SkillScope
  readonly plugin?: string
}

/** Where the clients look inside a project; Claude Code's own wins where a name stands twice. */
const PROJECT_FOLDERS = [
  '.claude',
  '.agents',
  '.codex',
  '.gemini',
  '.qwen',
  '.opencode',
  '.cursor',
  '.github',
]

/** The folder of commands or agents that a path is, or lies in, where clients look for them. */
export function clientFolderAt(path: string): 'commands' | 'agents' | undefined {
  const names = path.split('/')
  const name = names.findLast((one, at) => isKept(one) && PROJECT_FOLDERS.includes(names[at - 1] ?? ''))
  return isKept(name) ? name : undefined
}

const isKept = (name: string | undefined): name is 'commands' | 'agents' =>
  name === 'commands' || name === 'agents'

interface Wanted {
  readonly user: { readonly home: string; readonly claude: string }
  /** The project's folder and those above it up to the root of its repository. */
  readonly folders: readonly string[]
  readonly plugins: readonly Plugin[]
}

/** In the order in which Claude Code decides between equal names: the user's own before the project's. */
export function placesOf({ user, folders, plugins }: Wanted): readonly Place[] {
  const personal = [user.claude, `${user.home}/.agents`].map((root) => ({ root, scope: 'personal' as const }))
  const project = folders.flatMap((folder) =>
    PROJECT_FOLDERS.map((name) => ({ root: `${folder}/${name}`, scope: 'project' as const })),
  )
  const plugged = plugins.map(({ name, folder }) => ({
    root: folder,
    scope: 'plugin' as const,
    plugin: name,
  }))
  return [...personal, ...project, ...plugged]
}

export interface Plugin {
  readonly name: string
  /** Its name with the marketplace that it comes from. */
  readonly key: string
  readonly folder: string
}

/**
 * The plugins that Claude Code has installed for this project, from its own list, of which only the places are read:
 * `name@marketplace` with one or several `{installPath, projectPath?}`. One that a settings file turns off is left out.
 */
export function pluginsIn(
  installed: unknown,
  settings: readonly unknown[],
  project: string,
): readonly Plugin[] {
  return Object.entries(fieldsOf(fieldsOf(installed)['plugins'])).flatMap(([key, value]) => {
    const switches = settings.map((one) => fieldsOf(fieldsOf(one)['enabledPlugins'])[key])
    // The last file that says something decides.
    if (switches.findLast((one) => one !== undefined) === false) return []
    const name = key.split('@')[0] ?? key
    const places = (Array.isArray(value) ? value : [value]).map(fieldsOf)
    return places
      .filter(({ projectPath }) => projectPath === undefined || projectPath === project)
      .flatMap(({ installPath }) =>
        typeof installPath === 'string' && installPath.startsWith('/')
          ? [{ name, key, folder: installPath }]
          : [],
      )
      .slice(0, 1)
  })
}
