import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Loopback, loopback } from '../../src/ai/loopback.contract.ts'
import { User } from '../holdfast.ts'

interface Status {
  readonly method: string
  readonly vectors: {
    readonly active: { readonly space: string; readonly pieces: number; readonly embedded: number } | null
    readonly building: { readonly space: string; readonly embedded: number } | null
    readonly running: object | null
    readonly problem: { readonly message: string } | null
  } | null
}

interface Found {
  readonly source_path: string
  readonly why: { readonly method: string }
}

/** A user with a project that has these texts, and a model of meaning on loopback. */
async function withModel(
  texts: Readonly<Record<string, string>>,
  options: Parameters<typeof loopback>[0] = {},
) {
  const server = await loopback(options)
  onTestFinished(() => server[Symbol.asyncDispose]())
  const user = new User()
  onTestFinished(() => user[Symbol.asyncDispose]())
  mkdirSync(join(user.project, '.git'))
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(user.project, path)), { recursive: true })
    writeFileSync(join(user.project, path), text)
  }
  for (const [path, text] of Object.entries(texts)) put(path, text)
  await user.run(['project', 'upsert', '.'])
  const set = async (name: string, value: string) =>
    expect(await user.run(['config', 'set', name, value])).toMatchObject({ code: 0 })
  await set('ai_embed_url', server.url)
  await set('ai_embed', 'openai-compatible/small')
  const status = async () => user.json<Status>(['index'])
  const find = async (...words: readonly string[]) => user.json<readonly Found[]>(['search', ...words])
  return { user, server, put, set, status, find }
}

const documentsIn = ({ embedded }: Loopback) => embedded.filter((text) => text.includes('\n'))

describe('a model of meaning', () => {
  test('finds what has other words, and says why', async () => {
    const { find, status, server } = await withModel(
      { 'docs/login.md': 'The login page.\n', 'docs/other.md': 'A recipe for soup.\n' },
      { synonyms: { signin: 'login' } },
    )
    expect(await status()).toMatchObject({
      method: 'words and meaning',
      vectors: { active: { pieces: 2, embedded: 2 }, building: null, running: null, problem: null },
    })
    expect((await find('signin'))[0]).toMatchObject({
      source_path: 'docs/login.md',
      why: { method: 'meaning' },
    })
    expect((await find('login'))[0]).toMatchObject({ why: { method: 'both' } })
    const asked = server.requests.length
    await find('login')
    expect(server.requests).toHaveLength(asked)
  })

  test('embeds each piece once, also after a change beside it and a copy of it', async () => {
    const { put, status, server } = await withModel({ 'a.md': '# One\n\nviolet\n\n# Two\n\nochre\n' })
    await status()
    expect(documentsIn(server)).toHaveLength(2)
    put('a.md', '# One\n\nviolet\n\n# Two\n\nindigo\n')
    put('copy/a.md', '# One\n\nviolet\n')
    expect(await status()).toMatchObject({ vectors: { active: { pieces: 3, embedded: 3 } } })
    expect(documentsIn(server)).toEqual(['a > One\nviolet', 'a > Two\nochre', 'a > Two\nindigo'])
  })
})
