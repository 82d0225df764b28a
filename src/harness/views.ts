import type { Standing } from '../engine/effort/mover.ts'
import { startingCommand } from '../model/plan/fields.ts'
import { type Plan, type Step, targetsOf } from '../model/plan/plan.ts'
import type { Values } from '../model/plan/plan-for.ts'
import type { ChildView, StepView, Way } from '../model/workflow/view.ts'
import { showCommand } from '../model/plan/next-action.ts'
import type { Finding } from './finding.ts'
import type { Choose, Followed } from './follow.ts'
import { doNamed } from './named-action.ts'
import { exampleOf, filledIn, valuesFor, wantedOutcome } from './values.ts'
import type { Walk } from './walks.ts'
import type { Window } from './window.ts'

/** How an agent follows what is printed of one workflow. */
export interface Course {
  readonly plan: Plan
  readonly effort: number
  readonly choose: Choose
  /** Values that somebody else wants, such as the result of a review. */
  readonly wanted: Values
  /** How many moves may lead to the end. */
  readonly most: number
  /** What else the agent does before each step; returns what is wrong. */
  readonly before?: (it: Window, standing: Standing) => Promise<string | undefined>
}

/** The values with which a walk begins: an example for each required one, and what its outcomes and boundaries need. */
export function paramsOf(plan: Plan, { variant, outcomes }: Walk): Values {
  const { params = {}, steps } = plan
  const names = Object.keys(params)
  const decided = steps.flatMap((step) => {
    const outcome = outcomes.get(step.label)?.[0]
    const values =
      outcome === undefined || step.decides === undefined ? undefined : valuesFor(plan, step, outcome)
    return values === undefined ? [] : Object.entries(values).filter(([name]) => names.includes(name))
  })
  const own = Object.entries(variant.variables).filter(([name]) => names.includes(name))
  const examples = names
    .filter((name) => params[name]?.required === true)
    .map((name) => [name, exampleOf(params[name])])
  return Object.fromEntries([...examples, ...own, ...decided]) as Values
}

/** The results of steps that are commands, as a walk wants them. */
export const playsFor =
  (plan: Plan, choose: Choose): Window['plays'] =>
  ({ step: id, visit }) => {
    const found = [plan, ...Object.values(plan.workflows ?? {})].find(({ steps }) =>
      steps.some((one) => one.id === id),
    )
    const step = found?.steps.find((one) => one.id === id)
    if (found === undefined || step === undefined) return {}
    if (step.decides !== undefined)
      return { set: valuesFor(found, step, wantedOutcome(step, choose, visit)) ?? {} }
    const [named = 'ok'] = Object.keys(step.next ?? {})
    const good = step.next === undefined || Object.hasOwn(step.next, 'ok') ? 'ok' : named
    return { outcome: choose(step.label, visit)?.outcome ?? good }
  }

/** Calls the workflow and prints its first step; returns what is wrong. */
export async function beginView(it: Window, plan: Plan, values: Values): Promise<string | undefined> {
  await it.call(`/${it.skill}`)
  const wrong = await it.shell(startingCommand(it.skill, plan.params ?? {}, values))
  it.effort = effortIn(it.said) ?? it.effort
  return wrong
}

const effortIn = (text: string): number | undefined => {
  const [, effort] = /--effort (\d+)/.exec(text) ?? []
  return effort === undefined ? undefined : Number(effort)
}

/** Does what is printed, and runs the commands that it names, until the end. */
export async function followView(it: Window, course: Course): Promise<Followed> {
  const did: string[] = []
  const faults: Finding[] = []
  const mostStops = course.plan.steps.filter(({ limit }) => limit !== undefined).length + 1
  for (let stops = 0; ;) {
    const standing = await it.ask<Standing>('step.show', { effort_id: course.effort })
    if (standing.status === 'finished') return { did, faults }
    if (did.length > course.most) return { did, faults, wrong: `There is no end after ${did.length} moves.` }
    if (standing.status === 'parked' && ++stops > mostStops)
      return { did, faults, wrong: `It waits for the user again and again. ${standing.reason ?? ''}`.trim() }
    const wrong =
      (await course.before?.(it, standing)) ?? (await doStep(it, { course, standing, did, faults }))
    if (wrong !== undefined) return { did, faults, wrong }
  }
}

interface Doing {
  readonly course: Course
  readonly standing: Standing
  readonly did: string[]
  readonly faults: Finding[]
}

async function doStep(it: Window, doing: Doing): Promise<string | undefined> {
  const { standing, did, faults } = doing
  const { view } = standing
  if (standing.status === 'parked') {
    const [command] = view?.gate?.choices.map((choice) => choice.command) ?? []
    const asked = command ?? standing.next[0] ?? ''
    did.push(asked)
    return await doNamed(it, `Next: run ${asked}`)
  }
  if (view == null) {
    // Once every step is done, only the result may be left.
    const [ending] = standing.status === 'completed' ? standing.next : []
    if (ending === undefined) return await print(it, doing, showCommand(doing.course.effort))
    did.push(ending)
    return await doNamed(it, `Next: run ${ending}`)
  }
  const told = [
    ...view.next.map(({ command }) => command),
    ...(view.dispatch?.children ?? []).flatMap(({ command }) => command ?? []),
  ]
  if (!told.every((command) => isPrinted(it.said, command))) {
    const wrong = await print(it, doing, view.again)
    if (wrong !== undefined) return wrong
    for (const command of told) if (!isPrinted(it.said, command)) faults.push(unprinted(view, command))
  }
  faults.push(...missingTexts(view))
  if (view.next.length === 0) return await giveChildren(it, doing, view)
  return await leave(it, doing, view)
}

async function print(it: Window, { did }: Doing, command: string): Promise<string | undefined> {
  did.push(command)
  return await it.shell(command)
}

/** True if a command is in a text as it is, or as XML writes it. */
export const isPrinted = (text: string, command: string): boolean =>
  text.includes(command) ||
  text.includes(command.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')) ||
  text.includes(
    command
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;'),
  )

const unprinted = ({ step }: StepView, command: string): Finding => ({
  level: 1,
  code: 'text',
  message: `Step ${step} does not print its command: ${command}`,
  path: [],
})

/** The conventions and resources that a step names and does not print. */
function missingTexts({ step, actions, texts }: StepView): readonly Finding[] {
  return actions.flatMap((action): readonly Finding[] => {
    if (typeof action === 'string' || (action.block !== 'convention' && action.block !== 'resource'))
      return []
    const name = String(action['name'])
    if (texts.some((text) => text.kind === action.block && text.name === name)) return []
    return [
      {
        level: 1,
        code: 'text',
        message: `Step ${step} has no text of the ${action.block} ${name}.`,
        path: [],
      },
    ]
  })
}

/** Ends the step by the way that the walk wants. */
async function leave(
  it: Window,
  { course, standing, did }: Doing,
  view: StepView,
): Promise<string | undefined> {
  const { plan, choose } = course
  const step = plan.steps.find(({ id }) => id === view.step)
  const wanted = step?.decides === undefined ? (choose(view.step, view.visit)?.outcome ?? 'ok') : undefined
  const way: Way | undefined = view.next.find(({ outcome }) => outcome === wanted) ?? view.next[0]
  if (way === undefined) return `Step ${view.step} says no way on.`
  const command = filledIn(way.command, plan.state ?? {}, { ...wantedIn(course, standing), ...course.wanted })
  did.push(command)
  const wrong = await it.shell(command)
  // A plan at its limit waits for the user.
  const after = await it.ask<Standing>('step.show', { effort_id: course.effort })
  return wrong === undefined || after.status === 'parked' ? undefined : wrong
}

/** The values that lead to the outcomes of the walk. A current step counts most, then the next ones. */
export function wantedIn(
  { plan, choose }: Pick<Course, 'plan' | 'choose'>,
  { current, steps }: Standing,
): Values {
  const begun = plan.steps.filter(({ id }) => current.includes(id))
  const targets = new Set(begun.flatMap(targetsOf))
  const nearness = ({ id }: Step): number => (current.includes(id) ? 2 : Number(targets.has(id)))
  const farFirst = plan.steps.toSorted((a, b) => nearness(a) - nearness(b))
  const found = farFirst.flatMap((step) => {
    if (step.decides === undefined) return []
    const { attempts = 0 } = steps.find((one) => one.step === step.id) ?? {}
    const visit = current.includes(step.id) ? attempts : attempts + 1
    return Object.entries(valuesFor(plan, step, wantedOutcome(step, choose, visit)) ?? {})
  })
  return Object.fromEntries(found)
}

/** Starts the sub-agents that are not done yet; those with a workflow follow it. */
async function giveChildren(it: Window, doing: Doing, view: StepView): Promise<string | undefined> {
  const { course, did } = doing
  const { dispatch } = view
  const children = dispatch?.children.filter(({ state }) => state === 'waiting' || state === 'running') ?? []
  if (dispatch === null || children.length === 0) return `Step ${view.step} says no way on.`
  for (const child of children) {
    did.push(child.command ?? `sub-agent ${child.child} of ${view.step}`)
    const wrong = await giveChild(
      it,
      { ...doing, workflow: course.plan.workflows?.[dispatch.workflow ?? ''] },
      view,
      child,
    )
    if (wrong !== undefined) return wrong
    const { current } = await it.ask<Standing>('step.show', { effort_id: course.effort })
    if (!current.includes(view.step)) return undefined
  }
  return undefined
}

async function giveChild(
  it: Window,
  { course, standing, faults, workflow }: Doing & { readonly workflow: Plan | undefined },
  view: StepView,
  { command, title, task, report }: ChildView,
): Promise<string | undefined> {
  const wanted = wantedIn(course, standing)
  if (command === null || workflow === undefined) {
    const refused = await it.inAgent([view.title, title, task].filter((one) => one !== null).join('\n'), () =>
      Promise.resolve(undefined),
    )
    const after = await it.ask<Standing>('step.show', { effort_id: course.effort })
    const isOpen = after.current.includes(view.step) && report?.done !== undefined
    return (
      refused ??
      (isOpen ? await it.shell(filledIn(report.done ?? '', course.plan.state ?? {}, wanted)) : undefined)
    )
  }
  return await it.inAgent(command, async () => {
    const refused = await it.shell(command)
    const effort = effortIn(it.said)
    if (refused !== undefined || effort === undefined) return refused ?? `${command} prints no step.`
    const own: Course = { plan: workflow, effort, wanted, choose: () => undefined, most: course.most }
    const followed = await followView(it, own)
    faults.push(...(followed.faults ?? []))
    return followed.wrong
  })
}
