import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Subject } from '../../harness/test-skill.ts'
import { EngineError } from '../../model/error.ts'
import { declaredIn } from '../../model/chain/declared.ts'
import type { Definition, Parsed } from '../../model/plan/definition.ts'
import { isGuide } from '../../model/plan/plan.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Arguments } from '../frame/args.ts'
import { type Io, usage } from '../frame/io.ts'
import { findSkill } from './find.ts'
import { overlaysAt, readSkills } from './read.ts'

interface Read {
  readonly found: Parsed
  readonly root: string
}

/** The skill to test, by its name or its folder. Its module runs, because the user names this skill. */
export async function subjectOf(io: Io, given: Arguments): Promise<Subject> {
  const [word = ''] = given.positionals
  const isPath = /[/.]/.test(word) && statSync(resolve(io.cwd, word), { throwIfNoEntry: false }) !== undefined
  const { found, root } = isPath
    ? await skillAt(io, word)
    : await findSkill(io, { ...given, switches: new Set([...given.switches, 'run_modules']) })
  const { id, kind, plan } = found.definition
  if (kind !== 'skill')
    throw usage(`${id} is a ${kind}, and only skills can be tested.`, 'holdfast skill list')
  const isInferred = isGuide(plan)
  if (isInferred && !isForChains(found.definition))
    throw new EngineError('conflict', `The plan of ${id} is only inferred, so it asks for nothing.`, {
      hint: `holdfast skill adopt ${shellWord(id)}`,
    })
  const overlay = (await overlaysAt(io, root)).get(id)
  return { parsed: found, plan: isInferred ? undefined : plan, root, overlay }
}

/** Whoever says how a skill ends in a chain has written it for Holdfast, and meant its list as a text. */
const isForChains = ({ engine }: Definition): boolean =>
  declaredIn(engine['continuation'])?.cooperative === true

/** The only skill of a folder, or the one that a file belongs to. */
async function skillAt(io: Io, path: string): Promise<Read> {
  const wanted = { path, runs: false, all: false }
  const { parsed, root } = await readSkills(io, wanted)
  const [found, ...others] = parsed.filter(({ definition }) => definition.kind === 'skill')
  if (found === undefined)
    throw new EngineError('not-found', `No skill in ${path}.`, {
      hint: `holdfast skill list ${shellWord(path)}`,
    })
  if (others.length > 0)
    throw usage(
      `${path} has ${others.length + 1} skills; name one.`,
      `holdfast skill list ${shellWord(path)}`,
    )
  const { file } = found.definition
  const again = await readSkills(io, { ...wanted, runs: file })
  return { found: again.parsed.find(({ definition }) => definition.file === file) ?? found, root }
}
