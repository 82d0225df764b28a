import { type Followed, isFinished } from './follow.ts'
import { doNamed, doOffered } from './named-action.ts'
import type { Window } from './window.ts'

/** What an agent knows of a plan that it does not follow. */
export interface Known {
  /** The steps that take part, in order. */
  readonly steps: readonly KnownStep[]
  /** A step whose work is found wanting so many times. */
  readonly loop?: Loop | undefined
}

interface KnownStep {
  /** The word that commands know it by. */
  readonly name: string
  /** Its file below the project, if it has one of its own. */
  readonly file?: string
  /** A file that may change only from this step on. */
  readonly writes?: string
  /** Set if it owes both reports of sub-agents and proof, which are two moves. */
  readonly owesTwice?: boolean
}

interface Loop {
  readonly from: string
  readonly outcome: string
  /** How often the agent reports the outcome. */
  readonly rounds: number
  /** How many steps one round may repeat. */
  readonly length: number
}

/** What an agent wants that does not look at the plan, and would rather be done. */
const wishesFor = ({ steps }: Known): readonly ((it: Window) => Promise<string | undefined>)[] => {
  const last = steps.at(-1)
  return [
    (it) => it.bad('effort finish EFFORT'),
    (it) => it.bad(`step go '${last?.name}' --effort EFFORT`),
    (it) => it.bad(`step done --effort EFFORT`),
    async (it) => {
      await it.hears('Go on.')
      return await it.stops()
    },
    ...steps.flatMap(({ writes }) => (writes === undefined ? [] : [(it: Window) => it.write(writes, '')])),
    ...(last?.file === undefined ? [] : [(it: Window) => it.read(last.file ?? '')]),
  ]
}

/**
 * Obeys each refusal literally until the work is finished. What a refusal names must work at once, unless the agent has
 * the patience to obey so many more in a row.
 */
export async function obey(
  it: Window,
  made: Known,
  choices: readonly number[],
  patience = 0,
): Promise<Followed> {
  const did: string[] = []
  const wishes = wishesFor(made)
  let rounds = made.loop?.rounds ?? 0
  for (let turn = 0; !(await isFinished(it)); turn++) {
    if (turn > mostMoves(made)) return { did, wrong: `There is no end after ${turn} turns.` }
    if (rounds > 0 && (await isFoundWanting(it, made, did))) {
      rounds--
      continue
    }
    const wish = wishes[(choices[turn % choices.length] ?? 0) % wishes.length]
    const refusal = (await wish?.(it)) ?? (await wishes[0]?.(it))
    if (refusal === undefined) continue
    let wrong = (await doNamed(it, refusal)) ?? (await afterLook(it, refusal))
    for (let more = 0; wrong !== undefined && more < patience; more++) wrong = await doNamed(it, wrong)
    did.push(refusal.trim())
    if (wrong !== undefined) return { did, wrong }
  }
  return { did }
}

/** Reports the outcome that leads back, if its step is current. */
async function isFoundWanting(it: Window, { loop }: Known, did: string[]): Promise<boolean> {
  if (loop === undefined || !(await currentOf(it)).includes(loop.from)) return false
  const wrong = await it.bad(`step done '${loop.from}' --outcome ${loop.outcome} --effort EFFORT`)
  did.push(`${loop.outcome}: ${wrong ?? 'done'}`)
  // A plan at its limit waits for the user.
  if (wrong !== undefined && !wrong.includes(', parked')) throw new Error(did.join('\n'))
  return true
}

/** Does the offered step, if a refusal led to the look at it; returns what is wrong. */
const afterLook = async (it: Window, refusal: string): Promise<string | undefined> =>
  /holdfast step --effort \d+(?:\. Then: .*)?\s*$/.test(refusal) ? (await doOffered(it)).wrong : undefined

/** Each step is started and reported once, and sub-agents prove their work; rounds and approvals repeat some of it. */
function mostMoves({ steps, loop }: Known): number {
  const rounds = loop === undefined ? 0 : loop.rounds * (loop.length + 1)
  const proofs = steps.filter(({ owesTwice = false }) => owesTwice).length
  return 2 * (steps.length + rounds) + proofs * (1 + (loop?.rounds ?? 0))
}

const currentOf = async (it: Window): Promise<readonly string[]> =>
  (await it.ask<{ current: readonly string[] }>('step.show', { effort_id: it.effort })).current
