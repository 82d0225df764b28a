import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { KeptDehydration } from '../../model/dehydration.ts'
import { type Effort, isAdHoc, resumeCommand } from '../../model/effort.ts'
import type { Recap } from '../../model/recap.ts'
import type { EngineError } from '../../model/error.ts'
import { numberOf } from '../frame/args.ts'
import { CALLER_FLAGS, identityOf } from '../frame/caller.ts'
import { callAs } from '../daemon/call-as.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { type Io, readValue, usage } from '../frame/io.ts'
import { paint } from '../frame/print.ts'
import { forShell } from '../frame/program.ts'
import { printLines, printResult } from '../frame/show.ts'
import { pipedText } from '../frame/stdin.ts'

export const recap: Command = {
  name: 'recap',
  summary: 'Print the context for a new session, most important first, within a token budget.',
  usage: '',
  flags: {
    effort: { kind: 'value', summary: 'number or folder of the effort (default: the active effort here)' },
    agent: CALLER_FLAGS.agent,
    native_id: CALLER_FLAGS.native_id,
    budget: {
      kind: 'value',
      summary: 'maximum number of tokens, at three bytes each (default 3000)',
    },
  },
  examples: ['holdfast recap', 'holdfast recap --effort 3 --budget 500'],
  async run(io, { values }) {
    using remote = new Remote(io)
    const told = await callAs<Told>(io, remote, 'db.effort.recap', {
      ...wishOf(io, values['effort'], values),
      ...(values['budget'] !== undefined && { budget: numberOf(values['budget'], '--budget') }),
    })
    // Only a budget of 0 prints nothing.
    if (told.text === '' && told.budget > 0 && told.left_out.length > 0) throw tooSmall(told)
    printLines(io, { ...told, text: forShell(io, told.text) }, () =>
      told.text === '' && told.budget > 0 ? 'No effort is active here.' : told.text,
    )
    return 0
  },
}

type Told = Recap & { readonly effort_id: number | null; readonly least_budget: number }

function tooSmall({ effort_id: id, budget, least_budget: least }: Told): EngineError {
  const what = id === null ? 'this context' : `effort ${id}`
  return usage(
    `A budget of ${budget} is too small for ${what}; it needs at least ${least}.`,
    `holdfast recap${id === null ? '' : ` --effort ${id}`} --budget ${least}`,
  )
}

export const sessionDehydrate: Command = {
  name: 'session dehydrate',
  summary: 'Save a handover note for the next session.',
  usage: '[EFFORT] [JSON]',
  places: {
    EFFORT: 'number or folder of the effort (default: the active effort here)',
    JSON: 'the note: JSON, @file or - with summary, lastAction, nextSteps, handoverInstructions, userHistory, requiredFiles (default: stdin, if piped, else the known state)',
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
    // Older skills name the folder when their session ends, so the next session must find that session closed.
    const isLast = effort !== undefined && !/^\d+$/.test(effort)
    const kept = await callAs<KeptDehydration>(io, remote, 'db.effort.dehydrate', {
      ...wishOf(io, effort),
      ...(given !== undefined && { payload: jsonIn(given) }),
      end_session: isLast,
    })
    const of = await remote.call<Effort>('db.effort.get', { effort_id: kept.effort_id })
    printResult(io, kept, () => describe(io, kept, of))
    return 0
  },
}

/** Finds the effort: by name, else by the session or agent that runs this command, else by the folder. */
function wishOf(
  io: Io,
  named: string | undefined,
  values: Readonly<Record<string, string>> = {},
): Readonly<Record<string, unknown>> {
  const caller = identityOf(io, values)
  if (named !== undefined && /^\d+$/.test(named)) return { effort_id: numberOf(named, 'EFFORT'), ...caller }
  // An empty name is usually an unset variable, so it must not mean the current folder.
  if (named !== undefined && (named === '' || !existsSync(resolve(io.cwd, named))))
    throw usage(
      `${JSON.stringify(named)} is neither the number of an effort nor a folder.`,
      'holdfast effort find-active',
    )
  // If several efforts are active in a folder, each session means its own.
  const place = named === undefined ? { path: io.cwd } : { dir: resolve(io.cwd, named) }
  return { ...place, ...caller }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw usage(`The handover note must be JSON: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

/** Work without a skill cannot be continued, and only its own session gets the note. */
function describe(io: Io, { effort_id, author, cut }: KeptDehydration, effort: Effort): string {
  const what = author === 'agent' ? 'a handover note' : 'the known state'
  const next = isAdHoc(effort) ? 'window of this session' : `session of effort ${effort_id}`
  const command = paint(io, 'cyan', resumeCommand({ id: effort_id }))
  return [
    `Saved ${what} for the next ${next}.`,
    ...cut.map((loss) => paint(io, 'yellow', `${loss}.`)),
    ...(isAdHoc(effort) ? [] : [`In the next session: ${command}`]),
  ].join('\n')
}
