import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { costOf, isBaseUrl, namedModel, priceIn, PROVIDERS } from './ai-provider.ts'
import { faultOf } from './config.ts'

test.each([
  ['ollama/llama3.2:3b', 'ollama', 'llama3.2:3b'],
  ['lmstudio/qwen/qwen3-8b@q4', 'lmstudio', 'qwen/qwen3-8b@q4'],
  ['llama.cpp/any', 'llama.cpp', 'any'],
])('%s is a model of a provider', (text, name, model) => {
  expect(namedModel(text, 'generate')).toMatchObject({ name, model })
})

test.each(['', 'ollama', 'ollama/', '/x', 'constructor/x', 'voyage/voyage-4', 'ollama/a b', 'ollama/a\nb'])(
  '%j is none that writes texts',
  (text) => {
    expect(namedModel(text, 'generate')).toBeUndefined()
  },
)

test('a base URL has no password and nothing behind its path', () => {
  expect(['http://127.0.0.1:8080/v1', 'https://x.example/v1/'].map(isBaseUrl)).toEqual([true, true])
  const bad = [
    'x',
    'file:///etc',
    'http://u:p@x/v1',
    'https://x/v1?key=1',
    'https://x/#a',
    'https://x/'.padEnd(600, 'y'),
  ]
  expect(bad.filter(isBaseUrl)).toEqual([])
})

test('a cost needs a price and a count', () => {
  expect(priceIn('1/5')).toEqual({ input: 1, output: 5 })
  expect(['', 'free', '1/', '-1', '1e3'].map(priceIn)).toEqual(Array.from({ length: 5 }, () => undefined))
  const tokens = { input: 2_000_000, output: 100_000 }
  expect(costOf('1/5', tokens)).toBe(2.5)
  expect([costOf(undefined, tokens), costOf('1/5', undefined)]).toEqual([undefined, undefined])
})

test('a project may turn models off, and nothing else', () => {
  expect(faultOf('ai', 'off', 'project')).toBeUndefined()
  expect(faultOf('ai', 'on', 'project')).toContain('must be off')
  expect(faultOf('ai', 'on', 'user')).toBeUndefined()
  for (const name of ['ai_embed', 'ai_generate', 'ai_embed_url', 'ai_generate_url', 'ai_per_minute'])
    expect(faultOf(name, 'ollama/x', 'project')).toContain('only in the user')
})

test('docs/ai.md has every provider with its URL and its variable', () => {
  const page = readFileSync('docs/ai.md', 'utf8')
  for (const [name, { url, variable, can }] of Object.entries(PROVIDERS)) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? ''
    expect(row).toContain(variable)
    expect(row).toContain(url ?? 'you set it')
    expect(row.match(/\| yes/g) ?? []).toHaveLength(can.length)
  }
})
