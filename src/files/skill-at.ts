import { dirname, join } from 'node:path'
import type { Clients } from '../model/client.ts'
import type { LoadedModule } from '../model/plan/definition.ts'
import { type Candidate, findCandidates, moduleOf, SKILL_FILES } from '../skills/find.ts'
import { clientFolderAt } from '../skills/places.ts'
import { type Code, codeIn } from './skill-code.ts'
import { absolute, readTexts, type Texts } from './skill-texts.ts'
import { stat } from './stat.ts'
import { walk } from './walk.ts'

/** Limits the walk, because a skill may link to the root of the disk. */
export const MOST_FOLDERS = 5000

/** The skill, command or agent of a file or folder, as a client would find it. */
export async function candidateAt(path: string, clients: Clients): Promise<Candidate | undefined> {
  const isFolder = (await stat(path)).isDirectory()
  const folder = isFolder ? path : dirname(path)
  const { files } = await walk(folder, SKILL_FILES, MOST_FOLDERS)
  const above = folder.split('/').slice(-2).join('/')
  const candidates = findCandidates(
    files.map((file) => `${above}/${file}`),
    { within: clientFolderAt(folder, clients), clients },
  )
  const root = folder.slice(0, -above.length - 1)
  return candidates
    .map((one) => absolute(one, root))
    .find((one) => (isFolder ? one.folder === folder : one.file === path))
}

/** The same with its texts, and its code if it has a workflow module. */
export async function textsAt(
  path: string,
  clients: Clients,
): Promise<
  { readonly candidate: Candidate; readonly texts: Texts; readonly code?: Code | undefined } | undefined
> {
  const candidate = await candidateAt(path, clients)
  if (candidate === undefined) return undefined
  const texts = await readTexts(candidate)
  return { candidate, texts, code: codeIn(candidate, texts) }
}

/** The result of the workflow module of a skill, by its path. */
export function modulesOf(
  candidate: Candidate,
  module: LoadedModule | undefined,
): ReadonlyMap<string, LoadedModule> {
  const name = moduleOf(candidate)
  return new Map(name === undefined || module === undefined ? [] : [[join(candidate.folder, name), module]])
}

/** Runs the workflow module of a skill, on request of the caller. */
export async function moduleRun(candidate: Candidate): Promise<LoadedModule | undefined> {
  const name = moduleOf(candidate)
  if (name === undefined) return undefined
  const { runModule } = await import('./workflow-module.ts')
  return await runModule(candidate.folder, name)
}
