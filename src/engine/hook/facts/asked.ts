import { chainIn, mayAskForChain, unknownAfter } from '../../../model/chain/chain-in.ts'
import type { ChainCall } from '../../../model/chain/frame.ts'
import type { Added } from '../../../model/chain/move.ts'
import type { SkillDetails } from '../../../model/skill.ts'
import type { AskedChain } from '../../../rules/facts.ts'
import { promptOf } from '../../../rules/continuation-next.ts'
import { callableSkills } from '../../skill/called.ts'
import type { Loader } from './loader.ts'

/** The chain that a prompt asks for. */
export const asked: Loader<'asked'> = {
  looks: [],
  async load(tx, { looked, window: { session }, project }) {
    const prompt = session.scope_of === null ? promptOf(looked.event) : undefined
    if (prompt === undefined || !mayAskForChain(prompt)) return undefined
    const skills = await callableSkills(tx, project)
    const known = { knows: (name: string) => skills.has(name), names: [...skills.keys()] }
    const chain = chainIn(prompt, known)
    if (chain === undefined) return unknownOnly(unknownAfter(prompt, known))
    const [first] = chain.frames
    // The client calls no skill that is not there.
    if (first === undefined || first.unknown) return undefined
    const near = chain.frames.filter(({ unknown }) => unknown)
    return {
      frames: chain.frames.map(({ context, onError, level, ...call }) => ({
        ...callOf(call),
        context,
        on_error: onError === undefined ? null : callOf(onError),
        level: level === 'wrapped' && isCooperative(skills.get(call.name)) ? 'cooperative' : level,
      })),
      isExplicit: first.level === 'explicit',
      unknown: [...near, ...chain.unknown.map(withoutNear)],
    } satisfies AskedChain
  },
}

const withoutNear = (name: string) => ({ name, nearest: [] })

const unknownOnly = (names: readonly string[]): AskedChain | undefined =>
  names.length === 0 ? undefined : { frames: [], isExplicit: false, unknown: names.map(withoutNear) }

const isCooperative = (details: SkillDetails | null | undefined): boolean =>
  details?.continuation?.cooperative === true

/** Quick is part of the words, as the client passes them. */
const callOf = ({ name, args, quick }: ChainCall): Pick<Added, 'skill' | 'args'> => ({
  skill: name,
  args: quick ? `- ${args}`.trim() : args,
})
