import { resolve } from 'node:path'
import type { RunbookState, RunbookSteps } from '../../engine/effort/runbook-run.ts'
import { EngineError } from '../../model/error.ts'
import { callAs } from '../daemon/call-as.ts'
import { Remote } from '../daemon/remote.ts'
import { numberOf } from '../frame/args.ts'
import { CALLER_FLAGS, callerOf, identityOf } from '../frame/caller.ts'
import type { Command } from '../frame/command.ts'
import { type Io, usage } from '../frame/io.ts'
import { describeHand, describeReport, describeRun } from '../frame/runbook-screen.ts'
import { printLines, printResult } from '../frame/show.ts'
import { workTreeOf } from '../step/work-tree.ts'

const PATH = { '[PATH|NAME]': "folder of the runbook, or its name below plans/ (default: the caller's own)" }
const FLAGS = {
  effort: { kind: 'value', summary: 'number of the effort that carries out the runbook' },
  ...CALLER_FLAGS,
} as const

export const runbookNext: Command = {
  name: 'runbook next',
  summary: 'Begin a runbook or go on with it: print the one step to hand out now.',
  usage: '[PATH|NAME]',
  places: PATH,
  flags: {
    again: { kind: 'switch', summary: 'carry out once more what was carried out' },
    ...FLAGS,
  },
  examples: ['holdfast runbook next plans/auth', 'holdfast runbook next --effort 3 --json'],
  async run(io, { positionals: [word], values, switches }) {
    using remote = new Remote(io)
    const { folder, ...meant } = await folderMeant(io, remote, word, values)
    const tree = await workTreeOf(io, folder)
    const state = await callAs<RunbookState>(io, remote, 'runbook.next', {
      ...meant,
      ...callerOf(io, values),
      ...(switches.has('again') && { again: true }),
      ...(tree !== undefined && { tree }),
    })
    printLines(io, state, () => describeHand(io, state))
    return state.status === 'parked' ? 1 : 0
  },
}

export const runbookReport: Command = {
  name: 'runbook report',
  summary: 'Report how a step of a runbook ended: done, or error with its category.',
  usage: 'STEP OUTCOME',
  places: { STEP: 'the step, as it was handed out', OUTCOME: 'done or error' },
  flags: {
    category: { kind: 'value', summary: 'the word after "error:" in the answer of the sub-agent' },
    reason: { kind: 'value', summary: 'the rest of that answer' },
    visit: { kind: 'value', summary: 'which try is meant; one that was reported moves nothing' },
    ...FLAGS,
  },
  examples: [
    'holdfast runbook report step-1-1 done --effort 3',
    'holdfast runbook report step-1-2 error --effort 3 --category execution --reason "two tests fail"',
  ],
  async run(io, { positionals: [step = '', outcome = ''], values }) {
    if (outcome !== 'done' && outcome !== 'error')
      throw usage(
        `A step ends with done or error, not with ${JSON.stringify(outcome)}.`,
        'holdfast runbook report STEP done --effort EFFORT',
      )
    using remote = new Remote(io)
    const { category, reason, visit } = values
    const state = await callAs<RunbookState & { readonly moved: boolean }>(io, remote, 'runbook.report', {
      ...(await meantBy(io, undefined, values)),
      ...whoIn(io, values),
      step,
      outcome,
      ...(category !== undefined && { category }),
      ...(reason !== undefined && { reason }),
      ...(visit !== undefined && { visit: numberOf(visit, '--visit') }),
    })
    printResult(io, state, () => describeReport(io, state, { step, outcome }))
    return 0
  },
}

export const runbookStatus: Command = {
  name: 'runbook status',
  summary: 'Show each step of a runbook with its tries, model and outcome, and what comes next.',
  usage: '[PATH|NAME]',
  places: PATH,
  flags: FLAGS,
  async run(io, { positionals: [word], values }) {
    using remote = new Remote(io)
    const params = { ...(await meantBy(io, word, values)), ...whoIn(io, values) }
    const state = await remote.call<RunbookSteps>('runbook.status', params)
    printResult(io, state, () => describeRun(io, state))
    return 0
  },
}

const whoIn = (io: Io, values: Readonly<Record<string, string>>) => ({
  cwd: resolve(io.cwd),
  ...identityOf(io, values),
})

interface Meant {
  readonly runbook?: string
  readonly effort_id?: number
}

/** What a call names, with the folder; without anything, the caller's own runbook, else the only one of the project. */
async function folderMeant(
  io: Io,
  remote: Remote,
  word: string | undefined,
  values: Readonly<Record<string, string>>,
): Promise<Meant & { readonly folder: string }> {
  const meant = await meantBy(io, word, values)
  if (meant.runbook !== undefined) return { ...meant, folder: meant.runbook }
  try {
    const { effort, folder } = await remote.call<RunbookState>('runbook.status', {
      ...meant,
      ...whoIn(io, values),
    })
    return { effort_id: effort, folder }
  } catch (error) {
    const isNone = error instanceof EngineError && error.code === 'not-found' && meant.effort_id === undefined
    if (!isNone) throw error
    const folder = await folderAt(io)
    return { runbook: folder, folder }
  }
}

/** The runbook or the effort that a call names; neither means the caller's own. */
async function meantBy(
  io: Io,
  word: string | undefined,
  { effort }: Readonly<Record<string, string>>,
): Promise<Meant> {
  return {
    ...(word !== undefined && { runbook: await folderAt(io, word) }),
    ...(effort !== undefined && { effort_id: numberOf(effort, '--effort') }),
  }
}

/** Loaded on first use, because the reader of runbooks would be slow at startup. */
const folderAt = async (io: Io, word?: string): Promise<string> =>
  (await import('../runbook/find.ts')).findRunbook(io, word).folder
