import type { Change } from '../model/change.ts'
import { currentOf, nextOf, type StoredFrame } from '../model/chain/stored.ts'
import { begin } from '../model/plan/advance.ts'
import { firstToEnd, park, push } from '../model/chain/move.ts'
import { handover, noSkill, parkedText, unknownText } from '../model/chain/told.ts'
import { mayAskForChain } from '../model/chain/chain-in.ts'
import type { HookEvent } from '../model/event.ts'
import { inOneLine } from '../model/text/line.ts'
import type { AskedChain, ChainFacts, FactsFor } from './facts.ts'
import { frameCall, type FrameFacts, isOver } from './frames.ts'
import { rule, type Verdict } from './rule.ts'
import { isByUser } from './spans.ts'
import { inOneNotice } from './told/notice.ts'
import { nextAction } from './told/next-action.ts'

/** Keeps the skills that a prompt asks for in a row, and hands over from one to the next. */
export const continuationNext = rule({
  name: 'continuation-next',
  summary: 'keeps a chain of skills, tells the next call, and refuses once to end a turn before it',
  on: ['prompt.submitted', 'prompt.expanded', 'tool.before', 'tool.failed', 'turn.stopped'],
  wakes({ event, invocations }, { session, watch }) {
    if (session.scope_of !== null) return false
    const isKept = watch.hasChain === true
    if (event.kind === 'turn.stopped') return isKept && mayHandOver(event)
    if (event.kind === 'tool.failed') return isKept && event.tool.does.kind === 'skill'
    return (isKept && invocations.length > 0) || mayAskForChain(promptOf(event) ?? '')
  },
  needs: ['chain', 'asked', 'invoked', 'spans'],
  judge(event, facts) {
    if (facts.session.scope_of !== null) return undefined
    if (event.kind === 'turn.stopped') return mayHandOver(event) ? stopped(facts) : undefined
    if (event.kind === 'tool.failed') return failed(event, facts)
    const { asked } = facts
    if (asked === undefined) return called(event, facts)
    return asked.frames.length === 0 ? alone(event, asked, facts) : begun(event, asked, facts)
  },
})

type CallFacts = FrameFacts & FactsFor<'invoked'>

/** The text by which a user may ask for a chain. */
export function promptOf(event: HookEvent): string | undefined {
  if (event.kind === 'prompt.submitted') return event.by === 'user' ? event.text : undefined
  return event.kind === 'prompt.expanded' ? `/${event.command} ${event.args}` : undefined
}

/** The prompt asks for several skills. It comes twice; the agent hears of it once. */
function begun(event: HookEvent, asked: AskedChain, { chain, invoked }: CallFacts): Verdict | undefined {
  const isTold = event.kind === 'prompt.submitted'
  // Words beside a chain that runs are no new one.
  if (asked.isExplicit && (chain !== undefined || !isTold)) return undefined
  const told: Verdict = isTold ? { tellsChain: 'begun', ...unknownIn(asked) } : {}
  if (chain !== undefined && isSame(chain.frames, asked)) return told
  const { frames, isExplicit } = asked
  // A client may not know the first one as a call, such as `/design, /plan`.
  const skill = isExplicit ? undefined : invoked[0]?.skill.name
  const change: Change = { kind: 'chain.begun', frames, skill }
  if (chain === undefined) return { ...told, changes: [change] }
  const { changes = [], notice } = parked(chain, 'the user began another chain')
  return {
    ...told,
    changes: [...changes, change],
    notice: inOneNotice([told.notice, notice].filter((one) => one !== undefined)),
  }
}

/** A prompt and its expansion, or the same words before anything was done, are one chain. */
const isSame = (frames: readonly StoredFrame[], asked: AskedChain): boolean =>
  frames.length === asked.frames.length &&
  (currentOf(frames) === frames[0] || currentOf(frames) === undefined) &&
  frames.every(({ skill, args }, at) => skill === asked.frames[at]?.skill && args === asked.frames[at]?.args)

function unknownIn({ unknown }: AskedChain): Pick<Verdict, 'contexts' | 'notice'> {
  const text = unknownText(unknown)
  return text === undefined ? {} : { contexts: [text], notice: text }
}

/** The prompt is one call, with names behind it that no skill has. */
function alone(event: HookEvent, asked: AskedChain, facts: CallFacts): Verdict {
  const verdict = called(event, facts) ?? {}
  if (event.kind !== 'prompt.submitted') return verdict
  const told = unknownIn(asked)
  return {
    ...verdict,
    contexts: [...(verdict.contexts ?? []), ...(told.contexts ?? [])],
    notice: inOneNotice([verdict.notice, told.notice].filter((one) => one !== undefined)),
  }
}

/** A call of the next skill moves the chain; another one of the user sets it aside. */
function called(event: HookEvent, facts: CallFacts): Verdict | undefined {
  const { chain, invoked, level } = facts
  const [call] = invoked
  if (call === undefined || chain === undefined) return undefined
  const found = frameCall(event, call, facts)
  if (found !== undefined) {
    const { frame, how, over, waitsFor } = found
    if (waitsFor !== undefined) return waiting(chain, frame, waitsFor)
    const move = { kind: 'call', frame: frame.id, how, over } as const
    const changes: readonly Change[] = [
      { kind: 'chain.moved', chain: frame.chain_id, move, skill: call.skill.name },
    ]
    // The prompt itself follows its expansion.
    return event.kind === 'prompt.expanded' ? { changes } : { changes, tellsChain: 'called' }
  }
  const isOwn = chain.frames.some(
    ({ status, skill }) => status === 'running' && (skill === call.name || skill === call.skill.name),
  )
  if (!isByUser(event, facts) || isOwn || level === 'observe') return undefined
  return parked(chain, `the user called /${call.name}`)
}

/** The client could not run the skill that a frame called; a skill with an effort may be called again. */
function failed(event: HookEvent, { chain }: CallFacts): Verdict | undefined {
  const current = chain === undefined ? undefined : currentOf(chain.frames)
  if (chain === undefined || current === undefined || event.kind !== 'tool.failed') return undefined
  const { does } = event.tool
  if (does.kind !== 'skill' || does.name !== current.skill || chain.running.has(current.id)) return undefined
  const move = { kind: 'fail', frame: current.id, reason: inOneLine(event.error, LONGEST_ERROR) } as const
  return { changes: [{ kind: 'chain.moved', chain: current.chain_id, move }] }
}

const LONGEST_ERROR = 200

/** The call comes before the end of a skill that already let one pass. */
function waiting({ running }: ChainFacts, frame: StoredFrame, open: StoredFrame): Verdict {
  const work = running.get(open.id)
  const reason = `Chain ${frame.chain_id} runs /${frame.skill} after /${open.skill}, which is still open.${nextIn(work)}`
  return { block: { reason, skill: frame.skill, effort: open.effort_id ?? undefined } }
}

function nextIn(work: FactsFor<'work'>['work']): string {
  const { plan } = work ?? {}
  return work === undefined || plan === undefined
    ? ''
    : ` ${nextAction({ ...work, plan, progress: work.progress ?? begin(plan) })}`
}

function parked({ frames }: ChainFacts, why: string): Verdict {
  const text = parkedText(park(frames, why))
  return { changes: [parking(frames, why)], contexts: [text], notice: text }
}

const parking = (frames: ChainFacts['frames'], reason: string): Change => ({
  kind: 'chain.moved',
  chain: frames[0]?.chain_id ?? 0,
  move: { kind: 'park', reason },
})

/** A turn that waits for work, or that lets the user look at a proposal, hands nothing over. */
const mayHandOver = (event: HookEvent): boolean =>
  event.kind === 'turn.stopped' && event.running === 0 && event.permissionMode !== 'plan'

/** The skill in charge is done as far as anybody can tell: the next one follows. */
function stopped({ chain, level }: CallFacts): Verdict | undefined {
  if (chain === undefined || level === 'observe') return undefined
  const { frames } = chain
  const current = currentOf(frames)
  if (current !== undefined && !isOver(chain, current)) return undefined
  const next = nextOf(frames)
  const isFree = current !== undefined && chain.running.get(current.id) === undefined
  const isBlocked = firstToEnd(frames, (one) => isOver(chain, one)) !== undefined
  if (next === undefined || isBlocked) return isFree ? ended(chain, current) : undefined
  if (next.level === 'explicit') return undefined
  if (!chain.isNextKnown) return missing(frames, next, isFree ? [ending(current)] : [])
  if (chain.isAsked) return undefined
  const asks: Change = { kind: 'chain.moved', chain: next.chain_id, move: { kind: 'ask', frame: next.id } }
  return {
    changes: [asks],
    block: { reason: handover(frames), skill: next.skill, turn: true, effort: undefined },
  }
}

/** Its exits follow in the same turn, and not behind the next words of the user. */
function ended({ frames, exits }: ChainFacts, last: StoredFrame): Verdict {
  const after = push(frames, exits, null)
  const next = nextOf(after)
  if (exits.length === 0 || next === undefined) return { changes: [ending(last)] }
  return {
    changes: [
      { kind: 'chain.moved', chain: last.chain_id, move: { kind: 'end', frame: last.id, asks: true } },
    ],
    block: { reason: handover(after), skill: next.skill, turn: true, effort: undefined },
  }
}

const ending = ({ id, chain_id: chain }: StoredFrame): Change => ({
  kind: 'chain.moved',
  chain,
  move: { kind: 'end', frame: id },
})

/** The user must say which skill is meant. */
function missing(frames: ChainFacts['frames'], { skill }: StoredFrame, before: readonly Change[]): Verdict {
  const why = noSkill(skill)
  return { changes: [...before, parking(frames, why)], notice: parkedText(park(frames, why)) }
}
