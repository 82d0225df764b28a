import type { Problem } from './problem.ts'
import type { Step } from './plan.ts'

/** A problem of all steps on a circle, told at the first of them. */
export function circleOf(
  steps: ReadonlyMap<string, Step>,
  path: readonly string[],
  about: Pick<Problem, 'code' | 'message'>,
): Problem {
  const round = path.flatMap((id) => steps.get(id) ?? [])
  return { ...about, place: round[0]?.place ?? { file: '', line: 1, column: 1 }, steps: round }
}

/** A circle as text: it ends where it begins. */
export const showPath = (path: readonly string[]): string => [...path, path[0]].join(' → ')

/** Enough to fix at once; each may be as long as the plan. */
const MOST_CIRCLES = 20

/** One path per cycle; linear in the size of the graph. */
export function circles(edges: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const found: string[][] = []
  const done = new Set<string>()
  for (const start of edges.keys()) {
    if (done.has(start)) continue
    const path: { readonly id: string; next: number }[] = [{ id: start, next: 0 }]
    const onPath = new Set([start])
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const target = edges.get(top.id)?.[top.next++]
      if (target === undefined) {
        done.add(top.id)
        onPath.delete(top.id)
        path.pop()
      } else if (onPath.has(target)) {
        if (found.length < MOST_CIRCLES)
          found.push(path.slice(path.findIndex(({ id }) => id === target)).map(({ id }) => id))
      } else if (!done.has(target) && edges.has(target)) {
        path.push({ id: target, next: 0 })
        onPath.add(target)
      }
    }
  }
  return found
}
