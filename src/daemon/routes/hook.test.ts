import { describe, expect, test, vi } from 'vitest'
import { LIMITS } from '../../rpc/scan.ts'
import { untilCalled } from '../../rpc/talk.contract.ts'
import type { HookFault } from '../hook-faults.ts'
import { serving } from './serving.contract.ts'

describe('a hook', () => {
  test('returns the decision', async () => {
    const { open } = await serving()
    const answer = await (await open()).post('{"decision":"bløck"}').answer()
    expect(answer).toMatchObject({ status: 200, body: '{"client":"claude-code","decision":"bløck"}' })
    expect(answer?.headers['content-type']).toBe('application/json')
  })

  test('that is answered while a successor gets ready closes its connection', async () => {
    const { open, server } = await serving()
    const kept = await open()
    expect((await kept.post('{}').answer())?.headers['connection']).not.toBe('close')
    server.leave()
    expect((await kept.post('{}').answer())?.headers['connection']).toBe('close')
    expect(await kept.closed()).toBe('')
    // No successor came.
    server.leave(false)
    expect((await (await open()).post('{}').answer())?.headers['connection']).not.toBe('close')
  })

  test('without a decision gets an empty answer', async () => {
    const { open, faults } = await serving({ handleHook: () => Promise.resolve(undefined) })
    expect(await (await open()).post('{}').answer()).toMatchObject({ status: 200, body: '' })
    expect(faults).toEqual([])
  })

  test('that fails gets an empty answer and a log line', async () => {
    const cause = new Error('no')
    const { open, faults } = await serving({ handleHook: () => Promise.reject(cause) })
    expect(await (await open()).post('{}').answer()).toMatchObject({ status: 200, body: '' })
    expect(faults).toEqual([{ client: 'claude-code', problem: 'The hook failed.', cause }])
  })

  test.each<[string, unknown, string]>([
    ['gets the refusal for it', { why: 'full' }, '{"why":"full"}'],
    ['is allowed if the client cannot refuse it', undefined, ''],
  ])('that fails in a strict project %s', async (_, closing, body) => {
    const closeFor = vi.fn<(payload: unknown, fault: HookFault) => unknown>(() => closing)
    const cause = new Error('no')
    const { open, faults } = await serving({ handleHook: () => Promise.reject(cause), closeFor })
    const talk = await open()
    const url = '/hook/claude-code/strict'
    expect(await talk.post('{"a":1}', { url }).answer()).toMatchObject({ status: 200, body })
    expect(closeFor.mock.calls).toEqual([[{ a: 1 }, faults[0]]])
    expect(await talk.post('{"a":1}').answer()).toMatchObject({ status: 200, body: '' })
    expect(closeFor).toHaveBeenCalledTimes(1)
  })

  test('that fails in a strict project gets an error, and other hooks are decided as usual', async () => {
    const url = '/hook/claude-code/strict'
    const failing = await serving({ handleHook: () => Promise.reject(new Error('no')) })
    const talk = await failing.open()
    const answer = await talk.post('{}', { url }).answer()
    expect(answer).toMatchObject({ status: 503, body: '{"error":"Service Unavailable"}' })
    expect(await talk.post('not JSON', { url }).answer()).toMatchObject({ status: 503 })
    expect(failing.faults).toHaveLength(2)
    const slow = await serving({ handleHook: () => new Promise(() => undefined), hookMilliseconds: 30 })
    expect(await (await slow.open()).post('{}', { url }).answer()).toMatchObject({ status: 503 })
    const { open } = await serving()
    expect(await (await open()).post('{"a":1}', { url }).answer()).toMatchObject({
      status: 200,
      body: '{"client":"claude-code","a":1}',
    })
  })

  test.each([['a text'], [7], [['a list']], [true]])(
    'whose decision is %j gets an empty answer',
    async (reply) => {
      const { open, faults } = await serving({ handleHook: () => Promise.resolve(reply) })
      expect(await (await open()).post('{}').answer()).toMatchObject({ status: 200, body: '' })
      expect(faults).toHaveLength(1)
    },
  )

  test('without a timely decision gets an empty answer, and its work may still finish', async () => {
    const late = Promise.withResolvers<unknown>()
    const { open, faults, handleHook } = await serving({
      handleHook: () => late.promise,
      hookMilliseconds: 30,
    })
    const talk = await open()
    const before = Date.now()
    expect(await talk.post('{}').answer()).toMatchObject({ status: 200, body: '' })
    expect(faults).toEqual([{ client: 'claude-code', problem: 'The engine did not decide within 30 ms.' }])
    expect(handleHook.mock.calls[0]?.[2]).toBeGreaterThanOrEqual(before + 30)
    late.resolve({ decision: 'block' })
    expect(await talk.post('{}', { token: 'x' }).answer()).toMatchObject({ status: 401 })
    expect(await talk.closed()).toBe('')
  })

  test.each<[string, string | Uint8Array]>([
    ['nothing', ''],
    ['invalid JSON', '{"a":'],
    ['two values', '{} {}'],
    ['invalid UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
    ['more depth than allowed', '['.repeat(LIMITS.depth + 1) + ']'.repeat(LIMITS.depth + 1)],
    ['more keys than allowed', `{${'"a":1,'.repeat(LIMITS.keys)}"a":1}`],
  ])('of %s gets an empty answer and a log line', async (_, body) => {
    const { open, faults, handleHook } = await serving()
    expect(await (await open()).post(body).answer()).toMatchObject({ status: 200, body: '' })
    expect(faults).toHaveLength(1)
    expect(handleHook).not.toHaveBeenCalled()
  })

  test('may be as large as the limit, and one byte more gets an empty answer', async () => {
    const { open, faults, handleHook } = await serving({ hookBytes: 200_000 })
    const talk = await open()
    const fits = JSON.stringify({ a: 'x'.repeat(200_000 - 8) })
    expect((await talk.post(fits).answer())?.body).toContain('xxx')
    expect(await talk.post(`${fits} `).answer()).toMatchObject({ status: 200, body: '' })
    expect(faults).toEqual([
      { client: 'claude-code', problem: 'A hook payload may have at most 200000 bytes.' },
    ])
    expect(handleHook).toHaveBeenCalledTimes(1)
  })

  test('whose failure cannot be logged is allowed too', async () => {
    const onFault = () => {
      throw new Error('The log is full.')
    }
    const { open, handleHook } = await serving({ onFault, handleHook: () => Promise.reject(new Error('no')) })
    expect(await (await open()).post('{}').answer()).toMatchObject({ status: 200, body: '' })
    handleHook.mockResolvedValue({ a: 1 })
    expect(await (await open()).post('{}').answer()).toMatchObject({ body: '{"a":1}' })
  })

  test('above the concurrency limit gets an empty answer', async () => {
    const first = Promise.withResolvers<unknown>()
    const { open, faults, handleHook } = await serving({ handleHook: () => first.promise, maxUnderWay: 1 })
    const [one, other] = [await open(), await open()]
    one.post('{}')
    await untilCalled(handleHook)
    expect(await other.post('{}').answer()).toMatchObject({ status: 200, body: '' })
    expect(faults).toEqual([{ client: 'claude-code', problem: 'Too many requests are in progress.' }])
    expect(await other.post('{}', { url: '/rpc' }).answer()).toMatchObject({ status: 503 })
    first.resolve({ a: 1 })
    expect(await one.answer()).toMatchObject({ body: '{"a":1}' })
  })
})
