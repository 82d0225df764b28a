import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { LoadedModule } from '../model/plan/definition.ts'
import { type Candidate, moduleOf } from '../skills/find.ts'
import { LARGEST_SKILL, LONGEST_TEXT, MOST_FILES } from '../skills/text/bounds.ts'
import { sha256, type Texts } from './skill-texts.ts'

/** The code of a skill with a workflow module. */
export interface Code {
  /** The name of the module. */
  readonly module: string
  /** The texts by their paths in the folder of the skill. */
  readonly texts: Texts
  /** The same for the same code in any folder on any machine. */
  readonly digest: string
}

/** The code of a skill, from texts that were read; undefined if it has none, or too much to vouch for all of it. */
export function codeIn(candidate: Candidate, read: Texts): Code | undefined {
  const module = moduleOf(candidate)
  if (module === undefined) return undefined
  const { folder, code = [] } = candidate
  const prefix = folder === '.' ? 0 : folder.length + 1
  const paths = code.toSorted((a, b) => (a < b ? -1 : 1))
  const texts = new Map(paths.map((path) => [path.slice(prefix), read.get(path) ?? '']))
  const isLong = [...texts.values()].some(({ length }) => length > LONGEST_TEXT)
  // Beyond this size, the reader leaves out the rest.
  const size = [...read.values()].reduce((sum, { length }) => sum + length, 0)
  const isTooMuch = paths.length > MOST_FILES || isLong || size > LARGEST_SKILL
  return isTooMuch ? undefined : { module, texts, digest: sha256(JSON.stringify([...texts])) }
}

/** Runs a workflow module from a copy of its code, so that what runs is what the digest says, and nothing else. */
export async function runCode({ module, texts }: Code): Promise<LoadedModule> {
  const { runModule } = await import('./workflow-module.ts')
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'holdfast-code-'))
  try {
    for (const [path, text] of texts) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    return await runModule(folder, module)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
