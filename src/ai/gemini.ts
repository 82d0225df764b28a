import type { EmbedKind, Generated } from '../model/ai.ts'
import { type Form, tokensAt } from './form.ts'
import { at, listAt, textAt } from './json.ts'

/** These ignore `taskType` and read a prefix of the text instead. */
const readsPrefix = (model: string): boolean => !/embedding-001$|text-embedding-00/.test(model)

const PREFIXES: Readonly<Record<EmbedKind, string>> = {
  query: 'task: search result | query: ',
  document: 'title: none | text: ',
}

const TASK_TYPES: Readonly<Record<EmbedKind, string>> = {
  query: 'RETRIEVAL_QUERY',
  document: 'RETRIEVAL_DOCUMENT',
}

/** Why an answer ended, besides `STOP`. */
const STOPS: Readonly<Record<string, Generated['stop']>> = {
  MAX_TOKENS: 'length',
  SAFETY: 'refused',
  RECITATION: 'refused',
  BLOCKLIST: 'refused',
  PROHIBITED_CONTENT: 'refused',
  SPII: 'refused',
}

export const gemini: Form = {
  headers: (key) => ({ 'x-goog-api-key': key }),
  embed: {
    most: 100,
    scheme: (model) => (readsPrefix(model) ? 'task-prefix' : 'task-type'),
    // One request per text, because several parts of one content become a single vector.
    wire: ({ model, dims, texts, kind }) => ({
      path: `/models/${encodeURIComponent(model)}:batchEmbedContents`,
      body: {
        requests: texts.map((text) => ({
          model: `models/${model}`,
          content: {
            role: 'user',
            parts: [{ text: readsPrefix(model) ? `${PREFIXES[kind]}${text}` : text }],
          },
          ...(!readsPrefix(model) && { taskType: TASK_TYPES[kind] }),
          ...(dims !== undefined && { outputDimensionality: dims }),
        })),
      },
    }),
    read: (answer) => ({
      vectors: listAt(answer, 'embeddings').map((one) => at(one, 'values')),
      tokens: undefined,
    }),
  },
  generate: {
    wire: (model, { system, prompt, max_tokens }) => ({
      path: `/models/${encodeURIComponent(model)}:generateContent`,
      body: {
        ...(system !== undefined && { systemInstruction: { parts: [{ text: system }] } }),
        contents: [{ role: 'user', parts: [{ text: prompt }] }],
        generationConfig: { maxOutputTokens: max_tokens },
      },
    }),
    read(answer) {
      const tokens = tokensAt(at(answer, 'usageMetadata'), 'promptTokenCount', 'candidatesTokenCount')
      if (textAt(answer, 'promptFeedback', 'blockReason') !== undefined)
        return { text: '', stop: 'refused', tokens }
      const reason = textAt(answer, 'candidates', 0, 'finishReason')
      const texts = listAt(answer, 'candidates', 0, 'content', 'parts').flatMap((part) =>
        at(part, 'thought') === true ? [] : [textAt(part, 'text') ?? ''],
      )
      const stop = STOPS[reason ?? ''] ?? 'end'
      return texts.length === 0 && stop === 'end' ? undefined : { text: texts.join(''), stop, tokens }
    },
  },
}
