import { realpathSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Standing } from '../../engine/effort/mover.ts'
import type { Check } from '../../model/check.ts'
import type { Effort } from '../../model/effort.ts'
import { EngineError, projectNotFound } from '../../model/error.ts'
import { quoted } from '../../model/text/line.ts'
import { shellWord } from '../../model/shell/word.ts'
import { startOn } from '../../model/task.ts'
import { type Flags, numberOf } from '../frame/args.ts'
import { projectAround } from '../daemon/project-here.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { nextLines } from '../frame/next-lines.ts'
import { describeEffort, type EffortInFull, effortTable } from '../frame/effort-screen.ts'
import { type Io, usage } from '../frame/io.ts'
import { cell, paint } from '../frame/print.ts'
import { printResult, printVerbatim } from '../frame/show.ts'
import { describeStanding } from '../frame/step-screen.ts'
import { callerOf, identityOf, withCaller } from '../frame/caller.ts'
import { proofFrom } from '../frame/proof.ts'
import { resultFrom } from '../frame/result.ts'

const places = { EFFORT: 'number of the effort; see holdfast effort list' }
const REASON: Flags = {
  reason: { kind: 'value', summary: 'why the user overrides the plan; recorded in the ledger' },
}

export const effortShow: Command = {
  name: 'effort show',
  summary: 'Show one effort: phases, steps, approvals, artifacts, sessions and the next action.',
  usage: 'EFFORT',
  places,
  flags: {},
  async run(io, { positionals: [effort = ''] }) {
    using remote = new Remote(io)
    const found = await remote.call<EffortInFull>('db.effort.get', { effort_id: idOf(effort) })
    printResult(io, found, () => describeEffort(io, found))
    return 0
  },
}

export const effortList: Command = {
  name: 'effort list',
  summary: 'List the efforts of a task, oldest first; outside a task, those of the project, newest first.',
  usage: '[TASK]',
  places: {
    '[TASK]':
      'folder of the task (default: the current folder; outside a task, only active efforts are listed)',
  },
  flags: {
    ad_hoc: { kind: 'switch', summary: 'include the standing effort for work without a skill' },
    all: { kind: 'switch', summary: 'list the finished efforts of the project too' },
  },
  async run(io, { positionals: [task], switches }) {
    // An empty TASK is usually an unset variable, so it must not mean the current folder.
    if (task === '') throw usage('TASK must not be empty.', 'holdfast effort list .')
    using remote = new Remote(io)
    const folder = resolve(realpathSync(io.cwd), task ?? '.')
    if (task === undefined && switches.has('all')) return await listAll(io, remote, folder)
    const params = { task_id: folder, ad_hoc: switches.has('ad_hoc') }
    const efforts = await remote.call<readonly Effort[]>('db.effort.list', params).catch((error: unknown) => {
      if (task === undefined && error instanceof EngineError && error.code === 'not-found') return undefined
      throw error
    })
    // The root of a project is a task too, usually without efforts of its own.
    if (efforts === undefined || (task === undefined && efforts.length === 0))
      return await listActive(io, remote, folder)
    printResult(io, efforts, () =>
      efforts.length === 0
        ? `This task has no effort yet. Start one: ${startOn(folder)}`
        : effortTable(io, efforts),
    )
    return 0
  },
}

/** Outside a task, the command lists the active efforts of the project. */
async function listActive(io: Io, remote: Remote, path: string): Promise<number> {
  const { efforts, next } = await remote.call<{
    efforts: readonly Effort[]
    next: string
  }>('db.project.status', { path, limit: MOST_ACTIVE })
  printResult(io, efforts, () =>
    efforts.length === 0
      ? `No effort is active here. Next: ${next}`
      : effortTable(io, efforts, (task) => relative(path, task)),
  )
  return 0
}

/** The efforts of the project, finished or not. */
async function listAll(io: Io, remote: Remote, path: string): Promise<number> {
  const project = await projectAround(remote, path)
  if (project === undefined) throw projectNotFound(path)
  const params = { project_id: project.id, finished: true, limit: MOST_LISTED }
  const efforts = await remote.call<readonly Effort[]>('db.effort.findActive', params)
  printResult(io, efforts, () =>
    efforts.length === 0
      ? 'This project has no effort yet.'
      : effortTable(io, efforts, (task) => relative(path, task)),
  )
  return 0
}

const MOST_ACTIVE = 100
const MOST_LISTED = 1000

export const effortPhase: Command = {
  name: 'effort phase',
  summary: 'Enter a phase, with proof for the current phase.',
  usage: 'EFFORT LABEL',
  places: { ...places, LABEL: 'the phase, as 3.A or "3.A: Build Loop"' },
  flags: { proof: { kind: 'value', summary: 'the proof: JSON, @file or - for stdin' }, ...REASON },
  otherFlags: 'a field of the proof, such as --tests-pass true',
  examples: [
    'holdfast effort phase 3 2 --tests-pass true',
    'holdfast effort phase 3 "4: Synthesis" --proof \'{"tests_pass": true}\'',
    'holdfast effort phase 3 4 --reason "the rest is not needed"',
  ],
  async run(io, { positionals: [effort = '', label = ''], values, others = {} }) {
    using remote = new Remote(io)
    const id = idOf(effort)
    const proof = await proofFrom(
      io,
      { json: values['proof'], fields: others, command: 'effort phase' },
      () => remote.call<EffortInFull>('db.effort.get', { effort_id: id }),
    )
    const { reason } = values
    const entered = await remote.call<Entered>('db.effort.phase', {
      effort_id: id,
      ...identityOf(io),
      label,
      ...(proof !== undefined && { proof }),
      ...(reason !== undefined && { reason }),
    })
    // The text of a step is the skill's own, so it keeps its lines.
    if (entered.text != null) printVerbatim(io, entered, () => entered.text ?? '')
    else if (entered.current_phase === null) {
      const standing = await remote.call<Standing>('step.show', { effort_id: id })
      printResult(io, entered, () => describeStanding(io, standing))
    } else printResult(io, entered, () => whereItIs(io, entered))
    return 0
  },
}

interface Entered extends EffortInFull {
  readonly entered: boolean
  /** The text of a step that is a file. */
  readonly text?: string | null
}

function whereItIs(io: Io, effort: Entered): string {
  const { entered, current_phase, next_phases: next, proof_to_leave: proof, id } = effort
  const word = entered ? 'Entered' : 'Still in'
  return [
    `${word} ${paint(io, 'bold', cell(current_phase))}.`,
    ...(proof.length === 0 ? [] : [`Proof to leave it: ${proof.map(cell).join(', ')}.`]),
    next.length === 0
      ? `No phase follows. When the work is done: ${paint(io, 'cyan', `holdfast effort finish ${id}`)}`
      : `next: ${next.map(cell).join(' or ')}`,
  ].join('\n')
}

interface Approved {
  readonly kind: string
  readonly subject: string
  /** The proof without which the current step cannot be left. */
  readonly still_owed: readonly string[]
  /** The command that goes on. */
  readonly next: readonly string[]
}

export const effortApprove: Command = {
  name: 'effort approve',
  summary: 'Record that the user allows a phase or step out of order, or waives a field of proof, once.',
  usage: 'EFFORT SUBJECT',
  places: { ...places, SUBJECT: 'label of the phase, id of the step, or field of proof' },
  flags: REASON,
  examples: ['holdfast effort approve 3 build --reason "tests are slow today, try once more"'],
  async run(io, { positionals: [effort = '', subject = ''], values }) {
    const id = idOf(effort)
    const { reason } = values
    if (reason === undefined)
      throw usage(
        'An approval needs a reason.',
        `holdfast effort approve ${id} ${shellWord(subject)} --reason WHY`,
      )
    using remote = new Remote(io)
    const params = { effort_id: id, subject, reason }
    const named = withCaller(io, 'db.effort.approve', params)
    const approval = await remote.call<Approved>('db.effort.approve', named)
    const lines = [
      `Approved, for once: ${cell(approval.kind)} ${cell(approval.subject)} (${cell(reason)}).`,
      ...approval.still_owed.map(
        (field) =>
          `The current step still owes ${quoted(field)}. To waive it too: holdfast effort approve ${id} ${shellWord(field)} --reason WHY`,
      ),
      ...nextLines(io, approval),
    ]
    printResult(io, approval, () => lines.join('\n'))
    return 0
  },
}

export const effortValidate: Command = {
  name: 'effort validate',
  summary: 'Check an effort against its plan and its files; exits with 1 if a check fails.',
  usage: 'EFFORT',
  places,
  flags: {},
  async run(io, { positionals: [effort = ''] }) {
    using remote = new Remote(io)
    const report = await remote.call<{ valid: boolean; checks: readonly Check[] }>('db.effort.validate', {
      effort_id: idOf(effort),
    })
    printResult(io, report, () => report.checks.flatMap((check) => checkLines(io, check)).join('\n'))
    return report.valid ? 0 : 1
  },
}

function checkLines(io: Io, { check, pass, detail, findings }: Check): readonly string[] {
  const mark = pass ? paint(io, 'green', 'pass') : paint(io, 'red', 'fail')
  const lines = findings.map(({ file, line, text }) => `        ${cell(file)}:${line}: ${cell(text)}`)
  return [`${mark}  ${paint(io, 'bold', cell(check))}  ${cell(detail)}`, ...lines]
}

export const effortFinish: Command = {
  name: 'effort finish',
  summary: 'Finish an effort, keep its artifacts, and release its agent.',
  usage: 'EFFORT',
  places,
  flags: {
    keywords: { kind: 'value', summary: 'search words for the task, separated by commas' },
    description: { kind: 'value', summary: 'what was done; stored with the effort' },
    proof: { kind: 'value', summary: 'the proof of the last phase: JSON, @file or - for stdin' },
    result: { kind: 'value', summary: 'what the effort ends with: JSON, @file or - for stdin' },
    abandon: { kind: 'value', summary: 'why it ends although something is open; recorded in the ledger' },
  },
  otherFlags: 'a field of the proof, such as --tests-pass true',
  examples: [
    `holdfast effort finish 3 --result '{"url": "https://example.com/pull/7"}'`,
    'holdfast effort finish 3 --result @result.json --keywords login,oauth',
  ],
  async run(io, { positionals: [effort = ''], values, others = {} }) {
    using remote = new Remote(io)
    const id = idOf(effort)
    const { proof: json, result: typed, ...more } = values
    const result = resultFrom(io, typed)
    const proof = await proofFrom(io, { json, fields: others, command: 'effort finish' }, () =>
      remote.call<EffortInFull>('db.effort.get', { effort_id: id }),
    )
    const { native_id = null } = callerOf(io, {})
    const finished = await remote.call<Finished>('db.effort.finish', {
      effort_id: id,
      ...identityOf(io),
      ...more,
      // A session that works on it learns that somebody else has given it up.
      ...(more['abandon'] !== undefined && { native_id }),
      ...(proof !== undefined && { proof }),
      ...(result !== undefined && { result }),
    })
    printResult(io, finished, () =>
      [
        `Effort ${finished.id} (${cell(finished.skill)}) ${more['abandon'] === undefined ? 'finished' : 'abandoned'} in ${cell(finished.task_id)}.`,
        ...nextLines(io, { next: finished.next ?? [] }),
      ].join('\n'),
    )
    return 0
  },
}

/** With what follows in its chain. */
type Finished = Effort & { readonly next?: readonly string[] }

const idOf = (effort: string): number => numberOf(effort, 'EFFORT')
