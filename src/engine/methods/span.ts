import * as z from 'zod'
import type { Span } from '../../model/span.ts'
import { NOTHING_RECORDED } from '../../model/plan/evidence.ts'
import { doneText } from '../../model/plan/progress-text.ts'
import { isCarriedOut } from '../../model/plan/visit.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findSpans, toSpan } from '../../store/span.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { followedBy } from '../plan/plan.ts'

const filter = {
  session_id: p.name.optional().describe("The client's id of the session."),
  effort_id: p.id.optional(),
  skill: p.skillName.optional(),
  project_id: p.id.optional(),
  limit: p.limit,
}

export const list = method({
  name: 'span.list',
  summary: 'List spans, newest first: which skill was active when, and the steps it visited.',
  effect: 'read',
  params: z.strictObject({ ...filter, status: z.enum(['active', 'suspended', 'completed']).optional() }),
  run: async (tx, params) => (await findSpans(tx, params)).map(toSpan),
})

export const tree = method({
  name: 'span.tree',
  summary: 'Show spans as a tree of callers, oldest first, with what came of each.',
  effect: 'read',
  params: z.strictObject(filter),
  async run(tx, params) {
    const spans = await withStates(tx, (await findSpans(tx, params)).map(toSpan).toReversed())
    const known = new Set(spans.map(({ span_id }) => span_id))
    return childrenOf(
      spans,
      spans.filter(({ parent_span_id: parent }) => parent === null || !known.has(parent)),
    )
  },
})

interface StatedSpan extends Span {
  /** Its status, or how far its plan was when it ended before the plan was carried out. */
  readonly state: string
}

interface Branch extends StatedSpan {
  readonly children: readonly Branch[]
}

const childrenOf = (all: readonly StatedSpan[], spans: readonly StatedSpan[]): readonly Branch[] =>
  spans.map((span) => ({
    ...span,
    children: childrenOf(
      all,
      all.filter(({ parent_span_id: parent }) => parent === span.span_id),
    ),
  }))

async function withStates(tx: Tx, spans: readonly Span[]): Promise<readonly StatedSpan[]> {
  const states = new Map<number, string>()
  for (const { status, effort_id } of spans)
    if (status === 'completed' && effort_id !== null && !states.has(effort_id))
      states.set(effort_id, await endOf(tx, effort_id))
  return spans.map((span) => ({
    ...span,
    state: (span.status === 'completed' ? states.get(span.effort_id ?? 0) : undefined) ?? span.status,
  }))
}

/** A span ends with its session too, whatever its effort still has to do. */
async function endOf(tx: Tx, id: number): Promise<string> {
  const row = await findEffort(tx, { id })
  const { plan, progress, recorded } = row === undefined ? NOWHERE : await followedBy(tx, toEffort(row))
  if (plan === undefined || progress === undefined) return 'completed'
  // The end of an effort stores what ended with it.
  const isOver = row?.lifecycle === 'finished'
  const isDone = isOver ? progress.status === 'completed' : isCarriedOut(plan, progress, recorded)
  if (isDone) return 'completed'
  return `ended (${doneText(plan, progress)})`
}

const NOWHERE = { plan: undefined, progress: undefined, recorded: NOTHING_RECORDED }
