import type { Clients } from '../model/client.ts'
import { isSidecar } from './bounded.ts'
import type { SkillInput } from './skill-md.ts'
import { MOST_FILES } from './text/bounds.ts'

/** A skill, command or agent that was found by its path, before any file is read. */
export interface Candidate extends Omit<SkillInput, 'text' | 'others' | 'modules' | 'overlay' | 'disk'> {
  /** The paths of its other texts. */
  readonly others: readonly string[]
  /** The paths of its code, if it has a workflow module. */
  readonly code?: readonly string[]
  /** The path of the overlay that is in force for it. */
  readonly overlay?: string | undefined
}

/** Information that the paths do not contain. */
export interface Surroundings {
  /** The name of the folder that contains the paths. */
  readonly root?: string | undefined
  /** Set if that folder is, or is inside, a commands or agents folder. */
  readonly within?: 'commands' | 'agents' | undefined
  /** The names of plugins by the folder of their manifest. */
  readonly plugins?: ReadonlyMap<string, string> | undefined
  /** The clients whose instruction files are recognized by name. */
  readonly clients?: Clients | undefined
}

/** Extensions of scripts, and of code that a program runs as it is. */
const EXTENSIONS =
  'awk bash bat bats cjs clj cljs cmd coffee command csh cts dart ex exs fish go gradle groovy java jl jq jsx kts ksh lua mk nim nu php pl pm ps1 psm1 py pyw r rake rb rs sc scala sed sh swift tcl tcsh tsx vbs zig zsh'

/** Programs in a skill often have no extension. */
const SCRIPT = String.raw`(?<!\.d)\.(?:${EXTENSIONS.replaceAll(' ', '|')})|(?:^|/)[^./]+`

/** Matches the names of all files that can be part of a skill, with the code that its workflow may use. */
export const SKILL_FILES = new RegExp(String.raw`(\.(md|ya?ml|m?[jt]s)|(^|/)plugin\.json|${SCRIPT})$`, 'i')

/** What a workflow module can import or have a step run; declarations of types say nothing when it runs. */
const CODE = new RegExp(String.raw`((?<!\.d)\.m?[jt]s|${SCRIPT})$`, 'i')

/** The names of workflow modules; if a folder has several, only the first in this order is read. */
export const MODULE_NAMES = ['workflow.ts', 'workflow.mts', 'workflow.js', 'workflow.mjs'] as const

/** Matches step files below a skill folder: `steps/x.md`, `steps-c/x.md` and `domain-steps/x.md`. */
export const STEP_PATH = /^((?:\w+-)?steps(?:-\w+)?)\/([^/]+)\.md$/i

const BESIDE = /^(holdfast\.ya?ml|runbook[^/]*\.md|workflow\.m?[jt]s)$/i

/** Finds skills, commands and agents, and the files that belong to each. Uses only the paths. */
export function findCandidates(
  paths: readonly string[],
  surroundings: Surroundings = {},
): readonly Candidate[] {
  const { within, clients } = surroundings
  const instructions = instructionsOf(clients)
  const belonging = Map.groupBy(paths.filter(isPart), ownerOf)
  const code = paths.filter((path) => CODE.test(path))
  return paths.flatMap((file): Candidate[] => {
    const kind = kindOf(within === undefined ? file : `${within}/${file}`)
    if (kind === undefined || (kind === 'agent' && !isAgent(file, surroundings, instructions))) return []
    const folder = folderOf(file)
    const id = idOf(kind, file, surroundings)
    const found = { kind, id, folder, file, ...fewOf(kind === 'skill' ? (belonging.get(folder) ?? []) : []) }
    return [moduleOf(found) === undefined ? found : { ...found, code: codeBelow(folder, code) }]
  })
}

/** The other files of a skill; of too many, only those that hold its plan. */
const fewOf = (others: readonly string[]): Pick<Candidate, 'others' | 'leftOut'> =>
  others.length <= MOST_FILES ? { others } : { others: others.filter(isSidecar), leftOut: others.length }

/** One more than a skill may have shows that it has too many. */
const codeBelow = (folder: string, paths: readonly string[]): readonly string[] =>
  (folder === '.' ? paths : paths.filter((path) => path.startsWith(`${folder}/`))).slice(0, MOST_FILES + 1)

/** The name of the workflow module of a skill, if it has one. */
export const moduleOf = ({ folder, others }: Candidate): string | undefined =>
  MODULE_NAMES.find((name) => others.includes(folder === '.' ? name : `${folder}/${name}`))

const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.')
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

const isStepFile = (path: string): boolean =>
  STEP_PATH.test(`${nameOf(folderOf(path))}/${nameOf(path)}`) && !/^SKILL\.md$/i.test(nameOf(path))
const isPart = (path: string): boolean => BESIDE.test(nameOf(path)) || isStepFile(path)
/** A step file belongs to the folder above its own. */
const ownerOf = (path: string): string => (isStepFile(path) ? folderOf(folderOf(path)) : folderOf(path))

/** Directives have a folder of commands too, which no client reads. */
const isDirective = (path: string): boolean => /(^|\/)\.directives\//.test(path)

/** In lower case, `commands/skill.md` is a command named skill. */
function kindOf(path: string): Candidate['kind'] | undefined {
  const name = nameOf(path)
  if (/^SKILL\.md$/i.test(name) && name.startsWith('SKILL')) return 'skill'
  if (isDirective(path)) return undefined
  if (/(^|\/)commands\/(.*\/)?[^/]+\.md$/i.test(path)) return 'command'
  if (/^SKILL\.md$/i.test(name)) return 'skill'
  return /(^|\/)agents\/(.*\/)?[^/]+\.md$/i.test(path) ? 'agent' : undefined
}

/** Clients look for agents in their own folders and in plugins; elsewhere, such files are prompts or documents. */
const isAgent = (
  file: string,
  { root = '', within, plugins = new Map() }: Surroundings,
  instructions: ReadonlySet<string>,
): boolean =>
  !instructions.has(nameOf(file).toLowerCase()) &&
  (within === 'agents' ||
    /(^|\/)\.[a-z-]+\/agents\//.test(`${root}/${file}`) ||
    /\/agents\//.test(PLUGIN_PATH.exec(file)?.[0] ?? '') ||
    declaredPlugin(file, plugins) !== undefined)

/** The names of instruction files, which are never agents. */
const instructionsOf = (clients: Surroundings['clients']): ReadonlySet<string> =>
  new Set(
    [...(clients?.values() ?? [])]
      .flatMap(({ instructions }) => [...instructions.names, ...instructions.otherwise])
      .concat('README.md', 'AGENTS.md')
      .map((path) => nameOf(path).toLowerCase()),
  )

/** The id comes from the path, with the prefix `plugin:` in a plugin, never from the frontmatter. */
function idOf(kind: Candidate['kind'], file: string, { root, plugins }: Surroundings): string {
  const folder = folderOf(file)
  const own =
    kind !== 'skill' ? nameOf(file).replace(/\.md$/i, '') : folder === '.' ? (root ?? '.') : nameOf(folder)
  const plugin = declaredPlugin(file, plugins ?? new Map()) ?? PLUGIN_PATH.exec(file)?.[1]
  return plugin === undefined ? own : `${plugin}:${own}`
}

/** Marketplaces keep plugins below `plugins/`, sometimes in folders by topic. */
const PLUGIN_PATH = /(?:^|\/)plugins\/(?:[^/]+\/)*?([^./][^/]*)\/(?:skills|commands|agents)\//

/** The plugin of the nearest manifest above, if the file is in one of the plugin's own folders. */
function declaredPlugin(file: string, plugins: ReadonlyMap<string, string>): string | undefined {
  for (let folder = folderOf(file); ; folder = folderOf(folder)) {
    const name = plugins.get(folder)
    const below = folder === '.' ? file : file.slice(folder.length + 1)
    if (name !== undefined) return /^(skills|commands|agents)\//.test(below) ? name : undefined
    if (folder === '.') return undefined
  }
}
