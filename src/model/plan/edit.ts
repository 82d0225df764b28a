import { planIn, type Skill } from '../skill.ts'
import { listed } from '../text/line.ts'
import { phaseText } from './phase.ts'
import type { Plan, Step } from './plan.ts'

/** The parts of a skill that decide; other text may change freely. */
type Deciding = Pick<Skill, 'plan' | 'phases' | 'digest' | 'details' | 'file'>

/** What of a skill decides about an effort, as plain data: the same data means the same plan. */
export interface Judged {
  readonly steps: ReadonlyMap<string, { readonly name: string; readonly says: unknown }>
  readonly rest: Readonly<Record<string, unknown>>
}

/** Lines, instructions and titles of step files are only read, so they are left out; what a workflow prints counts. */
export function judgedIn(skill: Deciding): Judged {
  const plan = planIn(skill)
  const { steps = [], workflows, ...rest } = plan ?? {}
  return {
    steps: new Map(
      steps.map((step) => [step.id, { name: nameIn(plan, step), says: judgedStep(plan, step, skill.file) }]),
    ),
    rest: {
      ...rest,
      ...(workflows !== undefined && { workflows: judgedBelow(workflows, skill.file) }),
      refuses: skill.details?.enforceable ?? false,
      todos: skill.details?.required_todos ?? [],
      ...(skill.details?.result !== undefined && { result: skill.details.result }),
    },
  }
}

/** The workflows of sub-agents, however deep. */
const judgedBelow = (workflows: NonNullable<Plan['workflows']>, file: string | null): unknown =>
  Object.entries(workflows).map(([name, plan]) => {
    const { steps, workflows: below = {}, ...rest } = plan
    const says = steps.map((step) => judgedStep(plan, step, file))
    return { name, ...rest, steps: says, workflows: judgedBelow(below, file) }
  })

function judgedStep(plan: Plan | undefined, step: Step, file: string | null): unknown {
  const { place, actions, phase, title, ...judged } = step
  if (plan?.format !== undefined) return { ...judged, title, actions, phase }
  // The steps of a runbook follow each other as they stand in it, so an inserted one changes no other.
  if (plan?.runbook !== undefined) return { ...judged, title, next: Object.keys(judged.next ?? {}) }
  if (plan?.notation !== 'steps') return { ...judged, title }
  // Its path below the folder of the skill, which may be a link or another checkout.
  return { ...judged, file: place.file.slice((file ?? '').lastIndexOf('/') + 1) }
}

const nameIn = (plan: Plan | undefined, { id, label, title }: Step): string =>
  plan?.notation === 'phases' ? phaseText({ label, name: title }) : id

/** How a plan differs from the one before, by the names of steps. */
export interface PlanDifference {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
  /** Changed parts that concern no single step. */
  readonly parts: readonly string[]
}

/** The difference between two plans. */
export function differenceOf(before: Judged, after: Judged): PlanDifference {
  const [old, now] = [before.steps, after.steps]
  const names = (from: Judged['steps'], isMeant: (id: string) => boolean) =>
    [...from].flatMap(([id, { name }]) => (isMeant(id) ? [name] : []))
  const kept = (of: Judged['steps'], other: Judged['steps']) => [...of.keys()].filter((id) => other.has(id))
  const added = names(now, (id) => !old.has(id))
  const removed = names(old, (id) => !now.has(id))
  const changed = names(now, (id) => old.has(id) && !isSame(old.get(id), now.get(id)))
  // Changed steps often explain a new order.
  const isMoved =
    added.length + removed.length + changed.length === 0 && !isSame(kept(old, now), kept(now, old))
  const fields = new Set([...Object.keys(before.rest), ...Object.keys(after.rest)])
  const parts = [...fields].filter((field) => !isSame(before.rest[field], after.rest[field]))
  return {
    added,
    removed,
    changed,
    parts: [...(isMoved ? ['the order of the steps'] : []), ...parts.map((field) => PARTS[field] ?? field)],
  }
}

const PARTS: Readonly<Record<string, string>> = {
  refuses: 'whether it can refuse',
  explicit: 'whether it is explicit',
  todos: 'the required todos',
  result: 'the result',
  demands: 'the evidence',
  entry: 'the first steps',
  faulty: 'the steps with errors',
  gate: 'the gate',
  hold: 'the hold',
  inputs: 'the inputs',
  notation: 'the notation',
  variables: 'the variables',
  params: 'the params',
  state: 'the state',
  texts: 'the texts that it names',
  workflows: 'the workflows of sub-agents',
  activate: 'when it begins',
  format: 'the format',
}

/** Data without functions is the same if its text is. */
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The difference in words: "adds check; removes review; changes build and the gate". */
export function differenceText({ added, removed, changed, parts }: PlanDifference): string {
  const said = [
    ['adds', added],
    ['removes', removed],
    ['changes', [...changed, ...parts]],
  ] as const
  return said
    .flatMap(([verb, names]) => (names.length === 0 ? [] : [`${verb} ${listed(names, ROOM)}`]))
    .join('; ')
}

const ROOM = 300

/** True if nothing of what an effort has done exists in another plan, so that it would begin again. */
export function losesAll(after: Judged, visited: readonly string[]): boolean {
  return visited.length > 0 && !visited.some((id) => after.steps.has(id))
}
