import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { KeptDehydration } from '../../model/dehydration.ts'
import type { Recap } from '../../model/recap.ts'
import type { EngineError } from '../../model/error.ts'
import { numberOf } from '../frame/args.ts'
import { CALLER_FLAGS } from '../frame/caller.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { type Io, readValue, usage } from '../frame/io.ts'
import { paint } from '../frame/print.ts'
import { printResult } from '../frame/show.ts'
import { sessionOf } from '../frame/session-in.ts'
import { pipedText } from '../frame/stdin.ts'

export const recap: Command = {
  name: 'recap',
  summary: 'What a fresh context window must know, the most important first, never over its budget.',
  usage: '',
  flags: {
    effort: { kind: 'value', summary: 'its number, or its folder (default: the one that is at work here)' },
    native_id: CALLER_FLAGS.native_id,
    budget: {
      kind: 'value',
      summary: 'how many tokens at most, estimated at three bytes each (default 3000)',
    },
  },
  examples: ['holdfast recap', 'holdfast recap --effort 3 --budget 500'],
  async run(io, { values }) {
    using remote = new Remote(io)
    const told = await remote.call<Told>('db.effort.recap', {
      ...wishOf(io, values['effort'], values['native_id']),
      ...(values['budget'] !== undefined && { budget: numberOf(values['budget'], '--budget') }),
    })
    // Whoever asks for nothing gets nothing; whoever asks for something must not take silence for rest.
    if (told.text === '' && told.budget > 0 && told.left_out.length > 0) throw tooSmall(told)
    printResult(io, told, () =>
      told.text === '' && told.budget > 0 ? 'No effort is active here.' : told.text,
    )
    return 0
  },
}

type Told = Recap & { readonly effort_id: number | null; readonly least_budget: number }

function tooSmall({ effort_id: id, budget, least_budget: least }: Told): EngineError {
  const what = id === null ? 'what there is to tell' : `where effort ${id} stands`
  return usage(
    `A budget of ${budget} is too small to tell ${what}; ${least} is enough for the most important.`,
    `holdfast recap${id === null ? '' : ` --effort ${id}`} --budget ${least}`,
  )
}

export const sessionDehydrate: Command = {
  name: 'session dehydrate',
  summary: 'Keep what the next window of an effort must know; it gets it whichever session ends.',
  usage: '[EFFORT] [JSON]',
  places: {
    EFFORT: 'the id of an effort, or a folder of work; else the effort that is at work here',
    JSON: 'or on stdin: summary, lastAction, nextSteps, handoverInstructions, userHistory, requiredFiles; @file or -; without it, what the store knows is kept',
  },
  flags: {},
  examples: [
    `holdfast session dehydrate '{"lastAction": "wrote the parser", "nextSteps": ["test it"]}'`,
    'holdfast session dehydrate 3 - < handover.json',
  ],
  async run(io, { positionals }) {
    const [first, second] = positionals
    const isJson = first !== undefined && second === undefined && /^\s*\{|^[@-]/.test(first)
    const [effort, said] = isJson ? [undefined, first] : [first, second]
    const given = said === undefined ? await pipedText(io) : readValue(said, io)
    using remote = new Remote(io)
    // Older skills name the folder when their window is at its end, and the next one must not find it still at work.
    const isLast = effort !== undefined && !/^\d+$/.test(effort)
    const kept = await remote.call<KeptDehydration>('db.effort.dehydrate', {
      ...wishOf(io, effort),
      ...(given !== undefined && { payload: jsonIn(given) }),
      end_session: isLast,
    })
    printResult(io, kept, () => describe(io, kept))
    return 0
  },
}

/** Which effort is meant: the one that is named, else that of the session that runs this command, else that of the folder. */
function wishOf(
  io: Io,
  named: string | undefined,
  native = sessionOf(io),
): Readonly<Record<string, unknown>> {
  if (named !== undefined && /^\d+$/.test(named)) return { effort_id: numberOf(named, 'EFFORT') }
  // A variable that is not set is not the folder that somebody happens to be in.
  if (named !== undefined && (named === '' || !existsSync(resolve(io.cwd, named))))
    throw usage(
      `${JSON.stringify(named)} is neither the id of an effort nor a folder.`,
      'holdfast effort find-active',
    )
  // A folder in which several are at work means, to each of their sessions, what it is at there itself.
  const place = named === undefined ? { path: io.cwd } : { dir: resolve(io.cwd, named) }
  return { ...place, ...(native !== undefined && { native_id: native }) }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw usage(`JSON is expected: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

const describe = (io: Io, { effort_id, author, cut }: KeptDehydration): string =>
  [
    author === 'agent'
      ? `Kept for the next window of effort ${effort_id}.`
      : `Kept for the next window of effort ${effort_id}: what the store knows.`,
    ...cut.map((loss) => paint(io, 'yellow', `${loss}.`)),
    `in the next window: ${paint(io, 'cyan', `holdfast session continue ${effort_id}`)}`,
  ].join('\n')
