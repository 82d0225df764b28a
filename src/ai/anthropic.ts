import type { Generated } from '../model/ai.ts'
import { type Form, tokensAt } from './form.ts'
import { at, listAt, textAt } from './json.ts'

const STOPS: Readonly<Record<string, Generated['stop']>> = { max_tokens: 'length', refusal: 'refused' }

export const anthropic: Form = {
  headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  generate: {
    // Sampling parameters are left out, because newer models refuse them.
    wire: (model, { system, prompt, max_tokens }) => ({
      path: '/messages',
      body: {
        model,
        max_tokens,
        ...(system !== undefined && { system: [{ type: 'text', text: system }] }),
        messages: [{ role: 'user', content: prompt }],
      },
    }),
    read(answer) {
      const blocks = listAt(answer, 'content')
      const texts = blocks.flatMap((block) =>
        textAt(block, 'type') === 'text' ? [textAt(block, 'text') ?? ''] : [],
      )
      const stop = STOPS[textAt(answer, 'stop_reason') ?? ''] ?? 'end'
      if (!Array.isArray(at(answer, 'content')) || (texts.length === 0 && stop === 'end')) return undefined
      return {
        text: texts.join(''),
        stop,
        tokens: tokensAt(at(answer, 'usage'), 'input_tokens', 'output_tokens'),
      }
    },
  },
}
