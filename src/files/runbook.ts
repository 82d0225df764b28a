import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { EngineError } from '../model/error.ts'
import {
  agentFileOf,
  type Baselines,
  compiledFiles,
  ORCHESTRATOR_PLAN,
  rolesOf,
} from '../model/runbook/compiled.ts'
import { isRunbookFile } from '../model/runbook/files.ts'
import { isInside } from '../model/project.ts'
import type { RunbookPlace, RunbookReading } from '../model/runbook/reading.ts'
import { RUNBOOK_MODELS, runbookAgent, type RunbookModel } from '../model/runbook/runbook.ts'
import type { ReadRunbook as Read } from '../skills/runbook/read.ts'
import { LARGEST_SKILL } from '../skills/text/bounds.ts'
import { sourceText } from '../skills/text/text.ts'
import { IN_FORCE, isInForce, type Version } from './compiled.ts'
import { explain } from './explain.ts'

/** A runbook on disk, before it is read. */
export interface FoundRunbook {
  /** The root of its project, to which its paths are relative. */
  readonly root: string
  /** Its absolute folder. */
  readonly folder: string
  /** The absolute paths of its files. */
  readonly files: readonly string[]
}

/** The runbook of a folder; undefined if it has none. */
export function runbookIn(given: string, cwd?: string): FoundRunbook | undefined {
  if (statSync(given, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined
  const folder = realpathSync(given)
  // What an agent may not read must not come in by a link.
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && isRunbookFile(entry.name))
    .map(({ name }) => join(folder, name))
  return files.length === 0 ? undefined : { root: projectOf(folder, cwd), folder, files }
}

/** The repository of a folder, or what keeps our files; else the folder of the caller, if it is one above. */
export function projectOf(given: string, cwd = given): string {
  const folder = realpathSync(given)
  for (let at = folder; dirname(at) !== at; at = dirname(at))
    if (existsSync(join(at, '.git')) || existsSync(join(at, '.holdfast'))) return at
  return isInside(cwd, folder) ? cwd : folder
}

/** Names what agents must recall, beside the runbook. */
const RECALL_FILE = 'recall-artifact.md'

/** A runbook as it was read, with the lines of its files for excerpts. */
export interface OpenedRunbook extends Read {
  readonly found: FoundRunbook
  readonly lines: (file: string) => readonly string[]
}

/** Loaded late, because parsing is large. */
const load = () => import('../skills/read-all.ts')

/** Reads a runbook from disk. */
export async function openRunbook(found: FoundRunbook, model?: RunbookModel): Promise<OpenedRunbook> {
  const { readRunbook } = await load()
  const { root, folder } = found
  const below = (path: string) => relative(root, path) || '.'
  refuseLarge(found)
  const files = new Map(found.files.map((path) => [below(path), textAt(path)]))
  const exists = (path: string) => existsSync(join(root, path))
  const lines = (file: string) => sourceText(file, files.get(file) ?? '').lines
  const recallPath = join(folder, RECALL_FILE)
  const isFile = lstatSync(recallPath, { throwIfNoEntry: false })?.isFile() === true
  const recall = isFile ? textAt(recallPath) : undefined
  const source = { folder: below(folder), name: basename(folder), files, recall, model, exists }
  return { found, lines, ...readRunbook(source) }
}

/** Reading takes seconds for each megabyte, and the daemon does nothing else meanwhile. */
function refuseLarge({ folder, files }: FoundRunbook): void {
  const sizes = [...files, join(folder, RECALL_FILE)].map(
    (path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0,
  )
  if (sizes.reduce((sum, size) => sum + size, 0) <= LARGEST_SKILL) return
  const most = LARGEST_SKILL / 1024 / 1024
  throw new EngineError('too-large', `The runbook in ${folder} has more than ${most} MB of text.`, {
    field: 'runbook',
    hint: 'Split it into several runbooks.',
  })
}

/** The text of a file; an error of the system becomes a sentence. */
function textAt(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    return explain(path)(error)
  }
}

/** Where the parts of what a compile makes come from, and where it goes. */
export interface Workshop {
  /** The folder with the contents of the package. */
  readonly contents: string
  /** The folder of agents, relative to the root of a project. */
  readonly agents: string
}

/** What a compile of a runbook makes, whether or not it is there already. */
export async function versionOf(
  { runbook, found: { folder, root } }: Pick<OpenedRunbook, 'runbook' | 'found'>,
  { contents, agents: below }: Workshop,
  model?: RunbookModel,
): Promise<Version> {
  const files = compiledFiles(runbook, await baselinesIn(contents))
  const agents = join(root, below)
  // A relative link counts from the real path of its folder.
  const fromAgents = relative(realOf(agents), join(folder, IN_FORCE, 'agents'))
  const names = rolesOf(runbook).map((role) => basename(agentFileOf(runbookAgent(runbook.name, role))))
  const hasSteps = files.some(({ path }) => dirname(path) === 'steps')
  return {
    folder,
    files: new Map([
      ...files.map(({ path, content }) => [path, content] as const),
      ...(model === undefined ? [] : [[MODEL_FILE, `${model}\n`] as const]),
    ]),
    links: new Map([
      ...(hasSteps ? [[join(folder, 'steps'), `${IN_FORCE}/steps`] as const] : []),
      [join(folder, ORCHESTRATOR_PLAN), `${IN_FORCE}/${ORCHESTRATOR_PLAN}`] as const,
      ...names.map((name) => [join(agents, name), `${fromAgents}/${name}`] as const),
    ]),
    former: [
      { folder, prefix: `${IN_FORCE}/` },
      { folder: agents, prefix: `${fromAgents}/` },
    ],
  }
}

/** Keeps the model of `--model`, so that later readers of the runbook get the same one. */
const MODEL_FILE = 'model'

function compiledModel(folder: string): RunbookModel | undefined {
  const path = join(folder, IN_FORCE, MODEL_FILE)
  const word = existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
  return RUNBOOK_MODELS.find((model) => model === word)
}

/** The real path of a folder that may not exist yet. */
const realOf = (folder: string): string =>
  existsSync(folder) ? realpathSync(folder) : join(realOf(dirname(folder)), basename(folder))

const baselinesIn = async (contents: string): Promise<Baselines> => ({
  quiet: await agentBody(join(contents, 'agents/quiet-task.md')),
  tdd: await agentBody(join(contents, 'agents/tdd-task.md')),
})

/** The text of an agent of the package, without its frontmatter. */
async function agentBody(path: string): Promise<string> {
  if (!existsSync(path))
    throw new EngineError(
      'unavailable',
      `${path} is missing: the agents of runbooks begin with it. Nothing written.`,
      { hint: 'Install Holdfast again.' },
    )
  return (await load()).bodyOf(readFileSync(path, 'utf8'))
}

/** Reads the runbook of a folder to run it, with the model of its last compile. */
export async function runnableRunbook(at: RunbookPlace, workshop: Workshop): Promise<RunbookReading> {
  const found = runbookIn(at.folder, at.root)
  if (found === undefined) return { runbook: undefined, errors: [], compiled: 'missing' }
  const model = compiledModel(found.folder)
  const opened = await openRunbook(found, model)
  const errors = opened.diagnostics.filter(({ severity }) => severity === 'error')
  const isThere = existsSync(join(found.folder, IN_FORCE, ORCHESTRATOR_PLAN))
  if (errors.length > 0) return { runbook: undefined, errors, compiled: isThere ? 'outdated' : 'missing' }
  const { runbook } = opened
  if (!at.asksCompiled) return { runbook, errors, compiled: 'unknown' }
  const isCurrent = isThere && (await isInForce(await versionOf(opened, workshop, model)))
  return { runbook, errors, compiled: isCurrent ? 'current' : isThere ? 'outdated' : 'missing' }
}
