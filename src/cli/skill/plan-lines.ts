import type { Plan } from '../../model/plan/plan.ts'
import { cell } from '../frame/print.ts'

/** The steps of a plan and its sub-agents, and what they ask for and run, for people who are asked to hold a skill to it. */
export async function planLines(plan: Plan): Promise<readonly string[]> {
  const { tree } = await import('../../skills/graph.ts')
  const linesOf = (one: Plan, path = ''): readonly string[] => [
    ...tree(one).split('\n').filter(isTelling),
    ...Object.entries(one.workflows ?? {}).flatMap(([name, below]) => [
      `Sub-agents run the workflow ${path}${name}:`,
      ...linesOf(below, `${path}${name}/`),
    ]),
  ]
  const lines = linesOf(plan).map(cell)
  const hold = plan.hold === 'stop' ? ['A turn that leaves required steps open is refused once.'] : []
  return [...lines, ...hold]
}

/** That one step follows the other needs no line. */
const isTelling = (line: string): boolean => !/^└ → \S+$/.test(line)
