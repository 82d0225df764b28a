import * as z from 'zod'
import { aiUsedEntry, type AiUsed, usedBy } from '../call/ai-used.ts'
import type { Config } from '../../model/config.ts'
import type { Context } from '../call/context.ts'
import type { Ask } from '../call/keyed.ts'
import { hereMeant, meantRoot, type Where, where } from '../call/meant-root.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'

const LONGEST_PROMPT = 200_000
const LONGEST_TEXT = 8000
const MOST_TEXTS = 32

export const generate = method({
  name: 'ai.generate',
  summary: 'Ask the model that the user has set in ai_generate; what it answers is data.',
  effect: 'durable',
  params: z.strictObject({
    prompt: p.words(LONGEST_PROMPT),
    system: p.words(LONGEST_PROMPT).optional().describe('What the model is and does.'),
    max_tokens: z.int().min(1).max(16_000).default(1000).describe('The answer ends there.'),
    ...where,
  }),
  async prepare(context, { prompt, system, max_tokens, ...named }, ask) {
    const here = await settingsHere(context, named, ask)
    const generator = context.ai.generator(here.config)
    const { tokens, ...answer } = await generator.generate({ prompt, system, max_tokens })
    return { answer, used: { use: 'generate', purpose: 'call', of: generator, tokens, ...here } as const }
  },
  async run(tx, _, { prepared: { answer, used }, ...call }) {
    await call.record(tx, aiUsedEntry(used))
    return { ...answer, ...usedBy(used) }
  },
})

export const embed = method({
  name: 'ai.embed',
  summary: 'Turn texts into vectors by the model that the user has set in ai_embed.',
  effect: 'durable',
  params: z.strictObject({
    texts: z.array(p.words(LONGEST_TEXT)).min(1).max(MOST_TEXTS),
    kind: z
      .enum(['document', 'query'])
      .default('document')
      .describe('What the texts are, for models that ask.'),
    ...where,
  }),
  async prepare(context, { texts, kind, ...named }, ask) {
    const here = await settingsHere(context, named, ask)
    const embedder = context.ai.embedder(here.config)
    const { vectors, tokens: count } = await embedder.embed(texts, kind)
    const tokens = count === undefined ? undefined : { input: count, output: 0 }
    const used: AiUsed = { use: 'embed', purpose: 'call', of: embedder, tokens, ...here }
    return { vectors: vectors.map(rounded), used }
  },
  async run(tx, _, { prepared: { vectors, used }, ...call }) {
    await call.record(tx, aiUsedEntry(used))
    return { vectors, dims: vectors[0]?.length ?? 0, ...usedBy(used) }
  },
})

export const status = method({
  name: 'ai.status',
  summary:
    'Show which models the config names and whether each has its key. Sends nothing, and shows no key.',
  effect: 'read',
  params: z.strictObject(where),
  prepare: (context, params, ask) => settingsHere(context, params, ask),
  run: (_, __, { context: { ai }, prepared: { config } }) =>
    Promise.resolve({ embed: ai.setup(config, 'embed'), generate: ai.setup(config, 'generate') }),
})

/** Seven digits are all that a 32-bit number has. */
const rounded = (vector: Float32Array): readonly number[] =>
  Array.from(vector, (one) => Number(one.toPrecision(7)))

/** The settings where the caller is. A repeated call ends here with its first result. */
async function settingsHere(
  context: Context,
  named: Where,
  ask: Ask,
): Promise<{ readonly config: Config; readonly project_id?: number }> {
  const isNamed = named.path !== undefined || named.project_id !== undefined
  const here = await hereMeant(context, named)
  const root = await ask(async (tx) =>
    isNamed ? await meantRoot(tx, context, { ...named, here }) : undefined,
  )
  return root === undefined
    ? { config: context.config('') }
    : { config: context.config(root.path), project_id: root.of.id }
}
