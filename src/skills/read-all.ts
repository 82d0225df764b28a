import type { LoadedModule, Parsed } from '../model/plan/definition.ts'
import { diagnose } from '../model/diagnostic.ts'
import { type Candidate, findCandidates, type Surroundings } from './find.ts'
import { strayNames } from './leads-to.ts'
import { jsonValue } from './notations/phases-json.ts'
import { readSkill } from './skill-md.ts'
import { fieldsOf } from './text/values.ts'

/** What the caller brings: reading touches no disk, and runs no code. */
export interface Sources extends Omit<Surroundings, 'plugins'> {
  /** Empty for what cannot be read, which `unread` then tells. */
  readonly textOf: (path: string) => string
  readonly unread?: ReadonlyMap<string, string> | undefined
  /** What workflow modules gave, by path; where nobody has run one, it is not here. */
  readonly modules?: ReadonlyMap<string, LoadedModule> | undefined
  /** Names of skills and commands that exist although they are not among the paths. */
  readonly known?: readonly string[] | undefined
  /** Hears of each skill, command or agent before it is read. */
  readonly onSkill?: (() => void) | undefined
}

/** Everything among the paths that is a skill, a command or an agent. */
export function readAll(paths: readonly string[], sources: Sources): readonly Parsed[] {
  const { root, within, clients, known } = sources
  const plugins = pluginsAmong(paths, sources)
  const parsed = findCandidates(paths, { root, within, clients, plugins }).map((candidate) => {
    sources.onSkill?.()
    return withUnread(readOne(candidate, sources), candidate, sources)
  })
  return checkTogether(parsed, known)
}

/** What shows only where all are seen: names that stand twice, and names that lead nowhere. */
export const checkTogether = (parsed: readonly Parsed[], known: readonly string[] = []): readonly Parsed[] =>
  strayNames(withDuplicates(parsed), known)

/** One of them, with the texts that belong to it. */
export function readOne(candidate: Candidate, { textOf, modules }: Sources): Parsed {
  const prefix = candidate.folder === '.' ? 0 : candidate.folder.length + 1
  const below = candidate.others.map((path) => ({ path, name: path.slice(prefix) }))
  const others = new Map(below.map(({ path, name }) => [name, textOf(path)]))
  const loaded = below.flatMap(({ path, name }) => {
    const module = modules?.get(path)
    return module === undefined ? [] : [[name, module] as const]
  })
  return readSkill({ ...candidate, text: textOf(candidate.file), others, modules: new Map(loaded) })
}

/** Of a file that cannot be read nothing else is told. */
function withUnread(parsed: Parsed, { file, others }: Candidate, { unread }: Sources): Parsed {
  const faults = [file, ...others].flatMap((path) => {
    const why = unread?.get(path)
    return why === undefined
      ? []
      : [diagnose('HF117', { file: path, line: 1, column: 1 }, `The file cannot be read: ${why}.`)]
  })
  if (faults.length === 0) return parsed
  const rest = parsed.diagnostics.filter((one) => unread?.has(one.file) !== true)
  return { ...parsed, diagnostics: [...faults, ...rest] }
}

/** A plugin that cannot be read is none: its skills are then known by their folders. */
function pluginsAmong(paths: readonly string[], { textOf, clients }: Sources): ReadonlyMap<string, string> {
  const manifests = [...(clients?.values() ?? [])].flatMap(({ plugins }) => plugins?.manifest ?? [])
  return new Map(
    manifests.flatMap((manifest) =>
      paths
        .filter((path) => path === manifest || path.endsWith(`/${manifest}`))
        .flatMap((path) => {
          const name = fieldsOf(jsonValue(textOf(path)))['name']
          const folder = path.slice(0, -manifest.length - 1)
          return typeof name === 'string' && name !== ''
            ? [[folder === '' ? '.' : folder, name] as const]
            : []
        }),
    ),
  )
}

/** A client that is told `/setup` can mean only one of two skills with that id. */
function withDuplicates(parsed: readonly Parsed[]): readonly Parsed[] {
  const firsts = new Map<string, string>()
  return parsed.map((one) => {
    const { id, kind, file } = one.definition
    const first = firsts.get(`${kind}/${id}`)
    if (first === undefined) {
      firsts.set(`${kind}/${id}`, file)
      return one
    }
    const double = diagnose('HF109', { file, line: 1, column: 1 }, `${id} is also the name of ${first}.`)
    return { ...one, diagnostics: [...one.diagnostics, double] }
  })
}
