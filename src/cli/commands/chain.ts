import { type ChainView } from '../../model/chain/view.ts'
import { shellWord } from '../../model/shell/word.ts'
import { Remote } from '../daemon/remote.ts'
import { numberOf } from '../frame/args.ts'
import { CALLER_FLAGS, callerOf } from '../frame/caller.ts'
import { chainLines, chainScreen } from '../frame/chain-screen.ts'
import type { Command } from '../frame/command.ts'
import { type Io, usage } from '../frame/io.ts'
import { printLines } from '../frame/show.ts'

const CHAIN = { CHAIN: 'number of the chain (default: that of the session, else the only one here)' }

interface Asked extends Readonly<Record<string, unknown>> {
  readonly chain: string | undefined
  readonly values: Readonly<Record<string, string>>
}

/** Calls a method about one chain, and prints what it then is. */
async function about(io: Io, method: string, { chain, values, ...more }: Asked): Promise<number> {
  using remote = new Remote(io)
  const { agent_id: _, client: _client, ...caller } = callerOf(io, values)
  const view = await remote.call<ChainView>(method, {
    ...caller,
    ...(chain !== undefined && { chain_id: numberOf(chain, 'CHAIN') }),
    ...more,
  })
  printLines(io, view, () => chainScreen(io, view))
  return 0
}

async function listChains(io: Io, switches: ReadonlySet<string>): Promise<number> {
  using remote = new Remote(io)
  const ended = switches.has('ended')
  const chains = await remote.call<readonly ChainView[]>('continuation.list', {
    cwd: io.cwd,
    ...(ended && { ended }),
  })
  printLines(io, chains, () =>
    chains.length === 0
      ? `This project has no ${ended ? '' : 'open '}chains.`
      : chains.flatMap(chainLines).join('\n'),
  )
  return 0
}

const ENDED = { ended: { kind: 'switch', summary: 'list ended chains too' } } as const

export const chain: Command = {
  name: 'chain',
  summary: 'List the chains of this project: skills that run one after the other.',
  usage: '',
  flags: ENDED,
  run: (io, { switches }) => listChains(io, switches),
}

export const chainList: Command = {
  name: 'chain list',
  summary: 'List the chains of this project that run or are parked, newest first.',
  usage: '',
  flags: ENDED,
  run: (io, { switches }) => listChains(io, switches),
}

export const chainShow: Command = {
  name: 'chain show',
  summary: 'Show a chain: its skills, where it stands, and the next call.',
  usage: '[CHAIN]',
  places: CHAIN,
  flags: CALLER_FLAGS,
  run: (io, { positionals: [of], values }) => about(io, 'continuation.next', { chain: of, values }),
}

export const chainNext: Command = {
  name: 'chain next',
  summary: 'Print the exact next call of a chain.',
  usage: '[CHAIN]',
  places: CHAIN,
  flags: CALLER_FLAGS,
  run: (io, { positionals: [of], values }) => about(io, 'continuation.next', { chain: of, values }),
}

export const chainPush: Command = {
  name: 'chain push',
  summary: 'Put skills before the rest of the chain of this session; without one, they begin a chain.',
  usage: 'CALL',
  places: { CALL: 'a call of a skill, such as "/commit all of it"; several may follow' },
  flags: { chain: { kind: 'value', summary: 'number of the chain' }, ...CALLER_FLAGS },
  examples: [`holdfast chain push '/commit all of it'`],
  run: (io, { positionals, values }) =>
    about(io, 'continuation.push', { chain: values['chain'], values, calls: positionals }),
}

export const chainDrop: Command = {
  name: 'chain drop',
  summary: 'Drop everything of a chain that has not ended.',
  usage: '[CHAIN]',
  places: CHAIN,
  flags: { reason: { kind: 'value', summary: 'why it is dropped' }, ...CALLER_FLAGS },
  examples: [`holdfast chain drop 3 --reason 'we do it by hand'`],
  run(io, { positionals: [of], values }) {
    const { reason } = values
    if (reason === undefined)
      throw usage(
        'To drop a chain, say why.',
        `holdfast chain drop ${of === undefined ? '' : `${shellWord(of)} `}--reason WHY`,
      )
    return about(io, 'continuation.drop', { chain: of, values, reason })
  },
}

export const chainResume: Command = {
  name: 'chain resume',
  summary: 'Let a parked chain go on, in this session.',
  usage: '[CHAIN]',
  places: CHAIN,
  flags: {
    as: { kind: 'value', summary: 'the skill to run in place of the next one, which is parked or not there' },
    take: { kind: 'switch', summary: 'take the chain also from a session at work' },
    ...CALLER_FLAGS,
  },
  examples: ['holdfast chain resume 3', 'holdfast chain resume 3 --as fix'],
  run: (io, { positionals: [of], values, switches }) =>
    about(io, 'continuation.resume', {
      chain: of,
      values,
      ...(values['as'] !== undefined && { as: values['as'] }),
      ...(switches.has('take') && { take: true }),
    }),
}
