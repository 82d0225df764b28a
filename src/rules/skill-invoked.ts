import type { Change } from '../model/change.ts'
import { isTracked, NOT_STARTED, type OpenEffort } from '../model/effort.ts'
import type { HookEvent } from '../model/event.ts'
import { continuedBy } from '../model/invocation.ts'
import { isGuide, isPipeline } from '../model/plan/plan.ts'
import type { FactsFor, SkillFacts } from './facts.ts'
import { type FrameCall, frameCall, type FrameFacts, spansAfter } from './frames.ts'
import { rule, type Verdict } from './rule.ts'
import {
  anewBy,
  type Called,
  endsWhenLeft,
  forkOf,
  isByUser,
  isForked,
  isUntouched,
  takeCharge,
} from './spans.ts'
import { continuedLine, positionIn } from './told/notice.ts'
import { foreignTexts, heldTexts, notOpen, type NotResumed, openLines } from './told/open.ts'
import { distrustText, givenToSubagent, guideText, unfitText } from './told/words.ts'

/** Opens the span at the call itself, so that the gate covers the first read too. */
export const skillInvoked = rule({
  name: 'skill-invoked',
  summary: 'opens the span of a called skill and shows what its plan requires',
  on: ['prompt.submitted', 'prompt.expanded', 'tool.before'],
  wakes: ({ invocations }) => invocations.length > 0,
  // `lookedUp` and `work` are for the text that follows the call.
  needs: ['invoked', 'spans', 'open', 'lookedUp', 'work', 'chain', 'asked'],
  judge(event, facts) {
    // The first of several stacked skills is in charge and calls the others.
    const [call] = facts.invoked
    if (call === undefined) return undefined
    const frame = frameCall(event, call, facts)
    if (frame?.waitsFor !== undefined) return undefined
    if (isForked(event, call.skill, facts)) return forked(event, call, frame)
    if (frame !== undefined) return next(event, call, frame, facts)
    const asked = isTracked(call.skill) ? continuedBy(call) : undefined
    return asked === undefined ? begin(event, call, facts) : goOn(event, call, asked.effort, facts)
  },
})

type CallFacts = FactsFor<'spans' | 'open' | 'work'>

/** The next skill of a chain: new work in its task, and the end of what it follows. */
function next(
  event: HookEvent,
  { skill, args, quick }: Called,
  frame: FrameCall,
  facts: FrameFacts,
): Verdict {
  const about = { isTail: frame.how !== 'nested', task: frame.frame.task_id ?? undefined }
  const byUser = isByUser(event, facts)
  // An agent that calls it does not choose how much of it is due.
  const isQuick = byUser ? quick : facts.chain?.isNextQuick === true
  const entry = { args, quick: isQuick, anew: { finishes: false }, byUser, frame: about }
  const changes = takeCharge(spansAfter(frame, facts.spans), skill, entry)
  return { ...told(changes, skill), changes: [...frame.ends, ...changes] }
}

/** A call goes on with the effort that its session serves, unless the user asks for something else. */
function begin(event: HookEvent, call: Called, facts: CallFacts): Verdict {
  const { open, now, session } = facts
  const { skill, args, quick } = call
  const byUser = isByUser(event, facts)
  const anew = anewBy(event, call)
  const left = leftBy(event, skill, facts)
  const spans = facts.spans.filter(({ effort_id }) => effort_id === null || effort_id !== left)
  const changes = takeCharge(spans, skill, { args, quick, anew, byUser })
  const begins = changes.some((one) => one.kind === 'span.opened' && one.effort.kind === 'start')
  const finished = anew?.finishes === true ? skill.effort?.id : undefined
  // A sub-agent's shell acts for the main thread, which must not change its effort.
  const isTold = begins && session.scope_of === null
  const older = open.filter(({ id }) => id !== finished)
  const verdict = told(changes, skill)
  return {
    ...verdict,
    changes: [...finishing(left), ...changes],
    contexts: [...(isTold ? openLines(older, now) : []), ...(verdict.contexts ?? [])],
  }
}

/** The change that finishes an effort, if there is one to finish. */
const finishing = (effort: number | undefined): readonly Change[] =>
  effort === undefined ? [] : [{ kind: 'effort.carried-out', effort }]

/** The effort of another skill that needs no more when the user asks for this one; an agent may come back to it, unless its skill calls the next one itself. */
function leftBy(event: HookEvent, { name }: SkillFacts, facts: CallFacts): number | undefined {
  const { work } = facts
  if (work === undefined || work.name === name || !endsWhenLeft(work)) return undefined
  // What a pipeline calls comes back to it.
  const isTailCall = work.cooperative === true && work.plan !== undefined && !isPipeline(work.plan)
  return isByUser(event, facts) || isTailCall ? work.effort.id : undefined
}

/** The client gives the skill to a sub-agent, whose scope opens when it starts. */
const forked = (event: HookEvent, call: Called, frame: FrameCall | undefined): Verdict => ({
  changes: [...(frame?.ends ?? []), forkOf(event, call, call.skill.name)],
  // The prompt itself follows its expansion.
  contexts: event.kind === 'prompt.expanded' ? [] : [givenToSubagent(call.skill.name)],
})

/** The user says explicitly to go on with older work. */
function goOn(
  event: HookEvent,
  { skill, quick }: Called,
  wanted: number | undefined,
  facts: CallFacts,
): Verdict {
  const { spans, open, now, session } = facts
  const { effort } = skill
  const entry = { quick, byUser: isByUser(event, facts) }
  const meant = open.filter(({ id }) => id === (wanted ?? id))
  const free = meant.find(
    ({ id, holder, root, skill: of }) =>
      id !== effort?.id && holder === null && root === undefined && of === skill.name,
  )
  // A user who calls a skill, reads of older work and then continues means that work.
  const left = free !== undefined && isWork(free) && isUntouched(skill) ? effort?.id : undefined
  if (effort !== undefined && effort.id !== left && (wanted ?? effort.id) === effort.id) {
    const changes = takeCharge(spans, skill, entry)
    const line = continuedLine(effort, positionIn({ ...skill, effort }))
    const verdict = continued(event, told(changes, skill), line)
    // A user who continues an empty effort means older work and needs the reason why it is not resumed.
    const busy = isUntouched(skill) ? open.find((one) => isBusy(one, skill.name)) : undefined
    return busy === undefined ? verdict : { ...verdict, ...notResumed(event, heldTexts(busy, now)) }
  }
  if (free !== undefined) {
    const kept = spans.filter(({ effort_id }) => effort_id === null || effort_id !== left)
    const changes = takeCharge(kept, resumed(skill, free), entry)
    const verdict = continued(event, told(changes, skill), continuedLine(free, free.position))
    return { ...verdict, changes: [...finishing(left), ...changes] }
  }
  // A sub-agent carries the skill out in any case, and its shell acts for the main thread: it begins new work.
  if (session.scope_of !== null) return told(takeCharge(spans, skill, entry), skill)
  const [first] = meant
  if (first === undefined) return notResumed(event, notOpen(wanted, skill.name))
  const isForeign = first.root !== undefined || first.skill !== skill.name
  return notResumed(event, isForeign ? foreignTexts(first, skill.name, now) : heldTexts(first, now))
}

const isBusy = ({ holder, isBelow, skill }: OpenEffort, name: string): boolean =>
  holder !== null && isBelow !== true && skill === name

/** Told once to the agent and to the user: with the prompt, not with its expansion. */
const notResumed = ({ kind }: HookEvent, { context, notice }: NotResumed): Verdict =>
  kind === 'prompt.expanded' ? { contexts: [] } : { contexts: [context], notice }

/** A prompt and its expansion are one call, so one bare effort must not give way to another. */
const isWork = ({ request, position }: OpenEffort): boolean =>
  (request ?? '') !== '' || position !== NOT_STARTED

/** The user learns once what goes on, also if nothing changes: with the prompt, not with its expansion. */
const continued = ({ kind }: HookEvent, verdict: Verdict, notice: string): Verdict =>
  kind === 'prompt.expanded' ? verdict : { ...verdict, notice }

/** The older effort without its progress, which the session loads when it serves the effort. */
const resumed = (skill: SkillFacts, effort: OpenEffort): SkillFacts => ({
  ...skill,
  effort,
  progress: undefined,
})

/** What a call tells of its skill, once: also that a workflow does not hold it, which the user may believe. */
function told(changes: ReturnType<typeof takeCharge>, skill: SkillFacts): Verdict {
  const { name, plan, distrust } = skill
  const verdict = standingOf(changes, skill)
  const isOpened = changes.some(({ kind }) => kind === 'span.opened')
  if (plan !== undefined || distrust === undefined || !isOpened) return verdict
  const text = distrustText(name, distrust)
  return { ...verdict, contexts: [text], notice: text }
}

/** A span without an effort has nothing to tell but the guide, least of all the effort of another skill. */
function standingOf(changes: ReturnType<typeof takeCharge>, skill: SkillFacts): Verdict {
  const { name, plan, forks, effort } = skill
  const opened = changes.find((one) => one.kind === 'span.opened')
  const isResumed = changes.some(({ kind }) => kind === 'span.resumed')
  if (opened?.effort.kind !== 'none')
    return { changes, tellsStanding: opened !== undefined || (isResumed && effort !== undefined) }
  const isTold = plan !== undefined && isGuide(plan) && forks !== true
  return {
    changes,
    tellsStanding: false,
    ...(isTold && { contexts: [guideText(name, plan)] }),
    // The user believes that the skill is held.
    ...(plan?.unfit === true && { notice: unfitText(name) }),
  }
}
