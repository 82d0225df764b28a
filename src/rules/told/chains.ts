import { freeChain, namedChain, nextOfChain, resultOf } from '../../model/chain/told.ts'
import type { Section } from '../../model/recap.ts'
import type { Background } from './background.ts'

/** What a new context must know of chains: its own, and those that nobody has. */
export const chainSections = (chains: Background['chains']): readonly Section[] => [
  {
    name: 'chain',
    lines:
      chains?.own === undefined
        ? []
        : [
            `${namedChain(chains.own)} ${nextOfChain(chains.own) ?? ''}`.trim(),
            ...chains.own.flatMap(resultOf),
          ],
    isEssential: true,
  },
  {
    name: 'chains',
    title: 'Chains that no session has. Resume one only if the user asks:',
    lines: (chains?.free ?? []).map((frames) => `- ${freeChain(frames)}`),
  },
]
