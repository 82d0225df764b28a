import { type Diagnostic, type DiagnosticCode, diagnose } from '../diagnostic.ts'
import { workflowProblems } from '../workflow/check.ts'
import { strayNames } from '../workflow/stray-names.ts'
import { artifactFaults, waitingCircles } from './artifact-problems.ts'
import {
  deadEnds,
  endlessLoops,
  type Graph,
  neverEnding,
  unknownEntries,
  unknownTargets,
  unreachable,
} from './graph-problems.ts'
import { dependents } from './mixed.ts'
import { type Plan, producersIn, type Step, stepsById } from './plan.ts'
import type { Problem } from './problem.ts'

/** All problems of a plan as a graph, each with its path. */
export const validatePlan = (plan: Plan): readonly Diagnostic[] =>
  problemsIn(plan).map(({ code, place, message }) => diagnose(code, place, message))

/** The problems of a plan, and the plan with its faulty steps and those that need their products. */
export function checkPlan(plan: Plan): { readonly plan: Plan; readonly diagnostics: readonly Diagnostic[] } {
  const found = problemsIn(plan).map(({ steps, code, place, message }) => ({
    steps: steps.map(({ id }) => id),
    diagnostic: diagnose(code, place, message),
  }))
  const own = found.filter(({ diagnostic }) => diagnostic.severity === 'error').flatMap(({ steps }) => steps)
  const faulty = new Set([...(plan.faulty ?? []), ...own])
  const all = [...new Set([...faulty, ...dependents(plan, [...faulty])])]
  const inner = Object.entries(plan.workflows ?? {}).map(([name, one]) => [name, checkPlan(one)] as const)
  const workflows = Object.fromEntries(inner.map(([name, one]) => [name, one.plan]))
  const sound = inner.length === 0 ? plan : { ...plan, workflows }
  return {
    plan: all.length === 0 ? sound : { ...sound, faulty: all },
    diagnostics: [
      ...found.map(({ diagnostic }) => diagnostic),
      ...inner.flatMap(([name, one]) =>
        one.diagnostics.map((of) => ({ ...of, message: `Workflow ${name}: ${of.message}` })),
      ),
    ],
  }
}

/** Errors that concern single steps, which `faulty` names; any other error concerns the whole plan. */
const OF_STEPS: ReadonlySet<DiagnosticCode> = new Set([
  'HF302',
  'HF306',
  'HF307',
  'HF308',
  'HF309',
  'HF313',
  'HF316',
  'HF318',
  'HF321',
])

/** Errors beside the plan, which stays in force. */
const BESIDE: ReadonlySet<DiagnosticCode> = new Set(['HF127'])

/** True if a plan can refuse: it is explicit, and a part of it has no errors. */
export const isEnforceable = (plan: Plan, diagnostics: readonly Diagnostic[]): boolean =>
  plan.explicit &&
  diagnostics.every(
    (one) =>
      one.severity !== 'error' || OF_STEPS.has(one.code) || BESIDE.has(one.code) || isOfText(one, plan),
  ) &&
  (plan.faulty === undefined || plan.faulty.length < plan.steps.length)

/** A plan in YAML does not depend on the texts for agents, so a fault there leaves it in force. */
const isOfText = ({ file }: Diagnostic, { steps }: Plan): boolean =>
  file.endsWith('.md') && steps.every(({ place }) => /\.ya?ml$/.test(place.file))

function problemsIn(plan: Plan): readonly Problem[] {
  const doubles = duplicateIds(plan)
  // With duplicate ids, no other problem is reliable.
  if (doubles.length > 0) return doubles
  const graph = { plan, steps: stepsById(plan), producers: producersIn(plan) }
  return CHECKS.flatMap((check) => check(graph))
}

const CHECKS: readonly ((graph: Graph) => readonly Problem[])[] = [
  unknownEntries,
  unknownTargets,
  deadEnds,
  unreachable,
  neverEnding,
  endlessLoops,
  artifactFaults,
  waitingCircles,
  ({ plan }) => strayNames(plan),
  ({ plan, steps }) => workflowProblems(plan, steps),
]

function duplicateIds({ steps }: Plan): readonly Problem[] {
  const firsts = new Map<string, Step>()
  return steps.flatMap((step) => {
    const first = firsts.get(step.id)
    firsts.set(step.id, first ?? step)
    if (first === undefined) return []
    const message = `Step ${step.id} is already defined at ${first.place.file}:${first.place.line}.`
    return [{ code: 'HF301', place: step.place, message, steps }]
  })
}
