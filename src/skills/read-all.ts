import type { LoadedModule, Parsed } from '../model/plan/definition.ts'
import { diagnose } from '../model/diagnostic.ts'
import type { Disk } from './disk.ts'
import { type Candidate, findCandidates, type Surroundings } from './find.ts'
import { strayNames } from './leads-to.ts'
import { jsonValue } from './notations/phases-json.ts'
import { propose, type Proposal } from './propose.ts'
import { readSkill, type SkillInput } from './skill-md.ts'
import { fieldsOf } from './text/values.ts'

// The bundle keeps all parsing in one file, which only this module leads to.
export { fixText } from './fix.ts'
export { strayNames } from './leads-to.ts'
export { bodyOf, readRunbook } from './runbook/read.ts'

/** Everything that reading needs, because it never accesses the disk or runs code. */
export interface Sources extends Omit<Surroundings, 'plugins'> {
  /** Returns an empty text for a file in `unread`. */
  readonly textOf: (path: string) => string
  readonly unread?: ReadonlyMap<string, string> | undefined
  /** The results of workflow modules by path; a module that was not run is missing. */
  readonly modules?: ReadonlyMap<string, LoadedModule> | undefined
  /** The paths of overlays by the id of their skill. */
  readonly overlays?: ReadonlyMap<string, string> | undefined
  /** Names of skills and commands that exist outside of the paths. */
  readonly known?: readonly string[] | undefined
  /** Without it, missing files are not looked for. */
  readonly disk?: Disk | undefined
  /** Called before each skill, command or agent is read. */
  readonly onSkill?: (() => void) | undefined
}

/** Reads every skill, command and agent among the paths. */
export function readAll(paths: readonly string[], sources: Sources): readonly Parsed[] {
  const { root, within, clients, known = [] } = sources
  const plugins = pluginsAmong(paths, sources)
  const parsed = findCandidates(paths, { root, within, clients, plugins }).map((candidate) => {
    sources.onSkill?.()
    const overlaid = { ...candidate, overlay: sources.overlays?.get(candidate.id) }
    return withUnread(readOne(overlaid, sources), overlaid, sources)
  })
  return strayNames(withDuplicates(parsed, sources), known)
}

/** Reads one candidate with its other texts. */
export const readOne = (candidate: Candidate, sources: Sources): Parsed =>
  readSkill(inputOf(candidate, sources))

/** The best overlay for a skill that has no plan of its own. */
export const proposeFor = (
  candidate: Candidate,
  sources: Sources,
  packaged: readonly string[],
): Proposal | undefined => propose(inputOf(candidate, sources), packaged)

function inputOf(candidate: Candidate, { textOf, modules, disk }: Sources): SkillInput {
  const prefix = candidate.folder === '.' ? 0 : candidate.folder.length + 1
  const below = candidate.others.map((path) => ({ path, name: path.slice(prefix) }))
  const others = new Map(below.map(({ path, name }) => [name, textOf(path)]))
  const loaded = below.flatMap(({ path, name }) => {
    const module = modules?.get(path)
    return module === undefined ? [] : [[name, module] as const]
  })
  const { overlay: path, code: _, ...found } = candidate
  const overlay = path === undefined ? {} : { overlay: { file: path, text: textOf(path) } }
  return { ...found, ...overlay, text: textOf(found.file), others, modules: new Map(loaded), disk }
}

/** Replaces all diagnostics of an unreadable file with one that says why. */
function withUnread(parsed: Parsed, { file, others, overlay }: Candidate, { unread }: Sources): Parsed {
  const faults = [file, ...others, ...(overlay === undefined ? [] : [overlay])].flatMap((path) => {
    const why = unread?.get(path)
    return why === undefined
      ? []
      : [diagnose('HF117', { file: path, line: 1, column: 1 }, `The file cannot be read: ${why}.`)]
  })
  if (faults.length === 0) return parsed
  const rest = parsed.diagnostics.filter((one) => unread?.has(one.file) !== true)
  return { ...parsed, diagnostics: [...faults, ...rest] }
}

/** Skips plugins with an unreadable manifest; their skills get their ids from the path. */
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

/** Reports skills of one name below one folder of a client, because it can run only one as `/setup`. */
function withDuplicates(parsed: readonly Parsed[], { textOf, root = '' }: Sources): readonly Parsed[] {
  const firsts = new Map<string, string>()
  return parsed.map((one) => {
    const { id, kind, file } = one.definition
    const place = clientRoot(`${root}/${file}`)
    if (place === undefined) return one
    const key = `${kind} ${id} ${place}`
    const first = firsts.get(key)
    if (first === undefined) firsts.set(key, file)
    if (first === undefined || textOf(first) === textOf(file)) return one
    const double = diagnose('HF109', { file, line: 1, column: 1 }, `${id} is also the name of ${first}.`)
    return { ...one, diagnostics: [...one.diagnostics, double] }
  })
}

/** The folder of skills, commands or agents that a client reads; undefined for what was put aside. */
function clientRoot(path: string): string | undefined {
  const match = /^(.*\/(?:skills|commands|agents))\/(.*)$/.exec(path)
  const isAside = /(^|\/)(archived?|deprecated|legacy|old|backups?|drafts?|examples|fixtures)\//i.test(path)
  return match === null || isAside ? undefined : match[1]
}
