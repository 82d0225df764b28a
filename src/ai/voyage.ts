import { byIndex } from './by-index.ts'
import type { Form } from './form.ts'
import { countAt, listAt } from './json.ts'

export const voyage: Form = {
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  embed: {
    most: 128,
    scheme: () => 'input-type',
    wire: ({ model, dims, texts, kind }) => ({
      path: '/embeddings',
      body: {
        model,
        input: texts,
        input_type: kind,
        ...(dims !== undefined && { output_dimension: dims }),
      },
    }),
    read: (answer) => ({
      vectors: byIndex(listAt(answer, 'data')),
      tokens: countAt(answer, 'usage', 'total_tokens'),
    }),
  },
}
