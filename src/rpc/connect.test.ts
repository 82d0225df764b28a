import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ConnectionLost, RemoteError, RpcConnection } from './connect.ts'

/** A connection whose other end the test controls. */
async function connected(answer: (text: string, peer: Socket) => void, onNews?: (method: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-rpc-'))
  const path = join(folder, 'a.sock')
  const server = createServer(
    (peer) => void peer.setEncoding('utf8').on('data', (text: string) => answer(text, peer)),
  )
  await new Promise<void>((resolve) => void server.listen(path, resolve))
  const connection = await RpcConnection.open(path, onNews)
  onTestFinished(() => {
    connection.close()
    server.close()
    rmSync(folder, { recursive: true })
  })
  return connection
}

const idsOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line) as { id: number } | { id: number }[])
    .map(({ id }) => id)

describe('a connection', () => {
  test('gives each call its own answer, in any order', async () => {
    const ids: number[] = []
    const connection = await connected((text, peer) => {
      ids.push(...idsOf(text))
      if (ids.length === 3)
        for (const id of ids.toReversed()) peer.write(`{"jsonrpc":"2.0","id":${id},"result":"to ${id}"}\n`)
    })
    const calls = [connection.call('a'), connection.call('b'), connection.call('c')]
    expect(await Promise.all(calls)).toEqual(['to 1', 'to 2', 'to 3'])
  })

  test('gives the calls of one message their answers', async () => {
    const connection = await connected((text, peer) => {
      const replies = idsOf(text).map((id) => ({ jsonrpc: '2.0', id, result: id * 10 }))
      peer.write(`${JSON.stringify(replies.toReversed())}\n`)
    })
    expect(await connection.callAll([{ method: 'a' }, { method: 'b' }])).toEqual([10, 20])
  })

  test('returns the error of the other end', async () => {
    const connection = await connected((_, peer) => {
      peer.write('{"jsonrpc":"2.0","id":1,"error":{"code":-7,"message":"No.","data":{"code":"x"}}}\n')
    })
    const error = await connection.call('a').catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(RemoteError)
    expect(error).toMatchObject({ code: -7, message: 'No.', data: { code: 'x' } })
  })

  test('takes an error without an id as the answer to every pending call', async () => {
    const connection = await connected((_, peer) => {
      peer.write('{"jsonrpc":"2.0","id":null,"error":{"code":-7,"message":"Too large."}}\n')
    })
    await expect(connection.call('a')).rejects.toThrow('Too large.')
  })

  test('delivers notifications, even between answers', async () => {
    const news: string[] = []
    const connection = await connected(
      (_, peer) =>
        void peer.write(
          '{"jsonrpc":"2.0","method":"n","params":1}\n{"jsonrpc":"2.0","id":1,"result":null}\n',
        ),
      (method) => void news.push(method),
    )
    await connection.call('a')
    expect(news).toEqual(['n'])
  })
})

describe('a lost connection', () => {
  test.each([
    ['ends', (_: string, peer: Socket) => void peer.end()],
    ['is reset', (_: string, peer: Socket) => void peer.destroy()],
    ['does not speak JSON', (_: string, peer: Socket) => void peer.write('HTTP/1.1 400 Bad Request\n')],
    [
      'ends in the middle of a message',
      (_: string, peer: Socket) => void peer.end('{"jsonrpc":"2.0","id":1,'),
    ],
  ])('because the other end %s fails every call', async (_, answer) => {
    const connection = await connected(answer)
    const [first, second] = [connection.call('a'), connection.callAll([{ method: 'b' }])]
    await expect(first).rejects.toBeInstanceOf(ConnectionLost)
    await expect(second).rejects.toBeInstanceOf(ConnectionLost)
    await connection.closed
    await expect(connection.call('later')).rejects.toBeInstanceOf(ConnectionLost)
  })

  test('without a server is an error', async () => {
    await expect(RpcConnection.open(join(tmpdir(), 'holdfast-nobody.sock'))).rejects.toMatchObject({
      code: 'ENOENT',
    })
  })
})
