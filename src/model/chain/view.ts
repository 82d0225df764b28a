import { currentOf, type StoredFrame, nextOf, type SkillCall, standOf } from './stored.ts'
import { resumeChain, skillCall } from './told.ts'

/** A chain as methods return it. */
export interface ChainView {
  readonly id: number
  readonly state: 'running' | 'parked' | 'ended'
  readonly session_id: string | null
  readonly task_id: string | null
  readonly current: string | null
  /** The next call, with the words that make an agent do it. */
  readonly next: (SkillCall & { readonly context: string; readonly call: string }) | null
  /** Why it is parked, and the command that lets it go on. */
  readonly parked: { readonly reason: string | null; readonly resume: string } | null
  readonly frames: readonly Omit<StoredFrame, 'chain_id' | 'session_id' | 'task_id' | 'project_id'>[]
}

/** A chain for its readers. */
export function viewOf(frames: readonly StoredFrame[]): ChainView {
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
        : { skill: next.skill, args: next.args, context: next.context, call: skillCall(next) },
    parked: state === 'parked' ? { reason: parkedReason(frames), resume: resumeChain(id) } : null,
    frames: frames.map(ownFields),
  }
}

const ownFields = ({ chain_id: _c, session_id: _s, task_id: _t, project_id: _p, ...frame }: StoredFrame) =>
  frame

const parkedReason = (frames: readonly StoredFrame[]): string | null =>
  frames.find(({ status }) => status === 'parked')?.reason ?? null
