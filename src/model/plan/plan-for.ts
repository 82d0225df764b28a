import { isBrought, type Plan, type Step } from './plan.ts'
import { fillVariables } from './variables.ts'

/** What decides which steps of a plan take part. */
export interface Choice {
  readonly mode: string | null
  /** Values of variables; the plan has defaults. */
  readonly variables?: Readonly<Record<string, string>>
}

/** The plan without the steps that another mode or an unmet guard leaves out. */
export function planFor(plan: Plan, { mode, variables = {} }: Choice): Plan {
  const values = { ...plan.variables, ...variables }
  const part = plan.steps.filter((step) => !takesPart(step, mode, values)).reduce(without, plan)
  return Object.keys(values).length === 0 ? part : fillVariables(part, values)
}

/** True if values of variables may change the plan. */
export const hasVariables = ({ variables, steps }: Plan): boolean =>
  variables !== undefined || steps.some(({ when }) => when !== undefined)

function takesPart(
  { only, when = {} }: Step,
  mode: string | null,
  values: Choice['variables'] = {},
): boolean {
  if (only !== undefined && (only === 'quick') !== (mode === 'quick')) return false
  return Object.entries(when).every(([name, value]) => Object.hasOwn(values, name) && values[name] === value)
}

/** Whoever led to the step leads to what follows it; whoever consumes its products needs what it consumes. */
function without(plan: Plan, gone: Step): Plan {
  const after = (gone.next?.['ok'] ?? []).filter((id) => id !== gone.id)
  const goOn = (ids: readonly string[]) => unique(ids.flatMap((id) => (id === gone.id ? after : [id])))
  const steps = plan.steps.filter((step) => step !== gone)
  const isLost = (artifact: string) =>
    gone.produces.includes(artifact) &&
    !isBrought(plan, artifact) &&
    !steps.some(({ produces }) => produces.includes(artifact))
  const instead = (id: string | undefined) => (id === gone.id ? after[0] : id)
  return {
    ...plan,
    entry: goOn(plan.entry),
    steps: steps.map(({ onError, onLimit, next, ...step }) => {
      const [error, limit] = [instead(onError), instead(onLimit)]
      return {
        ...step,
        consumes: unique(
          step.consumes.flatMap((artifact) => (isLost(artifact) ? gone.consumes : [artifact])),
        ).filter((artifact) => !step.produces.includes(artifact)),
        ...(next !== undefined && {
          next: Object.fromEntries(Object.entries(next).map(([outcome, ids]) => [outcome, goOn(ids)])),
        }),
        ...(error !== undefined && { onError: error }),
        ...(limit !== undefined && { onLimit: limit }),
      }
    }),
  }
}

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)]
