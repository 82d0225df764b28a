import * as z from 'zod'
import type { Span } from '../../model/span.ts'
import { findSpans, toSpan } from '../../store/span.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'

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
  summary: 'Show spans as a tree of callers, oldest first.',
  effect: 'read',
  params: z.strictObject(filter),
  async run(tx, params) {
    const spans = (await findSpans(tx, params)).map(toSpan).toReversed()
    const known = new Set(spans.map(({ span_id }) => span_id))
    return childrenOf(
      spans,
      spans.filter(({ parent_span_id: parent }) => parent === null || !known.has(parent)),
    )
  },
})

interface Branch extends Span {
  readonly children: readonly Branch[]
}

const childrenOf = (all: readonly Span[], spans: readonly Span[]): readonly Branch[] =>
  spans.map((span) => ({
    ...span,
    children: childrenOf(
      all,
      all.filter(({ parent_span_id: parent }) => parent === span.span_id),
    ),
  }))
