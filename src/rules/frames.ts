import type { Change } from '../model/change.ts'
import { currentOf, nextOf, type StoredFrame } from '../model/chain/stored.ts'
import { firstToEnd } from '../model/chain/move.ts'
import type { HookEvent } from '../model/event.ts'
import { owedResult } from '../model/result.ts'
import type { ChainFacts, FactsFor, SkillFacts } from './facts.ts'
import { type Called, isByUser, needsNoMore } from './spans.ts'

/** What frames of a chain need to know of their session. */
export type FrameFacts = FactsFor<'chain' | 'asked' | 'spans'>

/** A call of the next skill of a chain. */
export interface FrameCall {
  readonly chain: number
  readonly frame: StoredFrame
  /** Whether it ends its caller; null if nothing runs. */
  readonly how: StoredFrame['call']
  /** The frames that end with it. */
  readonly over: readonly number[]
  /** Ends their work. */
  readonly ends: readonly Change[]
  /** The frame that must end before. */
  readonly waitsFor: StoredFrame | undefined
}

/** The frame that a call runs; undefined if it is a call beside the chain. */
export function frameCall(event: HookEvent, call: Called, facts: FrameFacts): FrameCall | undefined {
  const { chain, asked, level } = facts
  const frame = chain === undefined ? undefined : nextOf(chain.frames)
  if (chain === undefined || frame === undefined || !isNamed(frame, call) || isChainCall(asked))
    return undefined
  const current = currentOf(chain.frames)
  const isOpen = (one: StoredFrame) => !isOver(chain, one)
  if (current !== undefined && isNamed(current, call)) {
    // A prompt and its expansion are one call; an agent may call again what it has not ended.
    if (isByUser(event, facts) ? current.args === call.args : isOpen(current)) return undefined
  }
  const over = chain.frames.filter((one) => one.status === 'running' && !isOpen(one))
  const how = current === undefined ? null : isOpen(current) ? 'nested' : 'tail'
  const mayWait = event.kind === 'tool.before' && level !== 'observe'
  return {
    chain: frame.chain_id,
    frame,
    how,
    over: over.map(({ id }) => id),
    ends: endsOf(chain, over, facts),
    waitsFor: mayWait ? firstToEnd(chain.frames, (one) => !isOpen(one)) : undefined,
  }
}

/** True for a prompt that asks for a chain of its own. */
const isChainCall = (asked: FrameFacts['asked']): boolean =>
  asked !== undefined && asked.frames.length > 0 && !asked.isExplicit

/** A skill of a plugin has two names. */
const isNamed = ({ skill }: StoredFrame, call: Called): boolean =>
  skill === call.name || skill === call.skill.name

/** True if nothing required is open in the work of a frame. */
export function isOver({ running }: Pick<ChainFacts, 'running'>, { id }: StoredFrame): boolean {
  const work = running.get(id)
  return work === undefined || owesNothing(work)
}

/** True if a skill is done, or asks for nothing. */
function owesNothing(work: SkillFacts): boolean {
  const { plan, requiredTodos, enforceable, lacksResult, effort } = work
  if (needsNoMore(work)) return true
  if (lacksResult === true || owedResult(work, effort) !== undefined) return false
  return plan === undefined ? requiredTodos.length === 0 : !enforceable
}

/** Frames end with their efforts; spans without an effort end too, so that none stays suspended. */
function endsOf(
  { running }: ChainFacts,
  over: readonly StoredFrame[],
  { spans }: FrameFacts,
): readonly Change[] {
  if (over.length === 0) return []
  const efforts = over.flatMap(({ id }) => running.get(id)?.effort.id ?? [])
  return [
    ...efforts.map((effort): Change => ({ kind: 'effort.carried-out', effort })),
    ...spans
      .filter(({ effort_id }) => effort_id === null)
      .map(({ span_id: span }): Change => ({ kind: 'span.completed', span })),
  ]
}

/** The spans that are left once the work of these frames has ended. */
export const spansAfter = ({ ends }: FrameCall, spans: FrameFacts['spans']): FrameFacts['spans'] =>
  spans.filter(
    ({ span_id, effort_id }) =>
      !ends.some((one) =>
        one.kind === 'span.completed'
          ? one.span === span_id
          : one.kind === 'effort.carried-out' && one.effort === effort_id,
      ),
  )
