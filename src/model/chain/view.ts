import { orNull } from '../ledger.ts'
import { comingOf, currentOf, type StoredFrame, nextOf, type SkillCall, standOf } from './stored.ts'
import { nextCall, resumeOf } from './told.ts'

/** A chain as methods return it. */
export interface ChainView {
  readonly id: number
  readonly state: 'running' | 'parked' | 'ended'
  readonly session_id: string | null
  readonly task_id: string | null
  readonly current: string | null
  /** The next call, with the words that make an agent do it. */
  readonly next: (ToldCall & { readonly context: string | null; readonly call: string }) | null
  /** The skill that comes next, if nobody here can call it. */
  readonly missing: string | null
  /** Why it is parked, and the command that lets it go on. */
  readonly parked: { readonly reason: string | null; readonly resume: string } | null
  readonly frames: readonly FrameView[]
}

/** A call, with null for no words. */
interface ToldCall {
  readonly skill: string
  readonly args: string | null
}

type Left = 'chain_id' | 'session_id' | 'task_id' | 'project_id' | 'args' | 'context' | 'on_error' | 'result'

interface FrameView extends Omit<StoredFrame, Left>, ToldCall {
  readonly context: string | null
  readonly on_error: ToldCall | null
  readonly result: unknown
}

/** A chain for its readers. */
export function viewOf(frames: readonly StoredFrame[], isNextKnown = true): ChainView {
  const last = frames.at(-1)
  const id = last?.chain_id ?? 0
  const state = standOf(frames)
  const next = nextOf(frames)
  return {
    id,
    state,
    session_id: last?.session_id ?? null,
    task_id: last?.task_id ?? null,
    current: currentOf(frames)?.skill ?? null,
    next:
      next === undefined
        ? null
        : { ...toldCall(next), context: orNull(next.context), call: nextCall(next, isNextKnown) },
    missing: isNextKnown ? null : (comingOf(frames)?.skill ?? null),
    parked: state === 'parked' ? { reason: parkedReason(frames), resume: resumeOf(frames) } : null,
    frames: frames.map(frameView),
  }
}

function frameView(frame: StoredFrame): FrameView {
  const { chain_id: _c, session_id: _s, task_id: _t, project_id: _p, ...own } = frame
  const { on_error, context, result } = own
  return {
    ...own,
    ...toldCall(own),
    context: orNull(context),
    on_error: on_error === null ? null : toldCall(on_error),
    result: result === null ? null : JSON.parse(result),
  }
}

const toldCall = ({ skill, args }: SkillCall): ToldCall => ({ skill, args: orNull(args) })

const parkedReason = (frames: readonly StoredFrame[]): string | null =>
  frames.find(({ status }) => status === 'parked')?.reason ?? null
