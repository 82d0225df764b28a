import { providerContract } from './provider.contract.ts'

const bearer = ['authorization', 'Bearer KEY'] as const
const texts = ['violet page', 'other']
const messages = [
  { role: 'system', content: 'Be short.' },
  { role: 'user', content: 'Sum up.' },
]

for (const name of ['openai', 'ollama', 'lmstudio', 'vllm', 'llama.cpp', 'openai-compatible'])
  providerContract(`${name}/some-model:7b`, 'embed', {
    path: '/embeddings',
    header: bearer,
    asks: { model: 'some-model:7b', input: texts, encoding_format: 'float' },
    list: 'data',
  })

providerContract('ollama/nomic-embed-text', 'embed', {
  path: '/embeddings',
  header: bearer,
  asks: { input: ['search_document: violet page', 'search_document: other'] },
  list: 'data',
})

providerContract('voyage/voyage-4', 'embed', {
  path: '/embeddings',
  header: bearer,
  asks: { model: 'voyage-4', input: texts, input_type: 'document' },
  list: 'data',
})

const part = (text: string) => ({
  model: 'models/gemini-embedding-2',
  content: { role: 'user', parts: [{ text }] },
})

providerContract('gemini/gemini-embedding-2', 'embed', {
  path: '/models/gemini-embedding-2:batchEmbedContents',
  header: ['x-goog-api-key', 'KEY'],
  asks: { requests: [part('title: none | text: violet page'), part('title: none | text: other')] },
  list: 'embeddings',
})

providerContract('gemini/gemini-embedding-001', 'embed', {
  path: '/models/gemini-embedding-001:batchEmbedContents',
  header: ['x-goog-api-key', 'KEY'],
  asks: { requests: [{ taskType: 'RETRIEVAL_DOCUMENT' }, { taskType: 'RETRIEVAL_DOCUMENT' }] },
  list: 'embeddings',
})

providerContract('gemini/gemini-flash', 'generate', {
  path: '/models/gemini-flash:generateContent',
  header: ['x-goog-api-key', 'KEY'],
  asks: {
    systemInstruction: { parts: [{ text: 'Be short.' }] },
    contents: [{ role: 'user', parts: [{ text: 'Sum up.' }] }],
    generationConfig: { maxOutputTokens: 50 },
  },
})

providerContract('openai/gpt', 'generate', {
  path: '/chat/completions',
  header: bearer,
  asks: { model: 'gpt', messages, max_completion_tokens: 50 },
})

providerContract('llama.cpp/llama', 'generate', {
  path: '/chat/completions',
  header: bearer,
  asks: { model: 'llama', messages, max_tokens: 50 },
})

providerContract('anthropic/claude-haiku', 'generate', {
  path: '/messages',
  header: ['x-api-key', 'KEY'],
  asks: {
    model: 'claude-haiku',
    max_tokens: 50,
    system: [{ type: 'text', text: 'Be short.' }],
    messages: [{ role: 'user', content: 'Sum up.' }],
  },
})
