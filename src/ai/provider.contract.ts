import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Config } from '../model/config.ts'
import type { AiUse } from '../model/ai-provider.ts'
import { EngineError } from '../model/error.ts'
import { openAi } from './index.ts'
import { type Loopback, loopback, type Trick } from './loopback.contract.ts'
import { PATIENCE } from './patience.ts'

/** Short pauses, and so long for an attempt that a busy machine does not matter. */
const QUICK = { ...PATIENCE, pause: 1 }
/** Of no form that could be known as a key. */
const KEY = 'secret-of-this-test'

const ANSWERS: Readonly<Record<AiUse, object>> = {
  embed: { vectors: [expect.any(Float32Array), expect.any(Float32Array)] },
  generate: { text: 'A short summary.', stop: 'end', tokens: { input: 12, output: 4 } },
}

interface Spoken {
  readonly path: string
  /** The header with the key. */
  readonly header: readonly [name: string, value: string]
  /** The texts of a request, as they must arrive. */
  readonly asks?: object
  /** The path to the list of vectors in an answer. */
  readonly list?: string
}

/** What every provider must do; run by the test of each. */
export function providerContract(model: string, use: AiUse, spoken: Spoken): void {
  describe(`${model} (${use})`, () => {
    let server: Loopback
    const logged: unknown[] = []
    beforeAll(async () => void (server = await loopback()))
    afterAll(async () => await server[Symbol.asyncDispose]())

    const config = (): Config => ({ [`ai_${use}`]: model, [`ai_${use}_url`]: server.url })
    const call = async (more: Config = {}, patience = QUICK, signal?: AbortSignal): Promise<unknown> => {
      const ai = openAi(() => KEY, patience)
      const all = { ...config(), ...more }
      return use === 'embed'
        ? await ai.embedder(all).embed(['violet page', 'other'], 'document', signal)
        : await ai.generator(all).generate({ system: 'Be short.', prompt: 'Sum up.', max_tokens: 50 }, signal)
    }
    const failed = async (...given: Parameters<typeof call>): Promise<EngineError> => {
      const error: unknown = await call(...given).catch((cause: unknown) => cause)
      expect(error).toBeInstanceOf(EngineError)
      logged.push(error, String((error as Error).stack))
      return error as EngineError
    }
    const asked = async (tricks: readonly Trick[], work: () => Promise<unknown>) => {
      const before = server.requests.length
      server.tricks.push(...tricks)
      try {
        await work()
      } finally {
        server.tricks.length = 0
      }
      return server.requests.length - before
    }

    test('sends the documented request with its key in a header, and reads the answer', async () => {
      const answer = await call()
      const { path, headers, body } = server.requests.at(-1) ?? {}
      expect(path).toBe(`/v1${spoken.path}`)
      expect(headers?.[spoken.header[0]]).toBe(spoken.header[1].replace('KEY', KEY))
      expect(JSON.stringify(body)).not.toContain(KEY)
      expect(body).toMatchObject(spoken.asks ?? {})
      expect(answer).toMatchObject(ANSWERS[use])
    })

    test.each([
      ['a full queue that asks to wait for seconds', { status: 429, headers: { 'retry-after': '0' } }],
      [
        'one that names a date',
        { status: 429, headers: { 'retry-after': new Date(Date.now() - 1000).toUTCString() } },
      ],
      ['a broken server', { status: 500, body: 'oops' }],
      ['a busy server', { status: 503 }],
      ['an answer that is no JSON', { text: '<html>' }],
      ['an answer that is cut', 'cut'],
    ] as const)('tries again after %s', async (_, trick) => {
      expect(await asked([trick, trick], call)).toBe(3)
    })

    test('gives up after some attempts', async () => {
      const broken = { status: 500, body: { error: { message: `down for ${KEY}` } } }
      const count = await asked(
        Array.from({ length: 9 }, () => broken),
        async () => expect(await failed()).toMatchObject({ code: 'unavailable' }),
      )
      expect(count).toBe(QUICK.attempts)
    })

    test.each([
      ['a wrong key', { status: 401, body: { error: { message: `bad ${KEY}` } } }, 'forbidden'],
      ['a key without rights', { status: 403 }, 'forbidden'],
      ['an unknown model', { status: 404 }, 'not-found'],
      ['a wrong request', { status: 400, body: { error: { message: 'max_tokens' } } }, 'invalid'],
      ['a long wait', { status: 429, headers: { 'retry-after': '3600' } }, 'unavailable'],
      ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:9/' } }, 'unavailable'],
      ['a body without end', 'huge', 'too-large'],
    ] as const)('does not try again after %s', async (_, trick, code) => {
      const count = await asked([trick], async () => expect(await failed()).toMatchObject({ code }))
      expect(count).toBe(1)
    })

    test('waits for the provider no longer than its patience', async () => {
      const short = { ...QUICK, timeout: 20, attempts: 2 }
      // On a busy machine, a request may end before it arrives.
      const count = await asked(['hang', 'hang'], async () =>
        expect(await failed({}, short)).toMatchObject({ code: 'timeout' }),
      )
      expect(count).toBeLessThanOrEqual(2)
    })

    test('ends at once when its caller gives up', async () => {
      const given = new AbortController()
      server.tricks.push('hang')
      const hanging = server.hanging()
      const error = failed({}, QUICK, given.signal)
      await hanging
      given.abort()
      expect(await error).toMatchObject({ code: 'timeout' })
    })

    test('refuses an answer without what was asked for', async () => {
      for (const text of ['{}', '[]', 'null', '"x"', '{"data":[],"content":[],"choices":[],"candidates":[]}'])
        await asked([{ text }], async () => expect(await failed()).toMatchObject({ code: 'unavailable' }))
    })

    test('is off without a model, and where the config says so', async () => {
      const before = server.requests.length
      expect(await failed({ [`ai_${use}`]: '' })).toMatchObject({
        code: 'not-configured',
        field: `ai_${use}`,
      })
      expect(await failed({ ai: 'off' })).toMatchObject({ code: 'not-configured', field: 'ai' })
      expect(await failed({ [`ai_${use}_url`]: 'http://example.com/v1' })).toMatchObject({
        code: 'forbidden',
      })
      expect(server.requests).toHaveLength(before)
    })

    if (spoken.list !== undefined) embedContract(spoken.list, { asked, call, failed, server: () => server })

    test('shows its key in no error', () => {
      expect(logged.length).toBeGreaterThan(10)
      expect(JSON.stringify(logged)).not.toContain(KEY)
      expect(logged.map(String).join()).not.toContain(KEY)
    })
  })
}

interface Tried {
  readonly asked: (tricks: readonly Trick[], work: () => Promise<unknown>) => Promise<number>
  readonly call: (more?: Config) => Promise<unknown>
  readonly failed: (more?: Config) => Promise<EngineError>
  readonly server: () => Loopback
}

/** What besides holds for vectors. */
function embedContract(list: string, { asked, call, failed, server }: Tried): void {
  const vectorsOf = async (more: Config = {}) =>
    ((await call(more)) as { vectors: readonly Float32Array[] }).vectors

  test('gives vectors of length 1 in the order of the texts', async () => {
    const [one, two] = await vectorsOf()
    expect(Math.hypot(...(one ?? []))).toBeCloseTo(1, 5)
    expect(one).not.toEqual(two)
    if (list !== 'data') return
    await asked([{ change: (answer) => ({ ...answer, data: answer.data.toReversed() }) }], async () =>
      expect(await vectorsOf()).toEqual([one, two]),
    )
  })

  test('asks for dimensions only if the config names them', async () => {
    expect((await vectorsOf())[0]).toHaveLength(32)
    expect(JSON.stringify(server().requests.at(-1)?.body)).not.toMatch(/dimension/i)
    expect((await vectorsOf({ ai_embed_dims: '16' }))[0]).toHaveLength(16)
    expect(JSON.stringify(server().requests.at(-1)?.body)).toMatch(/dimension[a-z]*":16/i)
  })

  test.each([
    ['one vector less', (all: unknown[]) => all.slice(1)],
    ['one vector more', (all: unknown[]) => [...all, ...all.slice(1)]],
    ['vectors of different sizes', ([one]: any[]) => [one, shortened(one)]],
    ['a text in a vector', ([one]: any[]) => [one, withFirst(one, 'x')]],
    ['a number that is none', ([one]: any[]) => [one, withFirst(one, null)]],
    ['only zeros', ([one]: any[]) => [one, valuesOf(one, (values) => values.map(() => 0))]],
    ['no vector', ([one]: any[]) => [one, {}]],
  ])('refuses %s', async (_, change) => {
    const trick = { change: (answer: any) => ({ ...answer, [list]: change(answer[list]) }) }
    await asked([trick], async () => expect(await failed()).toMatchObject({ code: 'unavailable' }))
  })

  test('refuses other dimensions than the config asks for', async () => {
    const trick = { change: (answer: any) => ({ ...answer, [list]: answer[list].map(shortened) }) }
    await asked([trick], async () =>
      expect(await failed({ ai_embed_dims: '16' })).toMatchObject({ code: 'unavailable' }),
    )
  })
}

const valuesOf = (one: any, change: (values: readonly unknown[]) => readonly unknown[]) => {
  const name = 'values' in one ? 'values' : 'embedding'
  return { ...one, index: 1, [name]: change(one[name]) }
}
const shortened = (one: any, index = 1) => ({ ...valuesOf(one, (values) => values.slice(1)), index })
const withFirst = (one: any, first: unknown) => valuesOf(one, (values) => [first, ...values.slice(1)])
