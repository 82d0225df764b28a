import type { RunState, SkillRun } from '../../model/skill-run.ts'
import { numberOf } from '../frame/args.ts'
import { CALLER_FLAGS, callerOf } from '../frame/caller.ts'
import { callAs } from '../daemon/call-as.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { printResult } from '../frame/show.ts'
import { table } from '../frame/table.ts'
import { relativeTime } from '../../model/text/time.ts'

type ShownRun = SkillRun & { readonly path: string; readonly state: RunState }

const RUN = { RUN: 'folder name or id of the run' }
const STATES: Readonly<Record<RunState, string>> = {
  complete: '✓ complete',
  'in-progress': '⋯ in progress',
  gone: 'its folder is gone',
}

export const runList: Command = {
  name: 'run list',
  summary: 'List the runs in this project that have a folder, newest first.',
  usage: '',
  flags: {
    skill: { kind: 'value', summary: 'only runs of this skill' },
    effort: { kind: 'value', summary: 'only runs of this effort' },
    limit: { kind: 'value', summary: 'maximum number of runs (default 100)' },
  },
  async run(io, { values: { skill, effort, limit } }) {
    using remote = new Remote(io)
    const runs = await remote.call<readonly ShownRun[]>('run.list', {
      path: io.cwd,
      ...(skill !== undefined && { skill }),
      ...(effort !== undefined && { effort_id: numberOf(effort, '--effort') }),
      ...(limit !== undefined && { limit: numberOf(limit, '--limit') }),
    })
    const rows = runs.map(({ name, skill: of, effort_id, state, created_at }) => ({
      run: name,
      skill: of,
      effort: effort_id,
      state: STATES[state],
      begun: relativeTime(created_at),
    }))
    printResult(io, runs, () =>
      rows.length === 0 ? 'This project has no runs with a folder.' : table(io, rows),
    )
    return 0
  },
}

export const runShow: Command = {
  name: 'run show',
  summary: 'Show one run: its folder, its effort and its files.',
  usage: 'RUN',
  places: RUN,
  flags: {},
  async run(io, { positionals: [run] }) {
    using remote = new Remote(io)
    printResult(io, await remote.call('run.show', { run, path: io.cwd }))
    return 0
  },
}

export const runPublish: Command = {
  name: 'run publish',
  summary: 'Copy the synthesis of a run to reports/RUN.md in its project.',
  usage: 'RUN',
  places: RUN,
  flags: { force: { kind: 'switch', summary: 'replace a report with other content' } },
  async run(io, { positionals: [run], switches }) {
    using remote = new Remote(io)
    const params = { run, path: io.cwd, force: switches.has('force') }
    const result = await remote.call<{ report: string }>('run.publish', params)
    printResult(io, result, () => result.report)
    return 0
  },
}

export const runLog: Command = {
  name: 'run log',
  summary: 'Add a timestamped line to the log of a run.',
  usage: 'TEXT',
  places: { TEXT: 'the line' },
  flags: {
    run: { kind: 'value', summary: "name or id of the run (default: the caller's own, else the only one)" },
    effort: { kind: 'value', summary: 'number of the effort whose newest run is meant' },
    phase: { kind: 'value', summary: 'the current phase' },
    agent: CALLER_FLAGS.agent,
    native_id: CALLER_FLAGS.native_id,
  },
  async run(io, { positionals: [text], values }) {
    const { run, phase, effort } = values
    const { cwd: path, client: _, ...caller } = callerOf(io, values)
    using remote = new Remote(io)
    const result = await callAs<{ path: string }>(io, remote, 'run.log', {
      text,
      path,
      ...caller,
      ...(effort !== undefined && { effort_id: numberOf(effort, '--effort') }),
      ...(run !== undefined && { run }),
      ...(phase !== undefined && { phase }),
    })
    printResult(io, result, () => result.path)
    return 0
  },
}
