import * as fc from 'fast-check'
import type { Files } from '../refusals/skills.ts'

/** A random skill, with what a reader of its files expects of the plan. */
export interface Made {
  readonly files: Files
  readonly mode: 'quick' | undefined
  /** The steps that take part, in order. */
  readonly steps: readonly MadeStep[]
  /** A step whose work is found wanting so many times. */
  readonly loop: Loop | undefined
}

export interface MadeStep {
  /** The word that commands know it by. */
  readonly name: string
  /** Its file below the project, if it has one of its own. */
  readonly file?: string
  /** Groups of steps; one of each group must have been started before. */
  readonly after: readonly (readonly string[])[]
  /** True if it cannot be left as done without work: a claim, a proof, a report, an artifact. */
  readonly owes: boolean
  /** Set if it owes both reports of sub-agents and proof, which are two moves. */
  readonly owesTwice?: boolean
  /** A file that may change only from this step on. */
  readonly writes?: string
}

export interface Loop {
  readonly from: string
  readonly outcome: string
  readonly to: string
  readonly limit: number
  /** The step that follows at the limit. */
  readonly onLimit?: string
  /** How often the agent reports the outcome. */
  readonly rounds: number
  /** How many steps one round may repeat. */
  readonly length: number
}

/** What only the text of one step says. */
export const secretOf = (name: string): string => `secret of ${name}.`

export const FOLDER = '.claude/skills/flow'
export const sometimes = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 3 })

/** What any step may say, in every notation. */
const shape = fc.record({
  optional: fc.boolean(),
  only: sometimes(fc.constantFrom('quick' as const, 'full' as const)),
  when: sometimes(fc.constantFrom('deep', 'flat')),
  proof: sometimes(fc.constantFrom('claimed' as const, 'proved' as const, 'depth' as const)),
  dispatch: sometimes(fc.constantFrom({ count: 1, join: 1 }, { count: 2, join: 2 }, { count: 3, join: 2 })),
  writes: sometimes(fc.constant(true)),
})
export type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never

/** A way back from a step, with a limit on the step that it leads to. */
const way = fc.record({
  from: fc.nat({ max: 9 }),
  back: fc.nat({ max: 3 }),
  limit: fc.integer({ min: 1, max: 3 }),
  rounds: fc.integer({ min: 0, max: 3 }),
  hasDetour: fc.boolean(),
})

export const list = fc.record({
  shapes: fc.array(shape, { minLength: 2, maxLength: 6 }),
  way: sometimes(way),
  mode: sometimes(fc.constant('quick' as const)),
  depth: fc.constantFrom('deep', 'flat'),
  holds: fc.boolean(),
})
export type List = typeof list extends fc.Arbitrary<infer T> ? T : never

export const takesPart = ({ only, when }: Shape, { mode, depth }: List): boolean =>
  (only === undefined || (only === 'quick') === (mode === 'quick')) && (when === undefined || when === depth)

/** The last step is required and always takes part, so that a plan has something to do. */
export const shapesOf = ({ shapes }: List): readonly Shape[] =>
  shapes.map((one, at) =>
    at === shapes.length - 1 ? { ...one, optional: false, only: undefined, when: undefined } : one,
  )

export function loopIn({ way: written }: List, names: readonly string[]): Loop | undefined {
  if (written === undefined) return undefined
  const { back, limit, rounds, hasDetour } = written
  const from = written.from % names.length
  const to = Math.max(0, from - back)
  const detour = from + 1 < names.length && hasDetour ? names[from + 1] : undefined
  return {
    from: names[from] ?? '',
    outcome: 'again',
    to: names[to] ?? '',
    limit,
    ...(detour !== undefined && { onLimit: detour }),
    rounds,
    length: from - to + 1,
  }
}

export const fileFor = (name: string): string => `src/${name.replaceAll(/\W/g, '-')}.ts`

/** The fields of one step as `holdfast.yaml` has them. */
export function fieldsOf(
  { optional, only, when, dispatch, writes }: Shape,
  name: string,
  loop: Loop | undefined,
) {
  return {
    ...(optional && { optional }),
    ...(only !== undefined && { only }),
    ...(when !== undefined && { when: { depth: when } }),
    ...(dispatch !== undefined && { dispatch }),
    ...(writes !== undefined && { writes: [fileFor(name)] }),
    ...(loop?.from === name && { next: { [loop.outcome]: loop.to } }),
    ...(loop?.to === name && { limit: loop.limit }),
    ...(loop?.to === name && loop.onLimit !== undefined && { onLimit: loop.onLimit }),
  }
}

/** Each field of proof has a name of its own, but for the variable. */
export function proofOf({ proof }: Shape, at: number) {
  if (proof === undefined) return undefined
  if (proof === 'depth') return ['depth']
  return proof === 'claimed'
    ? [`claim_${at}`]
    : { [`proof_${at}`]: { command: 'test -d src', covers: ['src/**'] } }
}

/** The steps of a list: each waits for the required ones before it. */
export function inTurn(
  given: List,
  names: readonly string[],
  owesMore = (_at: number) => false,
): readonly MadeStep[] {
  const required: string[][] = []
  return shapesOf(given).flatMap((one, at) => {
    const name = names[at] ?? ''
    if (!takesPart(one, given)) return []
    const after = [...required]
    if (!one.optional) required.push([name])
    const owes = one.proof !== undefined || one.dispatch !== undefined || owesMore(at)
    const owesTwice = one.proof !== undefined && one.dispatch !== undefined
    return [{ name, after, owes, owesTwice, ...(one.writes !== undefined && { writes: fileFor(name) }) }]
  })
}

export const sidecar = (value: unknown): Files => ({ [`${FOLDER}/holdfast.yaml`]: JSON.stringify(value) })

export const common = ({ depth, holds }: List) => ({ variables: { depth }, ...(holds && { hold: 'stop' }) })

export const title = (at: number): string => `Part ${'ABCDEFGHIJ'[at]}`
