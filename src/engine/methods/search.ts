import * as z from 'zod'
import { MOST_TEXT } from '../../model/search/chunk.ts'
import { SOURCES } from '../../model/search/found.ts'
import { wordsOf } from '../../model/search/question.ts'
import { rank } from '../../model/search/rank.ts'
import { putDigest } from '../../model/search/source.ts'
import { snippetOf } from '../../model/search/snippet.ts'
import { deleteSources, indexedSources, replaceSource } from '../../store/search.ts'
import type { Tx } from '../../store/query.ts'
import type { Context, TextIndex } from '../call/context.ts'
import { directMethod, method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { hereMeant, meantRoot, rootIn, where } from '../call/meant-root.ts'
import { indexedRoot } from '../session/text-index.ts'

const source = z.enum(SOURCES)

const question = {
  query: p.words(2000).describe('Words to look for. No syntax: every character means itself.'),
  ...where,
  all_projects: z.boolean().default(false).describe('Search every project instead of one.'),
  since: z.iso.datetime().optional().describe('Only what was written or said since then.'),
  limit: z.int().min(1).max(100).default(10).describe('Maximum number of results.'),
}

type Question = z.output<z.ZodObject<typeof question>>

/** The best of so many pieces are ordered by all words. */
const CANDIDATES = 100

export const query = directMethod({
  name: 'search.query',
  summary:
    'Find texts by their words: documents, directives, skills, notes on tasks, and what was said in sessions.',
  effect: 'none',
  params: z.strictObject({
    ...question,
    source_types: z
      .array(source)
      .min(1)
      .max(SOURCES.length)
      .optional()
      .describe('Only these kinds of sources.'),
    source_type: source.optional().describe('Only this kind of source, beside source_types.'),
  }),
  call: (context, { source_types: types, source_type: one, ...asked }) =>
    answer(context, asked, one === undefined ? types : [...new Set([...(types ?? []), one])]),
})

/** The names of the seed for searches of one kind. */
const searchOf = (name: string, type: (typeof SOURCES)[number], what: string) =>
  directMethod({
    name: `search.${name}`,
    summary: `Find ${what} by their words; search.query with one kind of source.`,
    effect: 'none',
    params: z.strictObject(question),
    call: (context, asked) => answer(context, asked, [type]),
  })

export const sessions = searchOf('sessions', 'session', 'notes on tasks and runs')
export const docs = searchOf('docs', 'doc', 'documents')
export const directives = searchOf('directives', 'directive', 'directives')

async function answer(context: Context, { query: asked, ...more }: Question, types?: readonly string[]) {
  const root = more.all_projects ? undefined : await rootIn(context, more)
  const words = wordsOf(asked)
  const found = await context.index.find({
    words,
    project_id: root?.of.id,
    source_types: types,
    since: more.since,
    limit: CANDIDATES,
    question: { text: asked, root: root?.path },
  })
  return rank(found, more.limit).map(({ chunk_text: text, score, has, in_heading, ...one }) => ({
    ...one,
    score: Number(score.toFixed(4)),
    snippet: snippetOf(text, words),
    why: { method: methodOf(has, one.meaning), has, in_heading },
    text,
  }))
}

const methodOf = (has: readonly string[], meaning: number | undefined) =>
  meaning === undefined ? 'words' : has.length === 0 ? 'meaning' : 'both'

export const upsert = method({
  name: 'search.upsert',
  summary: 'Put a text into the index, in place of what it had from the same source.',
  effect: 'durable',
  params: z.strictObject({
    // Later sessions are told what somebody said, so nobody may put words into their mouth.
    source_type: source.exclude(['message']),
    source_path: p.name.describe('Names the source within the project, such as a relative path.'),
    chunk_text: p.textUpTo(MOST_TEXT).describe('The whole text. It is split at its headings.'),
    ...where,
  }),
  async prepare(context, params) {
    const { of } = await rootIn(context, params)
    return { project_id: of.id, chunks: await context.index.split(params.chunk_text, params.source_path) }
  },
  async run(tx, { source_type, source_path, chunk_text: text }, call) {
    const { createHash } = process.getBuiltinModule('node:crypto')
    const digest = putDigest(createHash('sha256').update(text).digest('hex'))
    const { project_id, chunks } = call.prepared
    const replaced = await replaceSource(
      tx,
      { project_id, source_type, source_path, digest, at: call.now },
      chunks,
    )
    const indexed = { source_type, source_path, chunks: chunks.length, ...replaced }
    await call.record(tx, { event_type: 'source.indexed', project_id, payload: indexed })
    return { project_id, ...indexed }
  },
})

export const remove = method({
  name: 'search.delete',
  summary:
    'Take a source out of the index. A file that is still there comes back when its project is indexed.',
  effect: 'durable',
  params: z.strictObject({ source_path: p.name, source_type: source.optional(), ...where }),
  prepare: (context, params) => rootIn(context, params),
  async run(tx, { source_path, source_type: type }, call) {
    const project_id = call.prepared.of.id
    const types = type === undefined ? undefined : [type]
    const removed = await deleteSources(tx, { project_id, source_types: types, source_path })
    const payload = { source_type: type ?? null, source_path, removed }
    await call.record(tx, { event_type: 'source.removed', project_id, payload })
    return { removed }
  },
})

export const status = method({
  name: 'search.status',
  summary: 'Show what is indexed of a project, how, and what is under way.',
  effect: 'read',
  params: z.strictObject(where),
  prepare: (context, params) => hereMeant(context, params),
  async run(tx, params, { context, prepared: here }) {
    const { of } = await meantRoot(tx, context, { ...params, here })
    return await statusOf(tx, context, of.id)
  },
  finish: withVectors,
})

export const reindex = method({
  name: 'search.reindex',
  summary: 'Bring the index of a project up to date in the background; search.status shows how far it is.',
  effect: 'read',
  params: z.strictObject({
    ...where,
    source_type: source.optional().describe('Read every source of this kind again, and no other.'),
  }),
  prepare: (context, params) => hereMeant(context, params),
  async run(tx, { source_type: kind, ...params }, { context, prepared: here }) {
    const { of } = await meantRoot(tx, context, { ...params, here })
    return { ...(await statusOf(tx, context, of.id)), root: await indexedRoot(tx, context, of.id), kind }
  },
  finish({ index }, { root, kind, ...known }) {
    void index.refresh({ id: known.project_id, root, kind })
    return withVectors({ index }, { ...known, running: runningOf(index, known.project_id) })
  },
})

/** The status with the vectors, which are counted beside the loop. */
async function withVectors<S extends { readonly project_id: number }>(
  { index }: Pick<Context, 'index'>,
  known: S,
) {
  const vectors = await index.vectors(known.project_id)
  const isUsed = vectors !== null && vectors.active !== null && vectors.problem === null
  return { ...known, method: isUsed ? 'words and meaning' : 'words', vectors }
}

async function statusOf(tx: Tx, { index }: Context, project_id: number) {
  const rows = await indexedSources(tx, { project_id })
  return { project_id, sources: rows, running: runningOf(index, project_id) }
}

function runningOf(index: TextIndex, project: number) {
  const progress = index.progress(project)
  if (progress === undefined) return null
  const { started, ...counts } = progress
  return { ...counts, seconds: (performance.now() - started) / 1000 }
}
