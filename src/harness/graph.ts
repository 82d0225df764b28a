import type { Diagnostic } from '../model/diagnostic.ts'
import { explore, type Explored, type Taken } from '../model/plan/explore.ts'
import { planFor } from '../model/plan/plan-for.ts'
import { type Plan, stepOf, targetsOf } from '../model/plan/plan.ts'
import { type Variant, variantsOf } from '../model/plan/variants.ts'
import { counted } from '../model/text/line.ts'
import { type Finding, once, type Tested } from './finding.ts'

/** A way to begin a plan, and what can follow. */
export interface Begun {
  readonly variant: Variant
  readonly explored: Explored
}

/** Level 0: the plan has no error, each of its paths ends, and each of its steps is on one. */
export function testGraph(plan: Plan | undefined, diagnostics: readonly Diagnostic[]): Tested {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').map(faultOf)
  const tested = (plan === undefined ? [] : plansIn(plan)).map(({ name, plan: one }) => testPlan(one, name))
  const sum = (key: keyof Counts) => tested.reduce((total, { counts }) => total + counts[key], 0)
  return {
    level: 0,
    counts: { steps: sum('steps'), edges: sum('edges'), moves: sum('moves'), paths: sum('paths') },
    findings: [...errors, ...tested.flatMap(({ findings }) => findings)],
    notes: tested.flatMap(({ notes }) => notes),
  }
}

/** A plan, and the workflows that its sub-agents run; the name of the plan itself is empty. */
const plansIn = (plan: Plan, name = ''): readonly { readonly name: string; readonly plan: Plan }[] => [
  { name, plan },
  ...Object.entries(plan.workflows ?? {}).flatMap(([word, one]) =>
    plansIn(one, name === '' ? word : `${name}/${word}`),
  ),
]

/** A diagnostic of the check as what this level found. */
export const faultOf = ({ code, message, file, line }: Diagnostic): Finding => ({
  level: 0,
  code: 'check',
  message: `${code}: ${message}`,
  path: [`${file}:${line}`],
})

interface Counts {
  readonly steps: number
  readonly edges: number
  readonly moves: number
  readonly paths: number
}

function testPlan(plan: Plan, name: string) {
  const begun = beginnings(plan)
  const all = begun.map(({ explored }) => explored)
  const total = (count: (one: Explored) => number) => all.reduce((sum, one) => sum + count(one), 0)
  const where = name === '' ? '' : `Workflow ${name}: `
  const findings = [...trapsIn(plan, begun), ...unreached(plan, all)]
  const counts: Counts = {
    steps: plan.steps.length,
    edges: plan.steps.reduce((sum, step) => sum + targetsOf(step).length, 0),
    moves: total(({ moves }) => moves),
    paths: total(({ ends }) => ends),
  }
  return {
    counts,
    findings: findings.map((one) => ({ ...one, message: `${where}${one.message}` })),
    notes: all.some(({ isWhole }) => !isWhole)
      ? [`${where}There are too many states to look at all of them.`]
      : [],
  }
}

/** Each way to begin a plan that gives another plan, with what can follow. */
export function beginnings(plan: Plan): readonly Begun[] {
  const found = new Map<string, Begun>()
  for (const variant of variantsOf(plan)) {
    const part = planFor(plan, variant)
    const key = part.steps.map(({ id }) => id).join('\n')
    if (!found.has(key) && part.steps.length > 0) found.set(key, { variant, explored: explore(part) })
  }
  return [...found.values()]
}

/** Reports the same fault of several beginnings once. */
function trapsIn(plan: Plan, begun: readonly Begun[]): readonly Finding[] {
  const found = begun.flatMap(({ variant, explored }) =>
    explored.traps.map(({ kind, why, way }): Finding => ({
      level: 0,
      code: kind,
      message: why,
      path: [...saidOf(variant), ...way.map((taken) => shownTaken(plan, taken))],
    })),
  )
  return once(found)
}

/** A choice as people read it: `check fail`. */
const shownTaken = (plan: Plan, { step, outcome }: Taken): string =>
  `${stepOf(plan, step)?.label ?? step} ${outcome}`

const saidOf = ({ mode, variables }: Variant): readonly string[] => [
  ...(mode === null ? [] : [`mode ${mode}`]),
  ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
]

function unreached(plan: Plan, all: readonly Explored[]): readonly Finding[] {
  if (all.some(({ isWhole }) => !isWhole)) return []
  const reached = new Set(all.flatMap(({ ways }) => ways.flatMap((way) => way.at(-1)?.step ?? [])))
  return plan.steps
    .filter(({ id }) => !reached.has(id))
    .map(({ label }) => ({
      level: 0,
      code: 'unreachable',
      message: `No path of ${counted(plan.steps.length, 'step')} comes to step ${label}.`,
      path: [],
    }))
}
