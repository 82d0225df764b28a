import { shellWord } from '../model/shell/word.ts'
import type { Finding } from './finding.ts'
import { doNamed, doOffered } from './named-action.ts'
import type { Window } from './window.ts'

/** True if the effort is finished. */
export const isFinished = async (it: Window): Promise<boolean> =>
  (await it.ask<{ lifecycle: string }>('db.effort.get', { effort_id: it.effort })).lifecycle === 'finished'

/** A way out of a step by another outcome than success. */
export interface WayOut {
  /** The label of the step. */
  readonly from: string
  readonly outcome: string
}

/** Chooses a way out of a current step, or none if its work was good. */
export type Choose = (label: string, attempts: number) => WayOut | undefined

interface Standing {
  readonly current: readonly string[]
  readonly steps: readonly {
    readonly step: string
    readonly label: string
    readonly state: string
    readonly attempts: number
    readonly optional: boolean
  }[]
}

/** What an agent did, and what is wrong if it did not come to the end. */
export interface Followed {
  readonly did: readonly string[]
  readonly wrong?: string | undefined
  /** What is wrong with the texts that it got. */
  readonly faults?: readonly Finding[]
}

/** Asks where it stands and does what the answer names, until the end. */
export async function follow(it: Window, most: number, choose: Choose = () => undefined): Promise<Followed> {
  const did: string[] = []
  while (!(await isFinished(it))) {
    if (did.length > most) return { did, wrong: `There is no end after ${did.length} moves.` }
    const way = await wayOut(it, choose)
    const wrong = way === undefined ? await doNext(it, did) : await take(it, way, did)
    if (wrong !== undefined) return { did, wrong }
  }
  return { did }
}

/** The chosen way out of a current step, or around one that need not begin. */
async function wayOut(it: Window, choose: Choose): Promise<WayOut | undefined> {
  const { current, steps } = await it.ask<Standing>('step.show', { effort_id: it.effort })
  const begun = steps.filter(({ step }) => current.includes(step))
  const way = begun.flatMap(({ label, attempts }) => choose(label, attempts) ?? [])[0]
  if (way !== undefined || begun.length > 0) return way
  const open = steps.filter(({ state, optional }) => optional && state === 'ready')
  return open
    .flatMap(({ label, attempts }) => choose(label, attempts + 1) ?? [])
    .find(({ outcome }) => outcome === 'skip')
}

async function take(it: Window, { from, outcome }: WayOut, did: string[]): Promise<string | undefined> {
  did.push(`${from} ${outcome}`)
  const wrong = await it.bad(`${commandFor(shellWord(from), outcome)} --effort EFFORT`)
  // A plan at its limit waits for the user.
  return wrong?.includes(', parked') === true ? undefined : wrong
}

function commandFor(step: string, outcome: string): string {
  if (outcome === 'fail') return `step fail ${step} --reason 'It was not good.'`
  return outcome === 'skip' ? `step skip ${step}` : `step done ${step} --outcome ${shellWord(outcome)}`
}

/** Runs the command that the answer names; a plan at its limit waits for the user, who says yes. */
async function doNext(it: Window, did: string[]): Promise<string | undefined> {
  const refusal = await it.bad('step --effort EFFORT')
  if (it.said === '' && refusal !== undefined) {
    did.push(refusal)
    return await doNamed(it, refusal)
  }
  const [, next] = /^(?:next|only the user can run): (.*)$/m.exec(it.said) ?? []
  if (next === undefined) {
    const text = it.said
    const { done, wrong } = await doOffered(it)
    did.push(text)
    return done ? wrong : text
  }
  did.push(next)
  return await doNamed(
    it,
    next.startsWith('do step ') ? next : `Next: ${next.startsWith('read ') ? '' : 'run '}${next}`,
  )
}
