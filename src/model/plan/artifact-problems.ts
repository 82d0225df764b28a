import { nearest } from '../text/nearest.ts'
import { circleOf, circles, showPath } from './circles.ts'
import type { Graph } from './graph-problems.ts'
import { inputsMissing } from './inputs.ts'
import { isBrought, type Step } from './plan.ts'
import type { Problem } from './problem.ts'

/** Limits for the guesses of a plan, because each compares letter by letter. */
const [MOST_GUESSED, MOST_COMPARED] = [20, 200]

/** Artifacts that no step produces, that two produce, or that a step needs from itself. */
export function artifactFaults({ plan, producers }: Graph): readonly Problem[] {
  const names = [...producers.keys()].slice(0, MOST_COMPARED)
  let guessed = 0
  return plan.steps.flatMap((step) => {
    const fault = (code: 'HF307' | 'HF308' | 'HF309', text: string): Problem => ({
      code,
      place: step.place,
      message: `Step ${step.id} ${text}${text.endsWith('?') ? '' : '.'}`,
      steps: [step],
    })
    const made = new Set(step.produces)
    const own = step.consumes.filter((artifact) => made.has(artifact))
    const missing = step.consumes.filter((artifact) => !isBrought(plan, artifact) && !producers.has(artifact))
    const second = step.produces.filter((artifact) => producers.get(artifact)?.[0] !== step)
    return [
      ...missing.map((artifact) => {
        const meant = guessed++ < MOST_GUESSED ? nearest(artifact, names) : []
        const hint = meant.length === 0 ? '' : `; did you mean ${meant.join(' or ')}?`
        const path = `? → ${artifact} → ${step.id}`
        return fault('HF307', `consumes ${artifact}, which no step produces: ${path}${hint}`)
      }),
      ...second.map((artifact) => {
        const first = producers.get(artifact)?.[0]?.id ?? ''
        return fault(
          'HF308',
          `produces ${artifact}, which ${first} produces already: ${first} → ${artifact} ← ${step.id}`,
        )
      }),
      ...own.map((artifact) =>
        fault(
          'HF309',
          `consumes ${artifact}, which it produces itself: ${step.id} → ${artifact} → ${step.id}`,
        ),
      ),
    ]
  })
}

/** Circles of steps in which each needs an artifact of the next. */
export function waitingCircles({ plan, steps, producers }: Graph): readonly Problem[] {
  const waitsFor = (step: Step) =>
    inputsMissing(plan, step, () => false)
      .flatMap((artifact) => producers.get(artifact) ?? [])
      .filter((producer) => producer !== step && !producer.optional)
      .map(({ id }) => id)
  const edges = new Map(plan.steps.map((step) => [step.id, waitsFor(step)]))
  return circles(edges).map((path) =>
    circleOf(steps, path, { code: 'HF313', message: `Each of ${showPath(path)} waits for the next.` }),
  )
}
