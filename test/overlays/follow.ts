import { doNamed } from '../refusals/named-action.ts'
import type { Scene } from '../refusals/scene.ts'
import type { Way } from './packaged.ts'

/** True if the effort is finished. */
export const isFinished = async (it: Scene): Promise<boolean> =>
  (await it.ask<{ lifecycle: string }>('db.effort.get', { effort_id: it.effort })).lifecycle === 'finished'

/** Chooses a way out of the current step, or none if its work was good. */
type Choose = (label: string) => Way | undefined

/** Asks where it stands and does what the answer names, until the end; returns what it did. */
export async function follow(it: Scene, most: number, choose: Choose = () => undefined): Promise<string[]> {
  const did: string[] = []
  while (!(await isFinished(it))) {
    const { current } = await it.ask<{ current: readonly string[] }>('step.show', { effort_id: it.effort })
    const way = current.flatMap((label) => choose(label) ?? [])[0]
    const wrong = way === undefined ? await doNext(it, did) : await take(it, way, did)
    if (wrong !== undefined || did.length > most) throw new Error([...did, wrong].join('\n'))
  }
  return did
}

async function take(it: Scene, { from, outcome }: Way, did: string[]): Promise<string | undefined> {
  did.push(`${from} ${outcome}`)
  const wrong = await it.bad(`step done ${from} --outcome ${outcome} --effort EFFORT`)
  // A plan at its limit waits for the user.
  return wrong?.includes(', parked') === true ? undefined : wrong
}

/** Runs the command that the answer names; a plan at its limit waits for the user, who says yes. */
async function doNext(it: Scene, did: string[]): Promise<string | undefined> {
  await it.bad('step --effort EFFORT')
  const [, next] = /^(?:next|only the user can run): (.*)$/m.exec(it.said) ?? []
  if (next === undefined) return it.said
  did.push(next)
  return await doNamed(it, next.startsWith('holdfast ') ? `Next: run ${next}` : next)
}
