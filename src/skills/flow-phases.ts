import type { Flowchart } from './flowchart.ts'
import { slug } from './text/text.ts'

/** A phase as an overlay writes it. */
export interface WrittenPhase {
  readonly label: string
  readonly name: string
  readonly heading?: string
  readonly optional?: true
  readonly only?: 'full' | 'quick'
  readonly limit?: number
  readonly proof?: readonly string[]
  readonly next?: string | Readonly<Record<string, string>>
}

/** Boxes that only mark where a drawing begins or ends. */
const MARK = /^(start|begin|end|stop|done|finish(ed)?|complete(d)?)\W*$/i
/** The answers that lead on. */
const GOES_ON = /^(yes|ok|pass|true|approved?|success|done|green|ready|next)/i
/** How often a loop of a drawing may run, because a drawing never says. */
const ROUNDS = 10

/** The phases of a drawn process: boxes in the order of its arrows, with its branches and loops. */
export function flowPhases(chart: Flowchart): readonly WrittenPhase[] {
  const nodes = new Map(chart.nodes.map(({ id, label }) => [id, label]))
  const order = inOrder(chart).filter((id) => !MARK.test(nodes.get(id) ?? ''))
  const labels = new Map(order.map((id, index) => [id, String(index + 1)]))
  const positions = new Map(order.map((id, index) => [id, index]))
  const at = (id: string) => positions.get(id) ?? Infinity
  return order.map((id): WrittenPhase => {
    const isLoop = chart.edges.some(
      ({ from, to }) => to === id && at(from) !== Infinity && at(from) >= at(id),
    )
    const next = nextOf(chart, id, { at, labelOf: (to) => labels.get(to) ?? 'end' })
    return {
      label: labels.get(id) ?? '',
      name: nodes.get(id) ?? id,
      ...(isLoop && { limit: ROUNDS }),
      ...(next !== undefined && { next }),
    }
  })
}

/** From the boxes that nothing leads to, breadth first. */
function inOrder({ nodes, edges }: Flowchart): readonly string[] {
  const targets = new Set(edges.map(({ to }) => to))
  const starts = nodes.filter(({ id }) => !targets.has(id)).map(({ id }) => id)
  const [first] = nodes
  const seen = new Set(starts.length > 0 ? starts : first === undefined ? [] : [first.id])
  for (const id of seen) for (const { from, to } of edges) if (from === id) seen.add(to)
  return [...seen]
}

function nextOf(
  { edges }: Flowchart,
  id: string,
  { at, labelOf }: { readonly at: (id: string) => number; readonly labelOf: (id: string) => string },
): WrittenPhase['next'] {
  const ways = edges.filter(({ from }) => from === id)
  // An end without an arrow is the end of the plan, whatever follows in the list.
  if (ways.length === 0) return 'end'
  const forward = ways.filter(({ to }) => at(to) > at(id))
  const main = forward.find(({ label }) => GOES_ON.test(label)) ?? forward[0] ?? ways[0]
  const others = ways.filter((way) => way !== main)
  const given = new Set<string>()
  const named = others.map(({ label, to }) => [outcomeOf(label, given), labelOf(to)] as const)
  return { ok: labelOf(main?.to ?? ''), ...Object.fromEntries(named) }
}

/** Words with a meaning of their own in plans. */
const TAKEN = /^(ok|fail|skip|next)$/

function outcomeOf(label: string, given: Set<string>): string {
  const base = slug(label, 'other').slice(0, 40)
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base}-${count}`
    if (given.has(name) || TAKEN.test(name)) continue
    given.add(name)
    return name
  }
}
