import type { SkillInput } from './skill-md.ts'

/** A skill, command or agent among many paths, before anything is read. */
export interface Candidate extends Omit<SkillInput, 'text' | 'others' | 'modules'> {
  /** The paths of the other texts that belong to it. */
  readonly others: readonly string[]
}

/** The names of files that skills are made of, among all that there are. */
export const SKILL_FILES = /(\.(md|ya?ml)|(^|\/)workflow\.m?[jt]s)$/i

/** The names that a workflow module may have; of several in a folder the first is read. */
export const MODULE_NAMES = ['workflow.ts', 'workflow.mts', 'workflow.js', 'workflow.mjs'] as const

const BELONGS = /^(holdfast\.ya?ml|steps(-\w+)?\/[^/]+\.md|runbook[^/]*\.md|workflow\.m?[jt]s)$/i

/** Which paths are skills, commands and agents, and which files belong to each. Pure over the paths alone. */
export function findCandidates(paths: readonly string[]): readonly Candidate[] {
  const byFolder = Map.groupBy(paths, folderOf)
  return paths.flatMap((file): Candidate[] => {
    const kind = kindOf(file)
    if (kind === undefined) return []
    const folder = folderOf(file)
    return [
      {
        kind,
        id: idOf(kind, file),
        folder,
        file,
        others: kind === 'skill' ? othersOf(folder, byFolder) : [],
      },
    ]
  })
}

/** The name of the workflow module of a skill, if it has one. */
export const moduleOf = ({ folder, others }: Candidate): string | undefined =>
  MODULE_NAMES.find((name) => others.includes(folder === '.' ? name : `${folder}/${name}`))

const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.')

/** A `commands/skill.md` is a command that happens to be called skill. */
function kindOf(path: string): Candidate['kind'] | undefined {
  if (/(^|\/)commands\/([^/]+\/)*[^/]+\.md$/i.test(path) && !path.endsWith('/SKILL.md')) return 'command'
  if (/(^|\/)SKILL\.md$/i.test(path)) return 'skill'
  return /(^|\/)agents\/([^/]+\/)*[^/]+\.md$/i.test(path) && !/(^|\/)(README|AGENTS|CLAUDE)\.md$/i.test(path)
    ? 'agent'
    : undefined
}

/** By the folder, and below a plugin by `plugin:name`; a name in the file never decides. */
function idOf(kind: Candidate['kind'], file: string): string {
  const folder = folderOf(file)
  const own =
    kind === 'skill'
      ? (folder.split('/').at(-1) ?? folder)
      : (file.split('/').at(-1) ?? file).replace(/\.md$/i, '')
  const plugin = /(?:^|\/)plugins\/([^/]+)\/(?:skills|commands|agents)\//.exec(file)?.[1]
  return plugin === undefined ? own : `${plugin}:${own}`
}

function othersOf(folder: string, byFolder: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const nested = [
    ...(byFolder.get(folder) ?? []),
    ...['steps', 'steps-c', 'steps-e', 'steps-v'].flatMap(
      (name) => byFolder.get(folder === '.' ? name : `${folder}/${name}`) ?? [],
    ),
  ]
  const prefix = folder === '.' ? '' : `${folder}/`
  return nested.filter((path) => BELONGS.test(path.slice(prefix.length)))
}
