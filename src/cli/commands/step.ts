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
import { printResult, printVerbatim } from '../frame/show.ts'
import { describeStanding } from '../frame/step-screen.ts'

const EFFORT: Flags = {
  effort: {
    kind: 'value',
    summary: "number of the effort (default: the caller's own, else the only one here)",
  },
  ...CALLER_FLAGS,
}
const PROOF: Flags = {
  proof: { kind: 'value', summary: 'what the current step must show: JSON, @file or - for stdin' },
}
const STEP = { '[STEP]': 'the step, by its label or id (default: the current one)' }
const FIELDS = 'a field of the proof, such as --tests-pass true'

export const step: Command = {
  name: 'step',
  summary: 'Show where an effort stands in its plan, and what ends the current step.',
  usage: '[SKILL]',
  places: { '[SKILL]': "a skill: shows the caller's effort of it" },
  flags: EFFORT,
  examples: ['holdfast step', 'holdfast step review', 'holdfast step --effort 3'],
  async run(io, { positionals: [skill], values }) {
    using remote = new Remote(io)
    const effort_id = await effortOf(io, remote, values, { skill, finished: true })
    return shown(io, await remote.call<Standing>('step.show', { effort_id, ...identityOf(io, values) }))
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
    set: { kind: 'value', summary: 'variables of the plan: NAME=VALUE,NAME=VALUE' },
    ...EFFORT,
  },
  otherFlags: FIELDS,
  examples: ['holdfast step done', 'holdfast step done build --effort 3 --tests-pass true'],
  run: (io, given) => leave(io, given, given.values['outcome'] ?? 'ok'),
}

export const stepFail: Command = {
  name: 'step fail',
  summary: 'End a step as failed; the plan says what follows.',
  usage: '[STEP]',
  places: STEP,
  flags: { reason: { kind: 'value', summary: 'what went wrong' }, ...EFFORT },
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
  flags: { reason: { kind: 'value', summary: 'why it is not needed' }, ...EFFORT },
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
    else return shown(io, moved)
    return 0
  },
}

async function leave(io: Io, { positionals: [word], values, others = {} }: Arguments, outcome: string) {
  using remote = new Remote(io)
  const effort_id = await effortOf(io, remote, values)
  const proof = await proofOf(io, remote, { effort_id, values, others, command: 'step done' })
  const { verified, reason, set } = values
  const moved = await remote.call<Standing>('step.leave', {
    effort_id,
    ...identityOf(io, values),
    outcome,
    ...(word !== undefined && { step: word }),
    ...(proof !== undefined && { proof }),
    ...(verified !== undefined && { verified }),
    ...(reason !== undefined && { reason }),
    ...(set !== undefined && { set: pairsIn(set) }),
  })
  return shown(io, moved)
}

/** Exits with 1 if the plan is parked, so that its caller notices. */
function shown(io: Io, standing: Standing): number {
  printResult(io, standing, () => describeStanding(io, standing))
  return standing.status === 'parked' ? 1 : 0
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

function pairsIn(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((part) => /^([^=]+)=(.*)$/s.exec(part.trim()))
  if (pairs.some((pair) => pair === null))
    throw usage('--set needs NAME=VALUE.', 'holdfast step done --set confidence=high')
  return Object.fromEntries(pairs.map((pair) => [pair?.[1]?.trim() ?? '', pair?.[2] ?? '']))
}

/** The named effort, else the one that the caller means. */
async function effortOf(
  io: Io,
  remote: Remote,
  values: Readonly<Record<string, string>>,
  { skill, finished }: { readonly skill?: string | undefined; readonly finished?: boolean } = {},
): Promise<number> {
  if (values['effort'] !== undefined) return numberOf(values['effort'], '--effort')
  const { client: _, ...caller } = callerOf(io, values)
  const wish = { ...caller, ...(skill !== undefined && { skill }), ...(finished === true && { finished }) }
  return (await callAs<Effort>(io, remote, 'commands.effort.meant', wish)).id
}
