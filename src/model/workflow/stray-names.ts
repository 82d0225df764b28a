import type { Plan, Step } from '../plan/plan.ts'
import type { Problem } from '../plan/problem.ts'
import { OWN_VALUES, allTexts } from '../plan/template.ts'
import { variablesIn } from '../plan/variables.ts'
import { nearest } from '../text/nearest.ts'

/** Names that nothing sets: in guards and patterns of any plan, and in decisions and templates of a workflow. */
export function strayNames(plan: Plan): readonly Problem[] {
  const { steps, variables = {}, inputs = [] } = plan
  const known = new Set([...Object.keys(variables), ...inputs, ...steps.flatMap(({ proof }) => proof)])
  const isWorkflow = plan.format !== undefined
  return steps.flatMap((step) => {
    const used = isWorkflow ? [...namesIn(plan, step), ...toldNames(step)] : namesIn(plan, step)
    return [...new Set(used)]
      .filter((name) => !known.has(name))
      .map((name) =>
        isWorkflow
          ? problem(
              step,
              'HF326',
              `uses ${name}, which neither params nor state declares`,
              meantBy(name, known),
            )
          : problem(step, 'HF322', `uses the variable ${name}, which nothing sets`),
      )
  })
}

const problem = (step: Step, code: Problem['code'], text: string, end = '.'): Problem => ({
  code,
  place: step.place,
  message: `Step ${step.label} ${text}${end}`,
  steps: [step],
})

function meantBy(name: string, known: ReadonlySet<string>): string {
  const [meant] = nearest(name.slice(0, LONGEST_NAME), [...known])
  return meant === undefined ? '.' : `; did you mean ${meant}?`
}

const LONGEST_NAME = 64

/** Names in guards and patterns. */
function namesIn(
  { demands = {} }: Plan,
  { proof, produces, writes = [], when = {} }: Step,
): readonly string[] {
  const covers = [...proof, ...produces].flatMap((name) =>
    Object.hasOwn(demands, name) ? (demands[name]?.covers ?? []) : [],
  )
  return [...Object.keys(when), ...[...covers, ...writes].flatMap(variablesIn)]
}

/** Names in what the step decides by, and in the templates of what it shows. */
function toldNames({ title, actions = [], dispatch, decides = [] }: Step): readonly string[] {
  const { instruction, vars, each } = dispatch ?? {}
  const texts = allTexts([title, actions, instruction, vars, each])
  const told = texts.flatMap(templatesIn).filter((name) => !OWN.has(name))
  return [...decides.flatMap(({ when = {} }) => Object.keys(when)), ...told]
}

const OWN: ReadonlySet<string> = new Set(OWN_VALUES)

/** Also finds what is written like a template and is none, such as `{{params.x}}`; `${{` belongs to others. */
const TEMPLATE = /(?<!\$)\{\{\s*([\w.-]+)\s*\}\}/g

const templatesIn = (text: string): readonly string[] =>
  [...text.matchAll(TEMPLATE)].map(([, name = '']) => name.replace(/^state\./, ''))
