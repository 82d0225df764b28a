import type { Clients } from '../model/client.ts'
import type { SkillInput } from './skill-md.ts'

/** A skill, command or agent among many paths, before anything is read. */
export interface Candidate extends Omit<SkillInput, 'text' | 'others' | 'modules'> {
  /** The paths of the other texts that belong to it. */
  readonly others: readonly string[]
}

/** What the paths themselves do not say. */
export interface Surroundings {
  /** The name of the folder that the paths are below. */
  readonly root?: string | undefined
  /** Whether that folder is one of commands or of agents, or lies in one. */
  readonly within?: 'commands' | 'agents' | undefined
  /** The names of plugins by the folders that hold their manifest. */
  readonly plugins?: ReadonlyMap<string, string> | undefined
  /** The clients whose files are known by their names; none if missing. */
  readonly clients?: Clients | undefined
}

/** The names of files that skills are made of, among all that there are. */
export const SKILL_FILES = /(\.(md|ya?ml)|(^|\/)(plugin\.json|workflow\.m?[jt]s))$/i

/** The names that a workflow module may have; of several in a folder the first is read. */
export const MODULE_NAMES = ['workflow.ts', 'workflow.mts', 'workflow.js', 'workflow.mjs'] as const

/** `steps/x.md`, `steps-c/x.md` and `domain-steps/x.md` are files of steps, below the folder of their skill. */
export const STEP_PATH = /^((?:\w+-)?steps(?:-\w+)?)\/([^/]+)\.md$/i

const BESIDE = /^(holdfast\.ya?ml|runbook[^/]*\.md|workflow\.m?[jt]s)$/i

/** Which paths are skills, commands and agents, and which files belong to each. Pure over the paths alone. */
export function findCandidates(
  paths: readonly string[],
  surroundings: Surroundings = {},
): readonly Candidate[] {
  const { within, clients } = surroundings
  const instructions = instructionsOf(clients)
  const belonging = Map.groupBy(paths.filter(isPart), ownerOf)
  return paths.flatMap((file): Candidate[] => {
    const kind = kindOf(within === undefined ? file : `${within}/${file}`)
    if (kind === undefined || (kind === 'agent' && instructions.has(nameOf(file).toLowerCase()))) return []
    const folder = folderOf(file)
    const others = kind === 'skill' ? (belonging.get(folder) ?? []) : []
    return [{ kind, id: idOf(kind, file, surroundings), folder, file, others }]
  })
}

/** The name of the workflow module of a skill, if it has one. */
export const moduleOf = ({ folder, others }: Candidate): string | undefined =>
  MODULE_NAMES.find((name) => others.includes(folder === '.' ? name : `${folder}/${name}`))

const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.')
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

const isStepFile = (path: string): boolean =>
  STEP_PATH.test(`${nameOf(folderOf(path))}/${nameOf(path)}`) && !/^SKILL\.md$/i.test(nameOf(path))
const isPart = (path: string): boolean => BESIDE.test(nameOf(path)) || isStepFile(path)
/** Steps belong to the folder above theirs. */
const ownerOf = (path: string): string => (isStepFile(path) ? folderOf(folderOf(path)) : folderOf(path))

/** A `commands/skill.md` is a command that happens to be called skill. */
function kindOf(path: string): Candidate['kind'] | undefined {
  const name = nameOf(path)
  if (/^SKILL\.md$/i.test(name) && name.startsWith('SKILL')) return 'skill'
  if (/(^|\/)commands\/(.*\/)?[^/]+\.md$/i.test(path)) return 'command'
  if (/^SKILL\.md$/i.test(name)) return 'skill'
  return /(^|\/)agents\/(.*\/)?[^/]+\.md$/i.test(path) ? 'agent' : undefined
}

/** The names of files that instruct an agent or a person, wherever they lie, and so are no agents. */
const instructionsOf = (clients: Surroundings['clients']): ReadonlySet<string> =>
  new Set(
    [...(clients?.values() ?? [])]
      .flatMap(({ instructions }) => [...instructions.names, ...instructions.otherwise])
      .concat('README.md', 'AGENTS.md')
      .map((path) => nameOf(path).toLowerCase()),
  )

/** By the folder, and in a plugin by `plugin:name`; a name in the file never decides. */
function idOf(kind: Candidate['kind'], file: string, { root, plugins }: Surroundings): string {
  const folder = folderOf(file)
  const own =
    kind !== 'skill' ? nameOf(file).replace(/\.md$/i, '') : folder === '.' ? (root ?? '.') : nameOf(folder)
  const plugin = declaredPlugin(file, plugins ?? new Map()) ?? PLUGIN_PATH.exec(file)?.[1]
  return plugin === undefined ? own : `${plugin}:${own}`
}

/** Marketplaces put plugins below `plugins/`, some of them into folders by subject. */
const PLUGIN_PATH = /(?:^|\/)plugins\/(?:[^/]+\/)*?([^./][^/]*)\/(?:skills|commands|agents)\//

/** The nearest folder above that says it is a plugin, where the file lies in one of the plugin's own folders. */
function declaredPlugin(file: string, plugins: ReadonlyMap<string, string>): string | undefined {
  for (let folder = folderOf(file); ; folder = folderOf(folder)) {
    const name = plugins.get(folder)
    const below = folder === '.' ? file : file.slice(folder.length + 1)
    if (name !== undefined) return /^(skills|commands|agents)\//.test(below) ? name : undefined
    if (folder === '.') return undefined
  }
}
