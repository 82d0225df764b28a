import type { EmbedKind, Generated } from '../model/ai.ts'
import { type Form, tokensAt } from './form.ts'
import { at, countAt, listAt, textAt } from './json.ts'
import { byIndex } from './by-index.ts'

/** A family of open models that was trained with prefixes. */
const readsPrefix = (model: string): boolean => /nomic-embed/i.test(model)

const PREFIXES: Readonly<Record<EmbedKind, string>> = {
  query: 'search_query: ',
  document: 'search_document: ',
}

const STOPS: Readonly<Record<string, Generated['stop']>> = { length: 'length', content_filter: 'refused' }

/** OpenAI, and every program that speaks like it. */
export const openai = (limit: 'max_tokens' | 'max_completion_tokens'): Form => ({
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  embed: {
    most: 128,
    scheme: (model) => (readsPrefix(model) ? 'search-prefix' : 'none'),
    wire: ({ model, dims, texts, kind }) => ({
      path: '/embeddings',
      body: {
        model,
        input: readsPrefix(model) ? texts.map((text) => `${PREFIXES[kind]}${text}`) : texts,
        encoding_format: 'float',
        ...(dims !== undefined && { dimensions: dims }),
      },
    }),
    read: (answer) => ({
      vectors: byIndex(listAt(answer, 'data')),
      tokens: countAt(answer, 'usage', 'prompt_tokens'),
    }),
  },
  generate: {
    wire: (model, { system, prompt, max_tokens }) => ({
      path: '/chat/completions',
      body: {
        model,
        messages: [
          ...(system === undefined ? [] : [{ role: 'system', content: system }]),
          { role: 'user', content: prompt },
        ],
        [limit]: max_tokens,
      },
    }),
    read(answer) {
      const choice = at(answer, 'choices', 0)
      const stop = STOPS[textAt(choice, 'finish_reason') ?? ''] ?? 'end'
      const refusal = textAt(choice, 'message', 'refusal')
      const tokens = tokensAt(at(answer, 'usage'), 'prompt_tokens', 'completion_tokens')
      if (refusal !== undefined) return { text: refusal, stop: 'refused', tokens }
      const text = textAt(choice, 'message', 'content')
      return text === undefined && stop === 'end' ? undefined : { text: text ?? '', stop, tokens }
    },
  },
})
