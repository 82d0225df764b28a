import type { Plan } from '../../model/plan/plan.ts'
import { cell } from '../frame/print.ts'

/** The steps of a plan and its sub-agents, and what they ask for and run, for people who are asked to hold a skill to it. */
export async function planLines(plan: Plan): Promise<readonly string[]> {
  const { tree } = await import('../../skills/graph.ts')
  const lines = tree(plan).split('\n').filter(isTelling).map(cell)
  const hold = plan.hold === 'stop' ? ['A turn that leaves required steps open is refused once.'] : []
  return [...lines, ...hold]
}

/** An empty line needs no line of its own here, nor does it that one step follows the other. */
const isTelling = (line: string): boolean => line !== '' && !/^└ → \S+$/.test(line)
