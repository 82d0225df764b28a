import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../rpc/scan.ts'
import { untilCalled } from '../../rpc/talk.contract.ts'
import { serving } from './serving.contract.ts'

describe('a call', () => {
  const rpc = { url: '/rpc' }

  test('gets the same answer as over the socket, alone and in a batch', async () => {
    const { open } = await serving()
    const talk = await open()
    const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'x', params: { id } })
    expect((await talk.post(JSON.stringify(call(1)), rpc).answer())?.body).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"id":1}}',
    )
    expect((await talk.post(JSON.stringify([call(1), call(2)]), rpc).answer())?.body).toBe(
      '[{"jsonrpc":"2.0","id":1,"result":{"id":1}},{"jsonrpc":"2.0","id":2,"result":{"id":2}}]',
    )
  })

  test('without an id gets no answer', async () => {
    const { open, dispatch } = await serving()
    expect(await (await open()).post('{"jsonrpc":"2.0","method":"x"}', rpc).answer()).toMatchObject({
      body: '',
    })
    expect(dispatch).toHaveBeenCalledTimes(1)
  })

  test('that fails returns the reason', async () => {
    const { open } = await serving({ dispatch: () => Promise.reject(new Error('no')) })
    const answer = await (await open()).post('{"jsonrpc":"2.0","id":7,"method":"x"}', rpc).answer()
    expect(answer?.body).toBe('{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"Error: no"}}')
  })

  test.each<[string, string, number]>([
    ['invalid JSON', '{"a":', -32700],
    ['an invalid request', '7', -32600],
    ['an empty batch', '[]', -32600],
    ['too many calls', `[${'1,'.repeat(LIMITS.batch)}1]`, -32013],
    ['too much depth', '['.repeat(65) + ']'.repeat(65), -32013],
    ['too many bytes', ' '.repeat(LIMITS.bytes + 1), -32013],
  ])('of %s gets an error', async (_, body, code) => {
    const { open, dispatch } = await serving()
    const answer = await (await open()).post(body, rpc).answer()
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ id: null, error: { code } })
    expect(dispatch).not.toHaveBeenCalled()
  })

  test('sees that its caller left', async () => {
    const gone = Promise.withResolvers<void>()
    const { open, dispatch } = await serving({
      async dispatch(_, __, peer) {
        peer.gone.addEventListener('abort', () => gone.resolve())
        await gone.promise
      },
    })
    const talk = (await open()).post('{"jsonrpc":"2.0","id":7,"method":"x"}', rpc)
    await untilCalled(dispatch)
    talk.socket.destroy()
    expect(await gone.promise).toBeUndefined()
  })
})
