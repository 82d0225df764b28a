import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { LoadedModule, Parsed } from '../model/definition.ts'
import { EngineError } from '../model/error.ts'
import { nearest } from '../model/nearest.ts'
import { type Candidate, findCandidates, moduleOf, SKILL_FILES } from '../skills/find.ts'
import type { Arguments } from './args.ts'
import { type Io, usage } from './io.ts'
import { namesBeside } from './names-beside.ts'

export interface Skills {
  readonly root: string
  readonly parsed: readonly Parsed[]
  /** The lines of a file that was read, for showing them. */
  readonly lines: (file: string) => readonly string[]
}

/** All skills below a folder. Their workflow modules run only if the user said so, for all of them or for one. */
export async function readSkills(io: Io, given: string, runs: boolean | string): Promise<Skills> {
  const path = resolve(io.cwd, given)
  if (!existsSync(path))
    throw new EngineError('not-found', `${path} does not exist.`, { hint: 'holdfast skill check FOLDER' })
  const root = statSync(path).isDirectory() ? path : dirname(path)
  const [{ walk }, { readAll }] = await Promise.all([
    import('../files/walk.ts'),
    import('../skills/read-all.ts'),
  ])
  const texts = new Map<string, string>()
  const textOf = (file: string) => {
    const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8')
    texts.set(file, text)
    return text
  }
  const { files: paths, unread } = await walk(root, SKILL_FILES)
  for (const folder of unread) io.note(`${folder} could not be read and was left out.`)
  const trusted = findCandidates(paths).filter(({ file }) => runs === true || runs === file)
  const parsed = readAll(paths, {
    textOf,
    modules: await runModules(root, trusted),
    root: basename(root),
    known: namesBeside(root),
  })
  return { root, parsed, lines: (file) => textOf(file).split(/\r\n?|\n/) }
}

async function runModules(
  root: string,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<string, LoadedModule>> {
  const { runModule } = await import('../files/workflow-module.ts')
  const modules = new Map<string, LoadedModule>()
  for (const candidate of candidates) {
    const name = moduleOf(candidate)
    if (name === undefined) continue
    const path = candidate.folder === '.' ? name : `${candidate.folder}/${name}`
    modules.set(path, await runModule(join(root, candidate.folder), name))
  }
  return modules
}

/** The skill that a command names; with --run-modules its module runs, and no other. */
export async function findSkill(io: Io, { positionals, values, switches }: Arguments): Promise<Parsed> {
  const [name] = positionals
  if (name === undefined) throw usage('Which skill? Give its NAME.', 'holdfast skill list')
  const folder = values['in'] ?? '.'
  const { parsed } = await readSkills(io, folder, false)
  const skills = parsed.filter(({ definition }) => definition.kind === 'skill')
  const found =
    skills.find(({ definition }) => definition.id === name) ??
    skills.find(({ definition }) => definition.name === name)
  if (found === undefined) throw unknownSkill(name, skills)
  if (!switches.has('run_modules')) return found
  const { file } = found.definition
  const again = await readSkills(io, folder, file)
  return again.parsed.find(({ definition }) => definition.file === file) ?? found
}

function unknownSkill(name: string, skills: readonly Parsed[]): EngineError {
  const meant = nearest(
    name,
    skills.map(({ definition }) => definition.id),
  )
  return new EngineError(
    'not-found',
    `There is no skill ${name} here${meant.length === 0 ? '' : `; did you mean ${meant.join(' or ')}?`}`,
    { hint: 'holdfast skill list' },
  )
}
