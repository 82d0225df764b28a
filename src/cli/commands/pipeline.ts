import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Offer } from '../../model/plan/pipeline.ts'
import type { PipelineState } from '../../engine/effort/pipeline-run.ts'
import { shellWord } from '../../model/shell/word.ts'
import { numberOf } from '../frame/args.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { type Io, usage } from '../frame/io.ts'
import { cell, paint } from '../frame/print.ts'
import { printResult } from '../frame/show.ts'
import { table } from '../frame/table.ts'
import { relativeTime } from '../../model/text/time.ts'

type Offered = PipelineState & { readonly offer: Offer | null }

const PIPELINE = 'the effort that the pipeline runs as'
const STEP = 'its id, as in holdfast pipeline status'

export const pipelineStart: Command = {
  name: 'pipeline start',
  summary: 'Begin the pipeline of a skill on a task.',
  usage: 'TASK SKILL',
  places: {
    TASK: 'its folder; it is made where it is not there',
    SKILL: 'the skill whose holdfast.yaml has the pipeline',
  },
  flags: {
    args: { kind: 'value', summary: 'what $ARGUMENTS stands for in its steps' },
    agent: { kind: 'value', summary: 'the agent that is to own it' },
  },
  examples: ['holdfast pipeline start . ship --args "dark mode"'],
  async run(io, { positionals: [task = '', skill = ''], values }) {
    using remote = new Remote(io)
    // A variable that is not set is not the folder that somebody happens to be in.
    if (task === '')
      throw usage(
        'pipeline start needs the folder of a task.',
        `holdfast pipeline start . ${skill === '' ? 'SKILL' : shellWord(skill)}`,
      )
    const { args, agent } = values
    const params = {
      task_id: folderOf(io, task),
      skill: skill.replace(/^\//, ''),
      cwd: io.cwd,
      ...(args !== undefined && { args }),
      ...(agent !== undefined && { agent_id: agent }),
    }
    const state = await remote.call<PipelineState>('pipeline.start', params)
    printResult(io, state, () => describeState(io, state))
    return 0
  },
}

export const pipelineNext: Command = {
  name: 'pipeline next',
  summary: 'What to do now: the next step, or again the one that was begun and not reported.',
  usage: 'EFFORT',
  places: { EFFORT: PIPELINE },
  flags: {},
  async run(io, { positionals: [effort = ''] }) {
    using remote = new Remote(io)
    return offer(io, await remote.call<Offered>('pipeline.next', { effort_id: idOf(effort) }))
  },
}

export const pipelineContinue: Command = {
  name: 'pipeline',
  summary: 'Go on with the pipeline of a task where it was left, after a crash at any point.',
  usage: '[TASK]',
  places: { '[TASK]': 'its folder; without it, the one that you are in' },
  flags: { continue: { kind: 'switch', summary: 'go on' } },
  examples: ['holdfast pipeline --continue'],
  async run(io, { positionals: [task = '.'], switches }) {
    if (!switches.has('continue'))
      throw usage(
        'Say what to do with the pipeline: start, next, done, fail, status or --continue.',
        'holdfast pipeline --help',
      )
    using remote = new Remote(io)
    return offer(io, await remote.call<Offered>('pipeline.continue', { task_id: folderOf(io, task) }))
  },
}

export const pipelineDone: Command = {
  name: 'pipeline done',
  summary: 'Report a step as done.',
  usage: 'EFFORT STEP',
  places: { EFFORT: PIPELINE, STEP },
  flags: {
    verified: { kind: 'value', summary: 'what was seen of the condition of the step' },
    skip: { kind: 'value', summary: 'why an optional step was left out instead' },
  },
  async run(io, { positionals: [effort = '', step = ''], values }) {
    return await report(io, 'pipeline.done', { effort_id: idOf(effort), step, ...values })
  },
}

export const pipelineFail: Command = {
  name: 'pipeline fail',
  summary: 'Report a step as failed; it is tried again while its limit lasts.',
  usage: 'EFFORT STEP',
  places: { EFFORT: PIPELINE, STEP },
  flags: { reason: { kind: 'value', summary: 'what went wrong' } },
  async run(io, { positionals: [effort = '', step = ''], values }) {
    const id = idOf(effort)
    if (values['reason'] === undefined)
      throw usage('A failure needs a reason.', `holdfast pipeline fail ${id} ${shellWord(step)} --reason WHY`)
    return await report(io, 'pipeline.fail', { effort_id: id, step, ...values })
  },
}

export const pipelineStatus: Command = {
  name: 'pipeline status',
  summary: 'How far a pipeline is: each step, its attempts, when it started and when it completed.',
  usage: 'EFFORT',
  places: { EFFORT: PIPELINE },
  flags: {},
  async run(io, { positionals: [effort = ''] }) {
    return await report(io, 'pipeline.status', { effort_id: idOf(effort) })
  },
}

async function report(io: Io, method: string, params: Readonly<Record<string, unknown>>): Promise<number> {
  using remote = new Remote(io)
  const state = await remote.call<PipelineState>(method, params)
  printResult(io, state, () => describeState(io, state))
  return 0
}

/** A pipeline that is blocked has nothing to offer, and whoever runs it must notice. */
function offer(io: Io, state: Offered): number {
  const { offer: found } = state
  printResult(io, state, () => (found === null ? describeState(io, state) : describeOffer(io, found)))
  return found === null && state.status === 'blocked' ? 1 : 0
}

const DO = { skill: 'Call this skill', command: 'Run this command', prompt: 'Do this' } as const

function describeOffer(io: Io, found: Offer): string {
  const { position, title, kind, call, verify, attempt, limit, resumed, report: how } = found
  return [
    `${position} ${paint(io, 'bold', cell(title))}  ${paint(io, 'dim', `attempt ${countOf(attempt, limit)}`)}`,
    ...(resumed
      ? ['It was begun before, and nobody said how it ended: look at what is there before repeating it.']
      : []),
    `${DO[kind]}: ${paint(io, 'cyan', cell(call))}`,
    ...(verify === null ? [] : [`It is done when ${cell(verify)}.`]),
    `Then: ${paint(io, 'cyan', cell(how.done))}`,
    `If it fails: ${cell(how.fail)}`,
  ].join('\n')
}

/** The user may let a step be tried more often than the plan does. */
function countOf(attempts: number, limit: number | null): string {
  if (limit === null) return String(attempts)
  return attempts > limit ? `${attempts} (limit ${limit})` : `${attempts} of ${limit}`
}

function describeState(io: Io, state: PipelineState): string {
  const since = (time: unknown) => (typeof time === 'string' ? relativeTime(time) : null)
  const rows = state.steps.map((step) => ({
    step: step.step,
    state: step.state,
    attempts: step.attempts === 0 ? null : countOf(step.attempts, step.limit),
    started: 'started_at' in step ? since(step.started_at) : null,
    completed: 'completed_at' in step ? since(step.completed_at) : null,
  }))
  const about = `effort ${state.effort_id}, ${state.status}`
  return [
    `${paint(io, 'bold', cell(state.skill))}  ${paint(io, state.status === 'blocked' ? 'red' : 'dim', about)}`,
    table(io, rows),
    ...(state.reason === null ? [] : [cell(state.reason)]),
    ...state.next.map((action) => `next: ${paint(io, 'cyan', cell(action))}`),
  ].join('\n')
}

const idOf = (effort: string): number => numberOf(effort, 'EFFORT')
const folderOf = (io: Io, task: string): string => resolve(realpathSync(io.cwd), task)
