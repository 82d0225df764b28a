import type { Parsed } from './definition.ts'
import type { Plan, Step } from './plan.ts'

/** What a plugin brings, by the names in its folders. */
export interface PluginParts {
  readonly name: string
  readonly skills: ReadonlySet<string>
  readonly agents: ReadonlySet<string>
}

/** A skill of a plugin means the skills and agents of its plugin, which the client calls `plugin:name`. */
export function inPlugin(parsed: Parsed, plugin: PluginParts): Parsed {
  const { definition } = parsed
  if (definition.plan === undefined) return parsed
  return { ...parsed, definition: { ...definition, plan: planIn(definition.plan, plugin) } }
}

function planIn(plan: Plan, plugin: PluginParts): Plan {
  const { workflows } = plan
  return {
    ...plan,
    steps: plan.steps.map((step) => stepIn(step, plugin)),
    ...(workflows !== undefined && {
      workflows: Object.fromEntries(
        Object.entries(workflows).map(([word, below]) => [word, planIn(below, plugin)]),
      ),
    }),
  }
}

function stepIn(step: Step, { name, skills, agents }: PluginParts): Step {
  const { dispatch, runs } = step
  const agent = dispatch?.agent ?? ''
  return {
    ...step,
    ...(dispatch !== undefined &&
      agents.has(agent) && { dispatch: { ...dispatch, agent: `${name}:${agent}` } }),
    ...(runs?.kind === 'skill' &&
      skills.has(runs.name) && { runs: { ...runs, name: `${name}:${runs.name}` } }),
  }
}
