import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Offer } from '../../model/plan/pipeline.ts'
import type { PipelineState } from '../../engine/effort/pipeline-run.ts'
import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell/word.ts'
import { numberOf } from '../frame/args.ts'
import { projectHere } from '../daemon/project-here.ts'
import { CALLER_FLAGS, callerOf, identityOf } from '../frame/caller.ts'
import { callAs } from '../daemon/call-as.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { type Io, usage } from '../frame/io.ts'
import { cell, paint } from '../frame/print.ts'
import { printResult } from '../frame/show.ts'
import { nextLines } from '../frame/next-lines.ts'
import { countOf, describeOffer, parkedLine, stateText } from '../frame/step-screen.ts'
import { table } from '../frame/table.ts'
import { relativeTime } from '../../model/text/time.ts'

type Offered = PipelineState & { readonly offer: Offer | null }

const PIPELINE = 'number of the effort of the pipeline'
const STEP = 'id of the step; see holdfast pipeline status'

export const pipelineStart: Command = {
  name: 'pipeline start',
  summary: 'Start the pipeline of a skill on a task.',
  usage: 'TASK SKILL',
  places: {
    TASK: 'folder of the task; created if missing',
    SKILL: 'a skill whose holdfast.yaml defines a pipeline',
  },
  flags: {
    args: { kind: 'value', summary: 'value of $ARGUMENTS in its steps' },
    agent: CALLER_FLAGS.agent,
    native_id: CALLER_FLAGS.native_id,
  },
  examples: ['holdfast pipeline start . ship --args "dark mode"'],
  async run(io, { positionals: [task = '', skill = ''], values }) {
    using remote = new Remote(io)
    // An empty TASK is usually an unset variable, so it must not mean the current folder.
    if (task === '')
      throw usage(
        'pipeline start needs the folder of a task.',
        `holdfast pipeline start . ${skill === '' ? 'SKILL' : shellWord(skill)}`,
      )
    const { args } = values
    const caller = callerOf(io, values)
    const params = {
      task_id: folderOf(io, task),
      skill: skill.replace(/^\//, ''),
      ...caller,
      ...(args !== undefined && { args }),
    }
    const state = await callAs<PipelineState>(io, remote, 'pipeline.start', params)
    printResult(io, state, () => describeState(io, state))
    return 0
  },
}

export const pipelineNext: Command = {
  name: 'pipeline next',
  summary: 'Show the next step, or the started step that was not reported.',
  usage: 'EFFORT',
  places: { EFFORT: PIPELINE },
  flags: {},
  async run(io, { positionals: [effort = ''] }) {
    using remote = new Remote(io)
    return offer(
      io,
      await remote.call<Offered>('pipeline.next', { effort_id: idOf(effort), ...identityOf(io) }),
    )
  },
}

export const pipelineContinue: Command = {
  name: 'pipeline',
  summary: 'List the running pipelines of the project, or resume one with --continue.',
  usage: '[TASK]',
  places: {
    '[TASK]':
      "with --continue: folder of the task (default: the caller's own pipeline, else the only one here)",
  },
  flags: { continue: { kind: 'switch', summary: 'resume the pipeline of the task, also after a crash' } },
  examples: ['holdfast pipeline', 'holdfast pipeline --continue'],
  async run(io, { positionals: [task], switches }) {
    using remote = new Remote(io)
    const { client: _, ...caller } = callerOf(io, {})
    if (switches.has('continue'))
      return offer(
        io,
        await callAs<Offered>(io, remote, 'pipeline.continue', {
          ...(task !== undefined && { task_id: folderOf(io, task) }),
          ...caller,
        }),
      )
    if (task !== undefined)
      throw usage(
        `pipeline has no command ${JSON.stringify(task)}; it has start, next, done, fail and status.`,
        'holdfast pipeline --help',
      )
    const running = await runningIn(io, remote)
    printResult(io, running, () =>
      running.length === 0
        ? 'No pipeline is running here. Start one: holdfast pipeline start . SKILL'
        : table(io, running.map(toRow), { short: ['task'] }),
    )
    return 0
  },
}

const MOST_EFFORTS = 100

/** The running pipelines of the project, newest first. */
async function runningIn(io: Io, remote: Remote) {
  const project = await projectHere(io, remote)
  if (project === undefined) return []
  const efforts = await remote.call<readonly Effort[]>('db.effort.findActive', {
    project_id: project.id,
    limit: MOST_EFFORTS,
  })
  const found = efforts.map(async ({ id, task_id }) => ({ task_id, state: await stateOf(remote, id) }))
  return (await Promise.all(found)).flatMap(({ task_id, state }) =>
    state === undefined ? [] : [{ task_id, ...state }],
  )
}

/** Undefined for an effort without a pipeline. */
async function stateOf(remote: Remote, id: number): Promise<PipelineState | undefined> {
  try {
    return await remote.call<PipelineState>('pipeline.status', { effort_id: id })
  } catch (error) {
    if (error instanceof EngineError && error.code === 'conflict') return undefined
    throw error
  }
}

const toRow = ({
  effort_id,
  skill,
  status,
  steps,
  task_id,
}: PipelineState & { readonly task_id: string }) => ({
  effort: effort_id,
  skill,
  status: status === 'blocked' ? 'parked' : status,
  step: steps.find(({ state }) => state === 'started')?.step ?? null,
  task: task_id,
})

export const pipelineDone: Command = {
  name: 'pipeline done',
  summary: 'Report a step as done.',
  usage: 'EFFORT STEP',
  places: { EFFORT: PIPELINE, STEP },
  flags: {
    verified: { kind: 'value', summary: 'evidence that the condition of the step holds' },
    skip: { kind: 'value', summary: 'why this optional step is skipped' },
  },
  async run(io, { positionals: [effort = '', step = ''], values }) {
    return await report(io, 'pipeline.done', { effort_id: idOf(effort), step, ...identityOf(io), ...values })
  },
}

export const pipelineFail: Command = {
  name: 'pipeline fail',
  summary: 'Report a step as failed; it is retried up to its limit.',
  usage: 'EFFORT STEP',
  places: { EFFORT: PIPELINE, STEP },
  flags: { reason: { kind: 'value', summary: 'what went wrong' } },
  async run(io, { positionals: [effort = '', step = ''], values }) {
    const id = idOf(effort)
    if (values['reason'] === undefined)
      throw usage('A failure needs a reason.', `holdfast pipeline fail ${id} ${shellWord(step)} --reason WHY`)
    return await report(io, 'pipeline.fail', { effort_id: id, step, ...identityOf(io), ...values })
  },
}

export const pipelineStatus: Command = {
  name: 'pipeline status',
  summary: 'Show the steps of a pipeline, with their attempts and times.',
  usage: '[EFFORT]',
  places: { '[EFFORT]': `${PIPELINE} (default: the only one that runs here)` },
  flags: {},
  async run(io, { positionals: [effort] }) {
    const id = effort === undefined ? await onlyOne(io) : idOf(effort)
    return await report(io, 'pipeline.status', { effort_id: id })
  },
}

async function onlyOne(io: Io): Promise<number> {
  using remote = new Remote(io)
  const ids = (await runningIn(io, remote)).map(({ effort_id }) => effort_id)
  const [first, second] = ids
  if (first === undefined)
    throw new EngineError('not-found', 'No pipeline is running here.', {
      hint: 'holdfast pipeline start . SKILL',
    })
  if (second === undefined) return first
  throw usage(
    `Several pipelines are running here: ${ids.join(', ')}.`,
    `holdfast pipeline status ${ids.at(-1)}`,
  )
}

async function report(io: Io, method: string, params: Readonly<Record<string, unknown>>): Promise<number> {
  using remote = new Remote(io)
  const state = await remote.call<PipelineState>(method, params)
  printResult(io, state, () => describeState(io, state))
  return 0
}

/** Exits with 1 if the pipeline is parked, so that its caller notices. */
function offer(io: Io, state: Offered): number {
  const { offer: found } = state
  printResult(io, state, () =>
    found === null
      ? describeState(io, state)
      : [...state.failures.map(cell), describeOffer(io, found)].join('\n'),
  )
  return found === null && state.status === 'blocked' ? 1 : 0
}

function describeState(io: Io, state: PipelineState): string {
  const since = (time: unknown) => (typeof time === 'string' ? relativeTime(time) : null)
  const rows = state.steps.map((step) => ({
    step: step.step,
    state: stateText(step.state),
    attempts: step.attempts === 0 ? null : countOf(step.attempts, step.limit),
    started: 'started_at' in step ? since(step.started_at) : null,
    completed: 'completed_at' in step ? since(step.completed_at) : null,
  }))
  const isParked = state.status === 'blocked'
  const about = `effort ${state.effort_id}, ${isParked ? 'parked' : state.status}`
  return [
    `${paint(io, 'bold', cell(state.skill))}  ${paint(io, isParked ? 'red' : 'dim', about)}`,
    table(io, rows),
    ...parkedLine(state.reason),
    ...state.failures.map(cell),
    ...nextLines(io, state),
  ].join('\n')
}

const idOf = (effort: string): number => numberOf(effort, 'EFFORT')
const folderOf = (io: Io, task: string): string => resolve(realpathSync(io.cwd), task)
