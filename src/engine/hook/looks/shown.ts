import { stepsNamedIn } from '../../../model/delegation.ts'
import type { HookEvent } from '../../../model/event.ts'
import { type BodyLine, linesShown, type Seen, seenOf } from '../../../model/plan/shown.ts'
import { type Plan, stepOf } from '../../../model/plan/plan.ts'
import { rangesMentioned } from '../../../model/text/named-files.ts'
import { isHandOver } from '../../../rules/subagent-steps.ts'
import { findEffort } from '../../../store/effort.ts'
import type { Tx } from '../../../store/query.ts'
import { findLastByNative } from '../../../store/session.ts'
import { findSkill, toSkill } from '../../../store/skill.ts'
import { openSpansOf } from '../../../store/span.ts'
import { placeOfClient } from '../../../store/workplace.ts'
import type { Context } from '../../call/context.ts'
import { asKept } from '../../skill/kept-plan.ts'
import { keepersOf } from '../keepers.ts'
import { skillsRead } from '../skills-read.ts'
import { bodyIn } from '../step-body.ts'
import type { Look, Looking } from './look.ts'

/** Which lines of step files an answer, an attached file or the prompt of a sub-agent shows. */
export const shown: Look = {
  isForFactsOnly: true,
  ask({ context, event, found }) {
    const showing = showingOf(event)
    const isHanded = event.subagent === undefined && isHandOver(event)
    if (showing === undefined || (found.reads.length === 0 && !isHanded)) return undefined
    return async (tx) => {
      const files = await stepFiles(tx, { event, found })
      return async () => ({ shown: await seenIn(context, files, showing) })
    }
  },
}

type Showing = (body: readonly BodyLine[], file: string) => readonly number[]

/** How an event shows lines of a step; undefined if it shows all of them, or if that is unknown. */
function showingOf(event: HookEvent): Showing | undefined {
  switch (event.kind) {
    case 'tool.before': {
      const { does } = event.tool
      return does.kind === 'agent' ? (body) => linesShown(body, does.prompt) : undefined
    }
    case 'tool.after': {
      const text = event.tool.shown
      return text === undefined ? undefined : (body) => linesShown(body, text)
    }
    case 'tool.failed':
      return (body) => linesShown(body, event.error)
    case 'prompt.submitted':
      return event.text.includes('.md#L') ? (body, file) => linesAttached(event.text, body, file) : undefined
    default:
      return undefined
  }
}

function linesAttached(prompt: string, body: readonly BodyLine[], file: string): readonly number[] {
  const lines = body.map(({ at }) => at)
  const ranges = rangesMentioned(prompt, file.split('/').at(-1) ?? '')
  return ranges === undefined
    ? lines
    : lines.filter((at) => ranges.some(([first, last]) => first <= at && at <= last))
}

const MOST_FILES = 100

/** The step files that an event reads or hands over, as their plans name them. */
async function stepFiles(tx: Tx, { event, found }: Pick<Looking, 'event' | 'found'>) {
  const { session = '' } = event
  const project = await placeOfClient(tx, { native_id: session })
  if (project === undefined) return []
  const spans = () => openSpansOf(tx, { session_id: session })
  const files: string[] = []
  const add = (plan: Plan | null, steps: readonly string[]) =>
    files.push(...steps.flatMap((id) => (plan === null ? [] : (stepOf(plan, id)?.place.file ?? []))))
  const keepers = await keepersOf(tx, session)
  if (event.kind === 'tool.before' && event.tool.does.kind === 'agent') {
    for (const [name, isInCharge] of await skillsAtWork(tx, session)) {
      const row = await findSkill(tx, { workplace_id: project.workplace_id, name })
      const current = row === undefined ? undefined : toSkill(row)
      const keeper = keepers.find(({ effort }) => effort.skill === name)
      const plan = (keeper === undefined ? current : await asKept(tx, keeper.effort, current))?.plan ?? null
      if (plan !== null) add(plan, stepsNamedIn(event.tool.does.prompt, plan, isInCharge))
    }
  } else {
    const open = async () => (await spans()).map(({ skill }) => skill)
    for (const { skill, steps } of await skillsRead(tx, found.reads, {
      project,
      open,
      keepers: () => Promise.resolve(keepers),
    }))
      add(skill.plan, steps)
  }
  return [...new Set(files)].slice(0, MOST_FILES)
}

/** The open skills of a session, and whether each is in charge. */
async function skillsAtWork(tx: Tx, session: string): Promise<ReadonlyMap<string, boolean>> {
  const open = await openSpansOf(tx, { session_id: session })
  const active = open.find(({ status }) => status === 'active')?.skill
  if (active !== undefined) return new Map(open.map(({ skill }) => [skill, skill === active]))
  // A client that returns goes on with its effort, whose span is not open yet.
  const last = await findLastByNative(tx, { native_id: session })
  const effort = last === undefined ? undefined : await findEffort(tx, { id: last.effort_id })
  const skills = open.map(({ skill }) => [skill, false] as const)
  return new Map(effort === undefined ? skills : [...skills, [effort.skill, true] as const])
}

/** By the names of the plan; a file that cannot be read as a whole is missing. */
async function seenIn(
  context: Context,
  files: readonly string[],
  showing: Showing,
): Promise<ReadonlyMap<string, Seen>> {
  const seen = new Map<string, Seen>()
  for (const file of files) {
    const body = await bodyIn(context, file)
    if (body !== undefined) seen.set(file, seenOf(body, showing(body.lines, file)))
  }
  return seen
}
