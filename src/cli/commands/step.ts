import type { Standing } from '../../engine/effort/mover.ts'
import type { Effort } from '../../model/effort.ts'
import type { Arguments, Flags } from '../frame/args.ts'
import { numberOf } from '../frame/args.ts'
import { CALLER_FLAGS, callerOf, identityOf } from '../frame/caller.ts'
import { callAs } from '../daemon/call-as.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import type { EffortInFull } from '../frame/effort-screen.ts'
import { type Io, usage } from '../frame/io.ts'
import { proofFrom } from '../frame/proof.ts'
import { printVerbatim } from '../frame/show.ts'
import { valuesFrom } from '../frame/values.ts'
import { CHILD_FLAGS, childEffort } from '../step/child-effort.ts'
import { goneOn, nothingStarted, opened, setFrom } from '../step/open-step.ts'
import { runSteps } from '../step/run-steps.ts'
import { SEED_FLAGS, seedForm } from '../step/seed-form.ts'
import { shown } from '../step/show-step.ts'

const EFFORT: Flags = {
  effort: {
    kind: 'value',
    summary: "number of the effort (default: the caller's own, else the only one here)",
  },
  format: { kind: 'value', summary: 'how to print a step of a workflow: xml, text or json' },
  ...CALLER_FLAGS,
}
const VISIT: Flags = {
  visit: { kind: 'value', summary: 'which visit of the step is meant; one that has ended moves nothing' },
}
const CHILD: Flags = { child: CHILD_FLAGS.child }
const SET: Flags = {
  set: { kind: 'value', many: true, summary: 'variables of the plan: NAME=VALUE,NAME=VALUE' },
}
const PROOF: Flags = {
  proof: { kind: 'value', summary: 'what the current step must show: JSON, @file or - for stdin' },
}
const STEP = { '[STEP]': 'the step, by its label or id (default: the current one)' }
const FIELDS = 'a field of the proof, such as --tests-pass true'

export const step: Command = {
  name: 'step',
  summary: 'Show where an effort stands in its plan; of a workflow, begin it and print its step.',
  usage: '[SKILL]',
  places: { '[SKILL]': "a skill: shows the caller's effort of it, or begins the workflow" },
  flags: {
    param: { kind: 'value', many: true, summary: 'what a workflow is given at its start: NAME=VALUE' },
    outcome: { kind: 'value', summary: 'end the current step with this outcome first' },
    ...SET,
    ...CHILD_FLAGS,
    ...VISIT,
    ...EFFORT,
    ...SEED_FLAGS,
  },
  examples: [
    'holdfast step',
    'holdfast step review',
    'holdfast step --effort 3',
    'holdfast step decide --param decision="use PostgreSQL"',
  ],
  async run(io, given) {
    const { positionals, values } = given
    using remote = new Remote(io)
    const effort_id =
      values['parent'] === undefined
        ? await startedEffort(io, remote, given)
        : await childEffort(io, remote, { word: positionals[0], values })
    if (effort_id === undefined) return 0
    const standing = await opened(io, remote, { effort_id, values })
    const form = seedForm(given)
    const isAsked = values['outcome'] !== undefined || values['set'] !== undefined
    if (standing.view == null || (form === undefined && !isAsked)) {
      if (isAsked) throw nothingStarted(standing, positionals[0])
      return shown(io, standing, values)
    }
    return shown(io, await goneOn(io, remote, { given, standing, view: standing.view, form }), values)
  },
}

export const stepDone: Command = {
  name: 'step done',
  summary: 'End a step as done, and start the one that follows.',
  usage: '[STEP]',
  places: STEP,
  flags: {
    ...PROOF,
    verified: { kind: 'value', summary: 'what shows that the condition of the step is met' },
    outcome: { kind: 'value', summary: 'another outcome of the plan, such as again' },
    ...SET,
    ...CHILD,
    ...VISIT,
    ...EFFORT,
  },
  otherFlags: FIELDS,
  examples: ['holdfast step done', 'holdfast step done build --effort 3 --tests-pass true'],
  run: (io, given) => leave(io, given, given.values['outcome']),
}

export const stepFail: Command = {
  name: 'step fail',
  summary: 'End a step as failed; the plan says what follows.',
  usage: '[STEP]',
  places: STEP,
  flags: { reason: { kind: 'value', summary: 'what went wrong' }, ...CHILD, ...VISIT, ...EFFORT },
  examples: ['holdfast step fail build --reason "two tests fail"'],
  run(io, given) {
    if (given.values['reason'] === undefined)
      throw usage('A failure needs a reason.', 'holdfast step fail --reason "two tests fail"')
    return leave(io, given, 'fail')
  },
}

export const stepSkip: Command = {
  name: 'step skip',
  summary: 'Skip an optional step.',
  usage: '[STEP]',
  places: STEP,
  flags: { reason: { kind: 'value', summary: 'why it is not needed' }, ...VISIT, ...EFFORT },
  run: (io, given) => leave(io, given, 'skip'),
}

export const stepGo: Command = {
  name: 'step go',
  summary: 'Start a step: the current one ends with it, if it owes nothing.',
  usage: '[STEP]',
  places: { '[STEP]': 'the step, by its label or id (default: the only one that may follow)' },
  flags: {
    ...PROOF,
    reason: { kind: 'value', summary: 'why the user overrides the order; recorded in the ledger' },
    ...EFFORT,
  },
  otherFlags: FIELDS,
  examples: [
    'holdfast step go 2 --effort 3',
    'holdfast step go review --effort 3 --proof \'{"tests_pass": true}\'',
  ],
  async run(io, { positionals: [word], values, others = {} }) {
    using remote = new Remote(io)
    const effort_id = await effortOf(io, remote, values)
    const proof = await proofOf(io, remote, { effort_id, values, others, command: 'step go' })
    const { reason } = values
    const moved = await remote.call<Standing & { readonly text: string | null }>('step.enter', {
      effort_id,
      ...identityOf(io, values),
      ...(word !== undefined && { step: word }),
      ...(proof !== undefined && { proof }),
      ...(reason !== undefined && { reason }),
    })
    // The text of a step is the skill's own, so it keeps its lines.
    if (moved.text !== null) printVerbatim(io, moved, () => moved.text ?? '')
    else return shown(io, await runSteps(io, remote, { standing: moved, values }), values)
    return 0
  },
}

async function leave(io: Io, given: Arguments, outcome: string | undefined): Promise<number> {
  const { positionals, values, others = {}, lists = {} } = given
  const [word] = positionals
  using remote = new Remote(io)
  const effort_id = await effortOf(io, remote, values)
  const proof = await proofOf(io, remote, { effort_id, values, others, command: 'step done' })
  const { verified, reason, visit, child } = values
  const set = setFrom(lists)
  const moved = await remote.call<Standing>('step.leave', {
    effort_id,
    ...identityOf(io, values),
    ...(outcome !== undefined && { outcome }),
    ...(word !== undefined && { step: word }),
    ...(visit !== undefined && { visit: numberOf(visit, '--visit') }),
    ...(child !== undefined && { child: numberOf(child, '--child') }),
    ...(proof !== undefined && { proof }),
    ...(verified !== undefined && { verified }),
    ...(reason !== undefined && { reason }),
    ...(Object.keys(set).length > 0 && { set }),
  })
  return shown(io, await runSteps(io, remote, { standing: moved, values }), values)
}

/** The effort of a call: a named workflow begins one. */
async function startedEffort(io: Io, remote: Remote, { positionals, values, lists = {} }: Arguments) {
  const [skill] = positionals
  const example = 'holdfast step SKILL --param NAME=VALUE'
  if (skill === undefined && values['param'] !== undefined)
    throw usage('--param needs the skill that is begun.', example)
  if (skill === undefined) return await effortOf(io, remote, values, { finished: true })
  const { effort } = values
  const { effort_id } = await callAs<{ readonly effort_id: number }>(io, remote, 'step.start', {
    skill: skill.replace(/^\//, ''),
    ...callerOf(io, values),
    ...(effort !== undefined && { effort_id: numberOf(effort, '--effort') }),
    params: valuesFrom(lists['param'] ?? [], { flag: 'param', example }),
  })
  return effort_id
}

interface Typed {
  readonly effort_id: number
  readonly values: Readonly<Record<string, string>>
  readonly others: Readonly<Record<string, string>>
  readonly command: string
}

const proofOf = (io: Io, remote: Remote, { effort_id, values, others, command }: Typed) =>
  proofFrom(io, { json: values['proof'], fields: others, command }, () =>
    remote.call<EffortInFull>('db.effort.get', { effort_id }),
  )

/** The named effort, else the one that the caller means. */
async function effortOf(
  io: Io,
  remote: Remote,
  values: Readonly<Record<string, string>>,
  { finished }: { readonly finished?: boolean } = {},
): Promise<number> {
  if (values['effort'] !== undefined) return numberOf(values['effort'], '--effort')
  const { client: _, ...caller } = callerOf(io, values)
  const wish = { ...caller, ...(finished === true && { finished }) }
  return (await callAs<Effort>(io, remote, 'commands.effort.meant', wish)).id
}
