import type { Plan, Step } from './plan.ts'

// Minimal test data for plans; each case names only what differs.

export const step = (id: string, more: Partial<Step> = {}): Step => ({
  id,
  label: id,
  title: id,
  optional: false,
  consumes: [],
  produces: [],
  proof: [],
  place: { file: `/s/flow/steps/${id}.md`, line: 1, column: 1 },
  ...more,
})

export const planOf = (steps: readonly Step[], more: Partial<Plan> = {}): Plan => ({
  notation: 'steps',
  explicit: true,
  gate: 'visited',
  entry: [],
  steps,
  ...more,
})
