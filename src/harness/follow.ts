import { PROGRAM } from '../model/text/told-commands.ts'
import { doNamed } from './named-action.ts'
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
  readonly steps: readonly { readonly step: string; readonly label: string; readonly attempts: number }[]
}

/** Asks where it stands and does what the answer names, until the end; returns what it did. */
export async function follow(it: Window, most: number, choose: Choose = () => undefined): Promise<string[]> {
  const did: string[] = []
  while (!(await isFinished(it))) {
    const { current, steps } = await it.ask<Standing>('step.show', { effort_id: it.effort })
    const begun = steps.filter(({ step }) => current.includes(step))
    const way = begun.flatMap(({ label, attempts }) => choose(label, attempts) ?? [])[0]
    const wrong = way === undefined ? await doNext(it, did) : await take(it, way, did)
    if (wrong !== undefined || did.length > most) throw new Error([...did, wrong].join('\n'))
  }
  return did
}

async function take(it: Window, { from, outcome }: WayOut, did: string[]): Promise<string | undefined> {
  did.push(`${from} ${outcome}`)
  const wrong = await it.bad(`step done ${from} --outcome ${outcome} --effort EFFORT`)
  // A plan at its limit waits for the user.
  return wrong?.includes(', parked') === true ? undefined : wrong
}

/** Runs the command that the answer names; a plan at its limit waits for the user, who says yes. */
async function doNext(it: Window, did: string[]): Promise<string | undefined> {
  await it.bad('step --effort EFFORT')
  const [, next] = /^(?:next|only the user can run): (.*)$/m.exec(it.said) ?? []
  if (next === undefined) return it.said
  did.push(next)
  return await doNamed(it, next.startsWith(`${PROGRAM} `) ? `Next: run ${next}` : next)
}
