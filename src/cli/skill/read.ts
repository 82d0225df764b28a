import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { clients } from '../../clients/index.ts'
import { findHome } from '../../daemon/home.ts'
import { findOverlays, overlayFolders } from '../../files/overlays.ts'
import { modulesOf } from '../../files/skill-at.ts'
import { codeIn } from '../../files/skill-code.ts'
import { textsOf } from '../../files/skill-texts.ts'
import { type Diagnostic, diagnose } from '../../model/diagnostic.ts'
import type { LoadedModule, Parsed } from '../../model/plan/definition.ts'
import { EngineError } from '../../model/error.ts'
import type { FoundSkill } from '../../model/skill-folders.ts'
import type { SkillScope, Trust } from '../../model/skill.ts'
import { type Candidate, findCandidates, moduleOf, SKILL_FILES, STEP_PATH } from '../../skills/find.ts'
import { clientFolderAt } from '../../skills/places.ts'
import { sourceText } from '../../skills/text/text.ts'
import type { Arguments } from '../frame/args.ts'
import { type Io, usage } from '../frame/io.ts'
import { diskAt, wholeDisk } from './disk.ts'
import { namesBeside } from './names-beside.ts'
import { Progress } from './progress.ts'
import { TrustedHere } from './trusted-here.ts'

export interface Skills {
  readonly root: string
  readonly parsed: readonly Parsed[]
  /** The lines of a file, for excerpts. */
  readonly lines: (file: string) => readonly string[]
  /** The scope of each skill by its file; empty for a search in one folder. */
  readonly scopes: ReadonlyMap<string, SkillScope>
  /** Whether the user trusts the code of each skill with a workflow module, by its file. */
  readonly trust: ReadonlyMap<string, Trust>
  /** Broken links in the place of skills, which have no definition. */
  readonly dead: readonly Diagnostic[]
}

interface Wanted {
  /** A folder, or the file of one skill. */
  readonly path: string
  /** Whether workflow modules run: of all skills, or only of the skill with this file. */
  readonly runs: boolean | string
  /** Whether to search all places of the clients instead of only the folder. */
  readonly all: boolean
}

/** Reads the skills that the arguments of a command name. */
export const readGiven = (io: Io, { positionals, switches }: Arguments): Promise<Skills> =>
  readSkills(io, {
    path: positionals[0] ?? '.',
    runs: switches.has('run_modules'),
    all: switches.has('all'),
  })

/** The overlays in force for skills of a folder, by the id of their skill. */
export const overlaysAt = async (io: Io, folder: string): Promise<ReadonlyMap<string, string>> =>
  await findOverlays(await overlayFolders(folder, findHome(io.env).overlays))

export async function readSkills(io: Io, wanted: Wanted): Promise<Skills> {
  // An empty path is usually an unset variable, so it must not mean the current folder.
  if (wanted.path === '') throw usage('The folder of skills must not be empty.', 'holdfast skill list .')
  const path = resolve(io.cwd, wanted.path)
  const info = statSync(path, { throwIfNoEntry: false })
  if (info === undefined)
    throw new EngineError('not-found', `${path} does not exist.`, { hint: 'holdfast skill check' })
  if (wanted.all) return await readClients(io, info.isDirectory() ? path : dirname(path), wanted.runs)
  if (info.isDirectory()) return await readBelow(io, path, wanted.runs)
  return await readOwner(io, path, wanted.runs)
}

/** The skill, command or agent that a file belongs to. */
async function readOwner(io: Io, path: string, runs: boolean | string): Promise<Skills> {
  const isStep = STEP_PATH.test(path.split('/').slice(-2).join('/'))
  const root = isStep && !/^SKILL\.md$/i.test(basename(path)) ? dirname(dirname(path)) : dirname(path)
  const skills = await readBelow(io, root, runs, path)
  if (skills.parsed.length > 0) return skills
  throw new EngineError('not-found', `${path} belongs to no skill, command or agent.`, {
    hint: `holdfast skill check ${dirname(path)}`,
  })
}

/** All skills below a folder, or only the owner of one file. */
async function readBelow(io: Io, root: string, runs: boolean | string, only?: string): Promise<Skills> {
  const [{ walk }, { readAll }] = await Promise.all([
    import('../../files/walk.ts'),
    import('../../skills/read-all.ts'),
  ])
  const { textOf, unread } = texts(root)
  using progress = new Progress(io)
  const onFolder = () => progress.see('folder')
  const { files: paths, unread: closed, broken } = await walk(root, SKILL_FILES, Infinity, { onFolder })
  for (const folder of closed) progress.note(`Skipped ${folder}, which cannot be read.`)
  const surroundings = { root: basename(root), within: folderOfKind(root, only !== undefined), clients }
  const candidates = findCandidates(paths, surroundings)
  const { modules, trust } = await trustedBelow(io, root, { candidates, textOf })
  const wanted = candidates.filter(({ file }) => runs === true || runs === file)
  for (const [path, module] of await runModules(root, wanted)) modules.set(path, module)
  const overlays = await overlaysAt(io, root)
  const all = readAll(paths, {
    ...surroundings,
    overlays,
    textOf,
    unread,
    modules,
    disk: diskAt(root, io.env),
    known: namesBeside(root),
    onSkill: () => progress.see('skill'),
  })
  const owners = candidates.filter(({ file, others }) =>
    [file, ...others].some((name) => join(root, name) === only),
  )
  const parsed =
    only === undefined
      ? all
      : all.filter(({ definition }) => owners.some(({ file }) => file === definition.file))
  const dead = deadLinks(only === undefined ? broken : [], (link) => `${basename(root)}/${link}`)
  return { root, parsed, lines: linesIn(textOf), scopes: new Map(), trust, dead }
}

/** A link in the place of a skill; other broken links do not matter. */
const LEADS_TO_SKILL = /(^|\/)(skills\/[^/]+|SKILL\.md)$/i

const deadLinks = (broken: readonly string[], placeOf = (link: string) => link): readonly Diagnostic[] =>
  broken
    .filter((link) => LEADS_TO_SKILL.test(placeOf(link)))
    .map((file) => diagnose('HF122', { file, line: 1, column: 1 }, `${file} is a broken link.`, BROKEN))

const BROKEN = 'Restore its target, or remove the link.'

/** The name `agents` counts only in client folders and plugins, or if the user names a file there. */
function folderOfKind(root: string, isNamed: boolean): 'commands' | 'agents' | undefined {
  const name = basename(root)
  if (name !== 'commands' && name !== 'agents') return clientFolderAt(root, clients)
  const manifests = [...clients.values()].flatMap(({ plugins }) => plugins?.manifest ?? [])
  const isPlugin = manifests.some((manifest) => existsSync(join(dirname(root), dirname(manifest))))
  return isNamed || isPlugin ? name : clientFolderAt(root, clients)
}

/** Reads each file once, and keeps the error of each unreadable one. */
function texts(root: string) {
  const known = new Map<string, string>()
  const unread = new Map<string, string>()
  const textOf = (file: string) => {
    const text = known.get(file) ?? readText(file)
    known.set(file, text)
    return text
  }
  const readText = (file: string): string => {
    try {
      return readFileSync(resolve(root, file), 'utf8')
    } catch (error) {
      unread.set(file, error instanceof Error ? error.message : String(error))
      return ''
    }
  }
  return { textOf, unread }
}

/** Splits each file once. */
function linesIn(textOf: (file: string) => string): Skills['lines'] {
  const known = new Map<string, readonly string[]>()
  return (file) => {
    const lines = known.get(file) ?? sourceText(file, textOf(file)).lines
    known.set(file, lines)
    return lines
  }
}

/** The modules whose code the user trusts, by path. */
async function trustedBelow(
  io: Io,
  root: string,
  { candidates, textOf }: { candidates: readonly Candidate[]; textOf: (path: string) => string },
) {
  const here = new TrustedHere(io)
  const modules = new Map<string, LoadedModule>()
  const trust = new Map<string, Trust>()
  for (const candidate of candidates.filter((one) => moduleOf(one) !== undefined)) {
    const code = codeIn(candidate, new Map(textsOf(candidate).map((path) => [path, textOf(path)])))
    if (code === undefined) continue
    const module = await here.module(code.digest)
    for (const [path, one] of modulesOf(candidate, module)) modules.set(path, one)
    const { file } = candidate
    const isTrusted = module !== undefined
    trust.set(file, await here.of(join(root, file), { digest: code.digest, isTrusted }))
  }
  return { modules, trust }
}

async function runModules(
  root: string,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<string, LoadedModule>> {
  const { runModule } = await import('../../files/workflow-module.ts')
  const modules = new Map<string, LoadedModule>()
  for (const candidate of candidates) {
    const name = moduleOf(candidate)
    if (name === undefined) continue
    const path = candidate.folder === '.' ? name : `${candidate.folder}/${name}`
    modules.set(path, await runModule(join(root, candidate.folder), name))
  }
  return modules
}

/** Reads skills as the daemon does: from the project, the user and plugins. */
async function readClients(io: Io, root: string, runs: boolean | string): Promise<Skills> {
  using progress = new Progress(io)
  const [{ NodeSkillFolders }, { strayNames }] = await Promise.all([
    import('../../files/skill-folders.ts'),
    import('../../skills/read-all.ts'),
  ])
  const broken: string[] = []
  const here = new TrustedHere(io)
  const folders = new NodeSkillFolders({
    user: findHome(io.env).user,
    clients,
    overlays: findHome(io.env).overlays,
    version: '',
    onSeen: progress.see,
    onBroken: (link) => broken.push(link),
    disk: wholeDisk(io.env),
    trusted: (code) => here.module(code),
  })
  const { skills, problems, unread } = await folders.read(root, new Map())
  for (const { file, message } of problems) progress.note(`${file}: ${message}`)
  for (const folder of unread) progress.note(`Skipped ${folder}, which cannot be read.`)
  const parsed: Parsed[] = []
  const trust = new Map<string, Trust>()
  for (const skill of skills) {
    parsed.push(...(await withModule(folders, skill, runs)))
    if (skill.code !== undefined) trust.set(skill.file, await here.of(skill.file, skill.code))
  }
  return {
    root: io.cwd,
    parsed: strayNames(parsed, []),
    lines: linesIn(texts(root).textOf),
    scopes: new Map(skills.map(({ file, scope }) => [file, scope])),
    trust,
    dead: deadLinks(broken),
  }
}

async function withModule(
  folders: { readOne(path: string, runsModule: boolean): Promise<Parsed | undefined> },
  { id, file, parsed }: FoundSkill,
  runs: boolean | string,
): Promise<readonly Parsed[]> {
  const isUnrun = parsed?.diagnostics.some(({ code }) => code === 'HF208') === true
  if (!isUnrun || (runs !== true && runs !== file)) return parsed === undefined ? [] : [parsed]
  const again = await folders.readOne(file, true)
  return again === undefined ? [parsed] : [{ ...again, definition: { ...again.definition, id } }]
}
