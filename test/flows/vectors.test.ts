import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
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
  readonly heading: string
  readonly why: { readonly method: string }
}

/** A user with a project that has these texts, and a model of meaning on loopback. */
async function withModel(
  texts: Readonly<Record<string, string>>,
  { key, ...options }: NonNullable<Parameters<typeof loopback>[0]> & { readonly key?: string } = {},
) {
  const server = await loopback(options)
  onTestFinished(() => server[Symbol.asyncDispose]())
  const user = new User({
    HOLDFAST_QUESTION_MILLISECONDS: '600000',
    ...(key !== undefined && { OPENAI_COMPATIBLE_API_KEY: key }),
  })
  onTestFinished(() => user[Symbol.asyncDispose]())
  mkdirSync(join(user.project, '.git'))
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(user.project, path)), { recursive: true })
    writeFileSync(join(user.project, path), text)
  }
  for (const [path, text] of Object.entries(texts)) put(path, text)
  await user.run(['project', 'upsert', '.'])
  const set = async (...words: readonly string[]) =>
    expect(await user.run(['config', 'set', ...words])).toMatchObject({ code: 0 })
  await set('ai_embed_url', server.url)
  await set('ai_embed', 'openai-compatible/small')
  const given = JSON.stringify({ path: user.project })
  return {
    user,
    server,
    put,
    set,
    /** Indexes to the end. */
    index: () => user.json<Status>(['index']),
    /** Begins to index. */
    begin: () => user.json<Status>(['rpc', 'search.reindex', given]),
    status: () => user.json<Status>(['rpc', 'search.status', given]),
    find: (...words: readonly string[]) => user.json<readonly Found[]>(['search', ...words]),
  }
}

/** The texts of pieces that were sent, by requests; questions have one line. */
const sentIn = ({ requests }: Loopback): readonly (readonly string[])[] =>
  requests.map(({ body }) => body.input as readonly string[]).filter(([text = '']) => text.includes('\n'))

/** A text with so many pieces. */
const pieces = (count: number) =>
  Array.from({ length: count }, (_, at) => `# Part ${at}\n\nword${at} of it\n`).join('\n')

describe('a model of meaning', () => {
  test('finds what has other words, and says why', async () => {
    const { find, index, server } = await withModel(
      { 'docs/login.md': 'The login page.\n', 'docs/other.md': 'A recipe for soup.\n' },
      { synonyms: { signin: 'login' } },
    )
    expect(await index()).toMatchObject({
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
    const { put, index, server } = await withModel({ 'a.md': '# One\n\nviolet\n\n# Two\n\nochre\n' })
    await index()
    expect(sentIn(server).flat()).toHaveLength(2)
    put('a.md', '# One\n\nviolet\n\n# Two\n\nindigo\n')
    put('copy/a.md', '# One\n\nviolet\n')
    expect(await index()).toMatchObject({ vectors: { active: { pieces: 3, embedded: 3 } } })
    expect(sentIn(server).flat()).toEqual(['a > One\nviolet', 'a > Two\nochre', 'a > Two\nindigo'])
  })

  test('a killed daemon goes on where it was, and sends again only what had no answer', async () => {
    const { user, server, begin, index } = await withModel({ 'a.md': pieces(100) })
    const answered = { change: (answer: unknown) => answer }
    server.tricks.push(answered, answered, 'hang')
    const hanging = server.hanging()
    await begin()
    await hanging
    const before = sentIn(server)
    expect(before.map(({ length }) => length)).toEqual([32, 32, 32])
    const { pid } = await user.json<{ pid: number }>(['daemon', 'status'])
    process.kill(pid, 'SIGKILL')
    expect(await index()).toMatchObject({ vectors: { active: { pieces: 100, embedded: 100 } } })
    const after = sentIn(server).slice(before.length).flat()
    expect(after).toHaveLength(36)
    const stored = new Set(before.slice(0, 2).flat())
    expect(after.filter((text) => stored.has(text))).toEqual([])
  })

  test('another model is filled while the one before answers, and then takes its place', async () => {
    const gate = Promise.withResolvers<void>()
    let batches = 0
    const { server, begin, index, status, find, set, user } = await withModel(
      { 'a.md': pieces(40) },
      {
        synonyms: { signin: 'word3' },
        dims: 256,
        before: async ({ model, input }) => {
          // Its first batch is stored, and the second one waits.
          if (model === 'large' && input[0].includes('\n') && ++batches > 1) await gate.promise
        },
      },
    )
    await index()
    await set('ai_embed', 'openai-compatible/large')
    let filled = await begin()
    while (filled.vectors?.building?.embedded !== 32) filled = await status()
    expect(filled).toMatchObject({
      method: 'words and meaning',
      vectors: { active: { model: 'small', embedded: 40 }, building: { model: 'large' } },
    })
    expect((await find('signin'))[0]).toMatchObject({ heading: 'a > Part 3', why: { method: 'meaning' } })
    expect(server.requests.findLast(({ body }) => body.input[0] === 'signin')?.body.model).toBe('small')
    gate.resolve()
    expect(await index()).toMatchObject({
      vectors: { active: { model: 'large', embedded: 40 }, building: null, problem: null },
    })
    await find('signin page')
    expect(server.requests.at(-1)?.body).toMatchObject({ model: 'large' })
    const rows = await user.json<{ rows: readonly object[] }>(['query', 'select state from spaces'])
    expect(JSON.stringify(rows)).not.toContain('retired')
  })

  test('a piece without a vector is found by its words, beside those that have one', async () => {
    const { server, begin, find, status } = await withModel(
      { 'a.md': pieces(40) },
      { synonyms: { signin: 'word3' }, dims: 256 },
    )
    server.tricks.push({ change: (answer: unknown) => answer }, 'hang')
    const hanging = server.hanging()
    await begin()
    await hanging
    expect(await status()).toMatchObject({ vectors: { active: { pieces: 40, embedded: 32 } } })
    const [first] = await find('word38')
    expect(first).toMatchObject({ heading: 'a > Part 38', why: { method: 'words' } })
    expect((await find('signin'))[0]).toMatchObject({ heading: 'a > Part 3', why: { method: 'meaning' } })
    server.drop()
  })

  test('a provider that dies leaves the words, says so, and is gone on with when it is back', async () => {
    const { server, find, index, put } = await withModel({ 'a.md': pieces(40) })
    server.tricks.push({ change: (answer: unknown) => answer }, { status: 401 })
    expect(await index()).toMatchObject({
      method: 'words',
      vectors: { active: { embedded: 32 }, problem: { message: expect.stringContaining('401') as string } },
    })
    expect(await index()).toMatchObject({
      method: 'words and meaning',
      vectors: { active: { embedded: 40 } },
    })
    const sent = sentIn(server).flat()
    expect([sent.length, new Set(sent).size]).toEqual([48, 40])
    const { port } = new URL(server.url)
    await server[Symbol.asyncDispose]()
    put('b.md', 'violet')
    expect((await find('word7'))[0]).toMatchObject({ heading: 'a > Part 7', why: { method: 'words' } })
    await using back = await loopback({ port: Number(port) })
    expect(await index()).toMatchObject({ vectors: { active: { pieces: 41, embedded: 41 }, problem: null } })
    expect(sentIn(back)).toEqual([['b\nviolet']])
  })

  test('a text that the model refuses keeps no other from its vector', async () => {
    const { index, put } = await withModel(
      { 'a.md': 'violet' },
      { refuses: ({ input }) => input.some((text: string) => text.includes('word7 ')) },
    )
    await index()
    put('b.md', pieces(9))
    expect(await index()).toMatchObject({
      vectors: {
        active: { pieces: 10, embedded: 9 },
        problem: { message: expect.stringContaining('refused') },
      },
    })
  })

  test('a project can keep its texts and questions to itself, but not choose where they go', async () => {
    const { server, index, find, set, user } = await withModel({ 'a.md': 'violet\n' })
    await set('ai', 'off', '--project')
    expect(await index()).toMatchObject({ method: 'words' })
    expect(await find('violet')).toMatchObject([{ why: { method: 'words' } }])
    expect(server.requests).toEqual([])
    for (const [name, value] of [
      ['ai', 'on'],
      ['ai_embed', 'openai/x'],
      ['ai_embed_url', 'https://example.com/v1'],
    ] as const)
      expect(await user.run(['config', 'set', name, value, '--project'])).toMatchObject({ code: 64 })
    const { stderr } = await user.run(['config', 'set', 'ai_embed', 'banana'])
    expect(stderr).toContain('config set ai_embed ollama/nomic-embed-text')
  })

  test('the key is in no file, no output and no argument', async () => {
    const key = 'sk-a-secret-of-this-story'
    const { server, index, find, user } = await withModel({ 'a.md': 'violet\n' }, { key })
    server.tricks.push({ status: 401, body: { error: { message: `Wrong key ${key}.` } } })
    const said = [await index(), await index(), await find('violet')] as unknown[]
    expect(server.requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`)
    for (const words of [
      ['ai', 'status'],
      ['ai', 'test'],
      ['config', 'list'],
      ['logs'],
      ['ledger'],
      ['doctor'],
    ])
      said.push(await user.run(words), await user.run([...words, '--json']))
    const { pid } = await user.json<{ pid: number }>(['daemon', 'status'])
    said.push(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    const files = globSync('**/*', { cwd: user.folder, withFileTypes: true }).filter((file) => file.isFile())
    expect(files.length).toBeGreaterThan(5)
    expect(files.filter((file) => readFileSync(join(file.parentPath, file.name)).includes(key))).toEqual([])
    expect(JSON.stringify(said)).toContain('[key]')
    expect(JSON.stringify(said)).not.toContain(key)
  })
})
