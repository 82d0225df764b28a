import { type StoredFrame, isOpen, nextOf, type SkillCall } from './stored.ts'

/** The frames of one chain, in order. A new one has the id 0. */
export type Frames = readonly StoredFrame[]

/** A frame that a move adds. */
export type Added = Pick<StoredFrame, 'skill' | 'args' | 'context' | 'on_error' | 'level'>

/** The frame runs now; frames that need no more end with a tail call. */
export function call(
  frames: Frames,
  {
    frame,
    how,
    over,
  }: { readonly frame: number; readonly how: StoredFrame['call']; readonly over: readonly number[] },
): Frames {
  if (frames.find(({ id }) => id === frame)?.status !== 'waiting') return frames
  return frames.map((one) => {
    if (one.id === frame) return { ...one, status: 'running', call: how }
    return over.includes(one.id) && one.status === 'running' ? { ...one, status: 'completed' } : one
  })
}

/** The skill of a running frame has done its work, and may return a result, as JSON. */
export const end = (frames: Frames, frame: number, result: string | null = null): Frames =>
  frames.map((one) =>
    one.id === frame && one.status === 'running' ? { ...one, status: 'completed', result } : one,
  )

/** A frame failed: its branch runs next; without one, the rest waits for the user. */
export function fail(
  frames: Frames,
  frame: number,
  { reason, branch }: { readonly reason: string; readonly branch: SkillCall | null },
): Frames {
  const at = frames.findIndex(({ id, status }) => id === frame && status === 'running')
  const failed = frames[at]
  if (failed === undefined) return frames
  const before = [...frames.slice(0, at), { ...failed, status: 'failed' as const, reason }]
  const rest = frames.slice(at + 1)
  if (branch === null) return [...before, ...rest.map((one) => (isWaiting(one) ? parked(one, reason) : one))]
  const { level } = failed
  const other = { ...branch, context: reason, on_error: null, level }
  return numbered([...before, added(failed, other, failed.id), ...rest])
}

/** Frames of the running one, which run before the rest; the rest stays as it is. */
export function push(frames: Frames, more: readonly Added[], by: number | null): Frames {
  const [first] = frames
  if (first === undefined) return frames
  const left = frames.findIndex(
    ({ status, started_at }) => status === 'waiting' || (status === 'parked' && started_at === null),
  )
  const at = left === -1 ? frames.length : left
  return numbered([
    ...frames.slice(0, at),
    ...more.map((one) => added(frames[at - 1] ?? first, one, by)),
    ...frames.slice(at),
  ])
}

/** Nothing goes on until somebody resumes it. */
export const park = (frames: Frames, reason: string): Frames =>
  frames.map((one) => (isOpen(one) ? parked(one, reason) : one))

/** What was parked goes on; the first of it with another skill, if its own is not there. */
export function resume(frames: Frames, as?: string): Frames {
  const first = frames.find(({ status, started_at }) => status === 'parked' && started_at === null)
  return frames.map((one) => {
    if (one.status !== 'parked') return one
    const skill = one === first && as !== undefined ? as : one.skill
    return { ...one, skill, status: one.started_at === null ? 'waiting' : 'running', reason: null }
  })
}

/** One cancel for all of it. */
export const drop = (frames: Frames, reason: string): Frames =>
  frames.map((one) => (isOpen(one) || one.status === 'parked' ? { ...one, status: 'dropped', reason } : one))

/** The running frame that must end before the next one: it already let one pass that it had not put there itself. */
export function firstToEnd(frames: Frames, isOver: (frame: StoredFrame) => boolean): StoredFrame | undefined {
  const next = nextOf(frames)
  const before = next === undefined ? [] : frames.slice(0, frames.indexOf(next))
  if (next === undefined) return undefined
  return before.find(
    (one, at) =>
      one.status === 'running' &&
      !isOver(one) &&
      before.slice(at + 1).some((later) => !isOf(frames, later, one.id)) &&
      !isOf(frames, next, one.id),
  )
}

/** Whether a frame was put there by another one, or by one that this one put there. */
function isOf(frames: Frames, { parent }: StoredFrame, by: number): boolean {
  if (parent === null) return false
  const above = frames.find(({ id }) => id === parent)
  return parent === by || (above !== undefined && isOf(frames, above, by))
}

const isWaiting = ({ status }: StoredFrame): boolean => status === 'waiting'

const parked = (one: StoredFrame, reason: string): StoredFrame => ({ ...one, status: 'parked', reason })

const numbered = (frames: Frames): Frames =>
  frames.map((one, at) => (one.position === at + 1 ? one : { ...one, position: at + 1 }))

/** A frame to store, of the same chain as another. */
const added = (of: StoredFrame, one: SkillCall & Added, parent: number | null): StoredFrame => ({
  ...of,
  ...one,
  id: 0,
  status: 'waiting',
  effort_id: null,
  call: null,
  reason: null,
  parent,
  asked_at: null,
  result: null,
  started_at: null,
  ended_at: null,
})
