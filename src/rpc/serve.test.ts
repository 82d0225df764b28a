import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Wire } from '../../test/torture/wire.ts'
import { INVALID_REQUEST, TOO_LARGE } from './message.ts'
import type { Peer } from './answer.ts'
import { RpcServer, type ServeOptions } from './serve.ts'

type Dispatch = ServeOptions['dispatch']

const echo: Dispatch = (_, params) => Promise.resolve(params)
const toError = (error: unknown) => ({ code: -1, message: String(error) })

async function serving(dispatch: Dispatch, options: Partial<ServeOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-rpc-'))
  const path = join(folder, 'a.sock')
  const server = new RpcServer({ dispatch, toError, ...options })
  await server.listen(path)
  onTestFinished(async () => {
    await server.close(0)
    rmSync(folder, { recursive: true })
  })
  const open = async () => {
    const wire = await Wire.open(path)
    onTestFinished(() => wire[Symbol.dispose]())
    return wire
  }
  return { server, open }
}

/** Waits for an expected event, however slow the machine is. */
async function until(what: () => boolean): Promise<void> {
  while (!what()) await sleep(5)
}

describe('an incomplete message', () => {
  test('is given up after its time limit; meanwhile others are served', async () => {
    const { open } = await serving(echo, { frameMilliseconds: 50 })
    const slow = await open()
    const other = await open()
    slow.send('{"jsonrpc":"2.0",')
    other.call('x', { a: 1 })
    expect(await other.reply()).toEqual({ jsonrpc: '2.0', id: 1, result: { a: 1 } })
    expect((await slow.reply()).error).toEqual({
      code: INVALID_REQUEST,
      message: 'The message did not arrive in time.',
    })
    expect(await slow.closed()).toEqual([])
  })

  test('is given up even if bytes keep coming', async () => {
    const { open } = await serving(echo, { frameMilliseconds: 50 })
    const slow = await open()
    const trickle = setInterval(() => slow.send(' '), 10)
    onTestFinished(() => clearInterval(trickle))
    expect((await slow.reply()).error?.code).toBe(INVALID_REQUEST)
    expect(await slow.closed()).toEqual([])
  })

  test('has no time limit before its first byte', async () => {
    const { open } = await serving(echo, { frameMilliseconds: 20 })
    const idle = await open()
    for (let beat = 0; beat < 5; beat++) {
      await sleep(30)
      idle.call('x', { beat })
      expect((await idle.reply()).result).toEqual({ beat })
    }
  })

  test('gets an error when its sender ends', async () => {
    const { open } = await serving(echo)
    const wire = await open()
    wire.socket.end('{"jsonrpc":"2.0","id":1,"method":"x"}')
    expect((await wire.reply()).error).toEqual({
      code: INVALID_REQUEST,
      message: 'A message must end with a newline.',
    })
    expect(await wire.closed()).toEqual([])
  })
})

describe('a message that is too large', () => {
  test('is answered even if the sender reads only after it has sent everything', async () => {
    const { open } = await serving(echo, { limits: { bytes: 1000, depth: 9, keys: 9, batch: 9 } })
    const wire = await open()
    wire.socket.pause()
    await new Promise((resolve) => void wire.socket.write('x'.repeat(10_000_000), resolve))
    wire.socket.resume()
    expect((await wire.reply()).error).toEqual({
      code: TOO_LARGE,
      message: 'A message may have at most 1000 bytes.',
    })
    expect(await wire.closed()).toEqual([])
  })
})

test('calls before a refused message are still answered', async () => {
  const answer = Promise.withResolvers<unknown>()
  const { open } = await serving(() => answer.promise, {
    limits: { bytes: 1000, depth: 9, keys: 9, batch: 9 },
  })
  const wire = await open()
  wire.call('before')
  wire.send('x'.repeat(2000))
  expect((await wire.reply()).error?.code).toBe(TOO_LARGE)
  answer.resolve('done')
  expect((await wire.reply()).result).toBe('done')
  expect(await wire.closed()).toEqual([])
})

describe('an answer', () => {
  test('that is too large becomes an error, and the connection stays open', async () => {
    const { open } = await serving((_, params) => Promise.resolve('x'.repeat((params as { n: number }).n)), {
      maxUnreadBytes: 10_000,
    })
    const wire = await open()
    wire.call('x', { n: 10_001 })
    expect(await wire.reply()).toMatchObject({ id: 1, error: { code: TOO_LARGE } })
    wire.call('x', { n: 9000 })
    expect((await wire.reply()).result).toHaveLength(9000)
    const calls = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'x', params: { n: 6000 } }))
    wire.send(`${JSON.stringify(calls)}\n`)
    expect(await wire.reply()).toMatchObject({ id: null, error: { code: TOO_LARGE } })
  })

  test('that is not JSON is an error and does not stop the server', async () => {
    const { open } = await serving(() => Promise.resolve(1n))
    const wire = await open()
    wire.call('x')
    expect(await wire.reply()).toMatchObject({ id: 1, error: { code: -1 } })
  })

  test('longer than the longest string is an error', async () => {
    const endless = {
      toJSON() {
        throw new RangeError('Invalid string length')
      },
    }
    const { open } = await serving(() => Promise.resolve(endless))
    const wire = await open()
    wire.call('x')
    expect(await wire.reply()).toMatchObject({ id: 1, error: { code: TOO_LARGE } })
  })

  test('of undefined is null', async () => {
    const { open } = await serving(() => Promise.resolve(undefined))
    const wire = await open()
    wire.call('x')
    expect(await wire.reply()).toEqual({ jsonrpc: '2.0', id: 1, result: null })
  })

  test('is not sent for a notification, not even after a failure', async () => {
    const { open } = await serving((method) =>
      method === 'bad' ? Promise.reject(new Error()) : Promise.resolve(1),
    )
    const wire = await open()
    wire.send('{"jsonrpc":"2.0","method":"bad"}\n[{"jsonrpc":"2.0","method":"x"}]\n')
    wire.call('x', {}, { id: 'asked' })
    expect((await wire.reply()).id).toBe('asked')
  })

  test('reaches a caller that has ended its side', async () => {
    const answer = Promise.withResolvers<unknown>()
    const { open } = await serving(() => answer.promise)
    const wire = await open()
    wire.call('x')
    wire.socket.end()
    setTimeout(() => answer.resolve('late'), 50)
    expect((await wire.reply()).result).toBe('late')
    expect(await wire.closed()).toEqual([])
  })
})

describe('a caller that exceeds its limits', () => {
  test('gets no more done if it never reads, and is disconnected; the others are not', async () => {
    let calls = 0
    const drops: string[] = []
    const dispatch: Dispatch = () => {
      calls++
      return Promise.resolve('x'.repeat(50_000))
    }
    const options = {
      unreadMilliseconds: 200,
      maxUnderWay: 10,
      onDrop: (why: string) => void drops.push(why),
    }
    const { server, open } = await serving(dispatch, options)
    const greedy = await open()
    const other = await open()
    greedy.socket.pause()
    for (let call = 0; call < 2000; call++) greedy.call('x')
    await until(() => server.connections === 1)
    expect(drops).toEqual(['unread'])
    // What the kernel took, and what was in progress then.
    expect(calls).toBeLessThan(200)
    other.call('x')
    expect((await other.reply()).result).toHaveLength(50_000)
  })

  test('that reads slowly gets every answer, whole and in order', async () => {
    const { open } = await serving((_, params) => {
      const { n } = params as { n: number }
      return Promise.resolve(`${n}${'ø'.repeat(n % 7 === 0 ? 1_000_000 : 10)}`)
    })
    const slow = await open()
    slow.socket.pause()
    for (let n = 0; n < 60; n++) slow.call('x', { n }, { id: n })
    const reading = setInterval(() => {
      slow.socket.resume()
      setImmediate(() => slow.socket.pause())
    }, 1)
    onTestFinished(() => clearInterval(reading))
    for (let n = 0; n < 60; n++) {
      const { id, result } = await slow.reply()
      expect(id).toBe(n)
      expect(String(result).startsWith(`${n}ø`)).toBe(true)
      expect(String(result)).toHaveLength(String(n).length + (n % 7 === 0 ? 1_000_000 : 10))
    }
  })

  test('is read again only after some of its calls are answered', async () => {
    const calls: PromiseWithResolvers<unknown>[] = []
    const dispatch: Dispatch = () => {
      const call = Promise.withResolvers<unknown>()
      calls.push(call)
      return call.promise
    }
    const { open } = await serving(dispatch, { maxUnderWay: 2 })
    const wire = await open()
    for (const expected of [1, 2]) {
      wire.call('x')
      await until(() => calls.length === expected)
    }
    wire.call('x')
    await sleep(100)
    expect(calls).toHaveLength(2)
    calls[0]?.resolve('first')
    expect((await wire.reply()).result).toBe('first')
    await until(() => calls.length === 3)
    for (const call of calls) call.resolve('rest')
    expect([(await wire.reply()).result, (await wire.reply()).result]).toEqual(['rest', 'rest'])
  })

  test('gives way above the limit of connections: first the silent ones, then the idle ones', async () => {
    const drops: string[] = []
    const { open } = await serving(echo, {
      maxStrangers: 1,
      maxConnections: 2,
      onDrop: (why) => void drops.push(why),
    })
    const asked = async () => {
      const wire = await open()
      wire.call('x', { a: 1 })
      expect((await wire.reply()).result).toEqual({ a: 1 })
      return wire
    }
    const [first, second] = [await asked(), await asked()]
    const [silent, newer] = [await open(), await open()]
    expect(await silent.closed()).toEqual([])
    first.call('x', { a: 2 })
    expect((await first.reply()).result).toEqual({ a: 2 })
    newer.call('x', { a: 3 })
    expect((await newer.reply()).result).toEqual({ a: 3 })
    expect(await second.closed()).toEqual([])
    expect(drops).toEqual(['room', 'room'])
    first.call('x', { a: 4 })
    expect((await first.reply()).result).toEqual({ a: 4 })
  })
})

describe('a call', () => {
  const peerOf = () => {
    const known = Promise.withResolvers<Peer>()
    const dispatch: Dispatch = (_, __, peer) => {
      known.resolve(peer)
      return Promise.resolve(null)
    }
    return { dispatch, peer: known.promise }
  }

  test.each([
    ['its own', 100, 100],
    ['the default', undefined, 5000],
    ['never more than the default', 1e9, 5000],
  ])('has a deadline: %s', async (_, deadline, expected) => {
    const { dispatch, peer } = peerOf()
    const { open } = await serving(dispatch, { deadlineMilliseconds: 5000 })
    const wire = await open()
    const before = Date.now()
    wire.call('x', {}, { deadline_ms: deadline })
    const given = (await peer).deadline
    expect(given).toBeGreaterThanOrEqual(before + expected)
    expect(given).toBeLessThanOrEqual(Date.now() + expected)
  })

  test('sees that its caller has left', async () => {
    const { dispatch, peer } = peerOf()
    const { open } = await serving(dispatch)
    const wire = await open()
    wire.call('x')
    const { gone } = await peer
    expect(gone.aborted).toBe(false)
    wire.socket.destroy()
    await until(() => gone.aborted)
  })

  test('sees whether its caller can take more notifications, and waits for one that does not read', async () => {
    const warnings: Error[] = []
    const warned = (warning: Error) => void warnings.push(warning)
    process.on('warning', warned)
    onTestFinished(() => void process.off('warning', warned))
    const { dispatch, peer } = peerOf()
    const { open } = await serving(dispatch)
    const wire = await open()
    wire.call('x')
    await wire.reply()
    const caller = await peer
    wire.socket.pause()
    let sent = 0
    const sending = (async () => {
      for (; sent < 500; sent++) await caller.notify('news', { text: 'x'.repeat(20_000) })
    })()
    await sleep(100)
    expect(sent).toBeLessThan(500)
    wire.socket.resume()
    await sending
    for (let seen = 0; seen < 500; seen++) await wire.line()
    wire.socket.pause()
    const more = (async () => {
      for (let news = 0; news < 500; news++) await caller.notify('news', { text: 'x'.repeat(20_000) })
    })()
    wire.socket.destroy()
    await more
    expect(warnings).toEqual([])
  })
})

describe('closing', () => {
  test('answers calls in progress, and accepts nothing new', async () => {
    const answer = Promise.withResolvers<unknown>()
    const called: string[] = []
    const { server, open } = await serving((method) => {
      called.push(method)
      return answer.promise
    })
    const wire = await open()
    wire.call('before')
    await until(() => called.length === 1)
    const closing = server.close(60_000)
    wire.call('too late')
    await sleep(50)
    answer.resolve('done')
    expect((await wire.reply()).result).toBe('done')
    expect(await wire.closed()).toEqual([])
    await closing
    expect(called).toEqual(['before'])
  })

  test('waits for a call even if its caller was disconnected', async () => {
    const answer = Promise.withResolvers<unknown>()
    const called: string[] = []
    const { server, open } = await serving((method) => {
      called.push(method)
      return method === 'slow' ? answer.promise : Promise.resolve('x'.repeat(1_000_000))
    })
    const wire = await open()
    // A connection with an unread answer is not ended but reset.
    wire.socket.pause()
    wire.call('quick')
    wire.call('slow')
    await until(() => called.includes('slow'))
    wire.socket.destroy()
    await until(() => server.connections === 0)
    let isClosed = false
    const closing = (async () => {
      await server.close(60_000)
      isClosed = true
    })()
    await sleep(50)
    expect(isClosed).toBe(false)
    answer.resolve('done')
    await closing
  })

  test('does not wait forever for a call that never ends or a caller that never leaves', async () => {
    const { server, open } = await serving(() => new Promise(() => undefined))
    const wire = await open()
    wire.call('x')
    await until(() => server.connections === 1)
    await server.close(50)
    expect(await wire.closed()).toEqual([])
  })
})
