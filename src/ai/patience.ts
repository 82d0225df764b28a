import { setTimeout as sleep } from 'node:timers/promises'
import { AiFailure, notWaitedFor } from './failure.ts'
import type { Pace } from './pace.ts'

/** How long to try, in milliseconds. */
export interface Patience {
  /** For one attempt. */
  readonly timeout: number
  readonly attempts: number
  /** Before the second attempt; it doubles with each. */
  readonly pause: number
  /** A provider that asks for a longer wait has failed. */
  readonly longestWait: number
}

export const PATIENCE: Patience = { timeout: 60_000, attempts: 4, pause: 500, longestWait: 30_000 }

interface Tried {
  readonly who: string
  readonly pace: Pace
  readonly perMinute: number | undefined
  readonly patience: Patience
  readonly signal: AbortSignal | undefined
}

/** Repeats an attempt after failures that may pass; rejects with an `EngineError`. */
export async function patiently<T>(asked: Tried, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const result = await once(asked, attempt)
    if ('value' in result) return result.value
    const { mayPass, wait, told } = result.failure
    if (wait !== undefined) asked.pace.hold(wait)
    const { attempts, pause, longestWait } = asked.patience
    if (!mayPass || tries >= attempts || asked.pace.held() > longestWait) throw told
    await waitFor(asked, jittered(pause * 2 ** (tries - 1)))
  }
}

async function once<T>(
  asked: Tried,
  attempt: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly failure: AiFailure }> {
  const { who, pace, patience, perMinute } = asked
  if (pace.held() > patience.longestWait)
    return {
      failure: new AiFailure('unavailable', `${who} asks to wait ${Math.ceil(pace.held() / 1000)} s.`),
    }
  await waitFor(asked, pace.take(perMinute))
  try {
    return { value: await attempt() }
  } catch (failure) {
    if (failure instanceof AiFailure) return { failure }
    throw failure
  }
}

async function waitFor({ who, signal }: Tried, milliseconds: number): Promise<void> {
  if (milliseconds === 0) return
  try {
    await sleep(milliseconds, undefined, { ref: false, ...(signal !== undefined && { signal }) })
  } catch {
    throw notWaitedFor(who).told
  }
}

/** So that many callers do not come back at the same moment. */
const jittered = (milliseconds: number): number => milliseconds * (0.5 + Math.random())
