import { type Diagnostic, diagnose } from '../model/diagnostic.ts'
import { ROOT_ARTIFACTS, type Step } from '../model/plan/plan.ts'
import type { SkillSource } from './notations/frontend.ts'
import { linesOutside } from './references.ts'
import { entryOf } from './series/entry.ts'
import { slug } from './text/text.ts'

/** Sorts producers before consumers; steps in a cycle keep their order. */
export function inOrderOfArtifacts(steps: readonly Step[]): readonly Step[] {
  const producers = producersOf(steps)
  const done = new Set<Step>()
  for (let left = steps; left.length > 0; left = left.filter((step) => !done.has(step))) {
    const ready = left.filter((step) => needs(step, producers).every((producer) => done.has(producer)))
    for (const step of ready.length > 0 ? ready : left.slice(0, 1)) done.add(step)
  }
  return [...done]
}

function producersOf(steps: readonly Step[]): ReadonlyMap<string, Step> {
  const producers = new Map<string, Step>()
  for (const step of steps)
    for (const artifact of step.produces) if (!producers.has(artifact)) producers.set(artifact, step)
  return producers
}

const needs = (step: Step, producers: ReadonlyMap<string, Step>): readonly Step[] =>
  step.consumes.flatMap((artifact) => {
    const producer = ROOT_ARTIFACTS.includes(artifact) ? undefined : producers.get(artifact)
    return producer === undefined || producer === step ? [] : [producer]
  })

/** Finds text that sends the agent to a step before the producer of an artifact it needs. */
export function contractFaults(steps: readonly Step[], source: SkillSource): readonly Diagnostic[] {
  const told = toldOrder(steps, source)
  const producers = producersOf(steps)
  return steps.flatMap((step) => {
    const line = told.get(step.id)
    if (line === undefined) return []
    const artifact = step.consumes.find((name) => {
      const producer = ROOT_ARTIFACTS.includes(name) ? undefined : producers.get(name)
      return producer !== undefined && !producer.optional && (told.get(producer.id) ?? 0) > line
    })
    const late = artifact === undefined ? undefined : producers.get(artifact)
    if (artifact === undefined || late === undefined) return []
    const message = `The text mentions ${step.id} before ${late.id} (line ${told.get(late.id)}), but the plan is ${late.id} → ${artifact} → ${step.id}.`
    return [diagnose('HF310', { file: source.main.file, line, column: 1 }, message)]
  })
}

/** The first line that mentions each step, by its file or in a numbered heading. */
function toldOrder(steps: readonly Step[], source: SkillSource): ReadonlyMap<string, number> {
  const told = new Map<string, number>()
  const tell = (stem: string, line: number) => told.set(stem, Math.min(told.get(stem) ?? line, line))
  for (const { text, line } of linesOutside(source, 'steps'))
    for (const [, stem = ''] of text.matchAll(/steps(?:-\w+)?\/([\w.-]+?)\.md/g)) tell(stem, line)
  const byTitle = new Map(steps.map(({ id }) => [slug(id, ''), id]))
  for (const block of source.blocks) {
    const entry = block.kind === 'heading' ? entryOf(block.text) : undefined
    const id = entry === undefined ? undefined : byTitle.get(slug(entry.title, ''))
    if (id !== undefined && id !== '') tell(id, block.line)
  }
  return told
}
