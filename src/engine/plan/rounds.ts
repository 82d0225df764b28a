import type { Values } from '../../model/plan/plan-for.ts'
import { fromJson } from '../../store/json.ts'
import type { Tx } from '../../store/query.ts'
import { findPlanState, putPlanState } from '../../store/step.ts'
import type { Call } from '../call/method.ts'

/** A sub-agent of a step in one of its visits. */
export interface Child {
  /** Its effort; null for one that works freely, or that was given up before it began. */
  readonly effort: number | null
  readonly state: 'running' | 'ok' | 'fail'
  /** What it returned. */
  readonly values: Values
}

/** One visit of a step that sub-agents do, with those that began or reported, by number. */
export interface Round {
  readonly visit: number
  readonly children: Readonly<Record<number, Child>>
}

/** The last round of each step, and the efforts of the sub-agents of all rounds. */
export interface Rounds {
  readonly steps: Readonly<Record<string, Round>>
  readonly efforts: readonly number[]
}

/** Whose work the effort of a sub-agent is. */
export interface Above {
  readonly effort: number
  readonly step: string
  readonly visit: number
  readonly child: number
}

const CHILDREN = 'children'
const ABOVE = 'parent'
const NONE: Rounds = { steps: {}, efforts: [] }

/** What the steps of an effort gave to sub-agents. */
export async function roundsOf(tx: Tx, effort_id: number): Promise<Rounds> {
  return fromJson((await findPlanState(tx, { effort_id, name: CHILDREN }))?.value ?? null, NONE)
}

/** The round of a visit; empty if nobody has begun in it. */
export function roundIn({ steps }: Rounds, step: string, visit: number): Round {
  const last = Object.hasOwn(steps, step) ? steps[step] : undefined
  return last?.visit === visit ? last : { visit, children: {} }
}

/** Keeps a sub-agent of a step; the caller holds the lock of the effort. */
export async function keepChild(
  tx: Tx,
  { effort: effort_id, step, visit, child }: Above,
  kept: Child,
  { now }: Call,
): Promise<Round> {
  const before = await roundsOf(tx, effort_id)
  const { children } = roundIn(before, step, visit)
  const round = { visit, children: { ...children, [child]: kept } }
  const efforts = kept.effort === null ? before.efforts : [...new Set([...before.efforts, kept.effort])]
  const value = JSON.stringify({ steps: { ...before.steps, [step]: round }, efforts } satisfies Rounds)
  await putPlanState(tx, { effort_id, name: CHILDREN, value, now })
  return round
}

/** Whose work an effort is; undefined if it is no sub-agent's. */
export async function aboveOf(tx: Tx, effort_id: number): Promise<Above | undefined> {
  const row = await findPlanState(tx, { effort_id, name: ABOVE })
  return row === undefined ? undefined : (JSON.parse(row.value) as Above)
}

/** Says whose work an effort is, once and for all. */
export async function keepAbove(tx: Tx, effort_id: number, above: Above, { now }: Call): Promise<void> {
  await putPlanState(tx, { effort_id, name: ABOVE, value: JSON.stringify(above), now })
}

/** The efforts above one, nearest first. */
export async function lineOf(tx: Tx, effort_id: number): Promise<readonly number[]> {
  const above = await aboveOf(tx, effort_id)
  return above === undefined ? [] : [above.effort, ...(await lineOf(tx, above.effort))]
}
