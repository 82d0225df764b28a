import type { Subject } from '../../harness/test-skill.ts'
import { EngineError } from '../../model/error.ts'
import { declaredIn } from '../../model/chain/declared.ts'
import type { Definition } from '../../model/plan/definition.ts'
import { isGuide } from '../../model/plan/plan.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Arguments } from '../frame/args.ts'
import { type Io, usage } from '../frame/io.ts'
import { findSkillOrFolder } from './find.ts'
import { overlaysAt } from './read.ts'

/** The skill to test, by its name or its folder. Its module runs, because the user names this skill. */
export async function subjectOf(io: Io, given: Arguments): Promise<Subject> {
  const runs = { ...given, switches: new Set([...given.switches, 'run_modules']) }
  const { found, root } = await findSkillOrFolder(io, runs)
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

/** A skill that declares its place in a chain was written for Holdfast, so its list is plain text. */
const isForChains = ({ engine }: Definition): boolean =>
  declaredIn(engine['continuation'])?.cooperative === true
