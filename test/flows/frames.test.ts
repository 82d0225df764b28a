import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reach } from '../../src/cli/daemon/reach.ts'
import { findHome } from '../../src/daemon/home.ts'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import { ERROR_CODES } from '../../src/model/error.ts'
import type { RpcConnection } from '../../src/rpc/connect.ts'
import { ENTRY, testDaemon, User } from '../holdfast.ts'
import { end, running } from '../hook-routes.ts'
import { fuzzRun, WITHOUT_GARBAGE } from '../torture/frames.ts'
import { fuzzHooks } from '../torture/hook-frames.ts'
import { Wire } from '../torture/wire.ts'
import { batchOf, LARGE, PARAMS, REQUEST, UNREADABLE } from '../unreadable-messages.ts'

const MEBIBYTE = 1_048_576
/** Caches that fill take half of it. */
const MOST_GROWN = 16 * MEBIBYTE
const RUNS = Number(process.env['HOLDFAST_RUNS'] ?? 1500)
const SEED = Number(process.env['HOLDFAST_SEED'] ?? Date.now() % 1_000_000)

// INV_HOOK_NEVER_BREAKS_THE_AGENT: whatever one caller sends, the daemon goes on for everybody else.
let user: User
let connection: RpcConnection
let socket: string
let first: DaemonStatus

const status = async () => (await connection.call('daemon.status')) as DaemonStatus

beforeAll(async () => {
  user = new User(WITHOUT_GARBAGE)
  const home = findHome(user.env)
  socket = home.socket
  connection = await reach({ home, entry: ENTRY, env: user.env })
  await connection.call('db.project.upsert', { path: user.project })
  await connection.call('db.task.upsert', { dir_path: user.project })
  while (!(await status()).http.listening) await sleep(20)
  first = await status()
})

afterAll(async () => {
  connection.close()
  await user[Symbol.asyncDispose]()
})

const PING = '{"jsonrpc":"2.0","id":1,"method":"daemon.ping"'
/** A ping of so many bytes, not counting the newline. */
const padded = (bytes: number) => `${PING}${' '.repeat(bytes - PING.length - 1)}}\n`

describe('a message that cannot be read is answered with what is wrong, and the next one is heard', () => {
  test.each(UNREADABLE)('%s', async (_, message, code) => {
    using wire = await Wire.open(socket)
    wire.send(message, '\n')
    const { error, jsonrpc } = await wire.reply()
    expect({ code: error?.code, jsonrpc }).toEqual({ code, jsonrpc: '2.0' })
    expect(error?.message).toMatch(/\S \S/)
    wire.call('daemon.ping')
    expect((await wire.reply()).result).toMatchObject({ pong: true })
  })

  test.each([1, 100])('a batch of %i is answered as one', async (count) => {
    using wire = await Wire.open(socket)
    wire.send(`${batchOf(count, (id) => `{"jsonrpc":"2.0","id":${id},"method":"daemon.ping"}`)}\n`)
    const replies = (await wire.reply()) as unknown as { id: number; result: unknown }[]
    expect(replies.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, index) => index))
    expect(replies.every(({ result }) => result !== undefined)).toBe(true)
  })

  test('a batch with wrong calls answers each for itself', async () => {
    using wire = await Wire.open(socket)
    const ping = '"method":"daemon.ping"'
    wire.send(`[1,{"jsonrpc":"2.0",${ping}},{"jsonrpc":"2.0","id":"a",${ping}},{"id":"b"},[]]\n`)
    expect(await wire.reply()).toMatchObject(
      [
        { id: null, error: { code: REQUEST } },
        { id: 'a', result: { pong: true } },
        { id: null, error: { code: REQUEST } },
        { id: null, error: { code: REQUEST } },
      ].map((reply, index) => (index === 2 ? { ...reply, id: 'b' } : reply)),
    )
  })
})

describe('the size of a message', () => {
  test.each([MEBIBYTE - 1, MEBIBYTE])('%i bytes are read', async (bytes) => {
    using wire = await Wire.open(socket)
    wire.send(padded(bytes))
    expect((await wire.reply()).result).toMatchObject({ pong: true })
  })

  test.each([
    ['one byte more', padded(MEBIBYTE + 1)],
    ['no end', 'x'.repeat(3 * MEBIBYTE)],
  ])('with %s it is refused and the connection ended', async (_, message) => {
    using wire = await Wire.open(socket)
    wire.send(message)
    const why = 'A message may have at most 1048576 bytes.'
    expect((await wire.reply()).error).toEqual({ code: LARGE, message: why })
    expect(await wire.closed()).toEqual([])
  })
})

describe('an id', () => {
  test.each([
    ['a text', '"x"', 'x'],
    ['half a character', String.raw`"\ud800"`, '\uD800'],
    ['zero', '0', 0],
    ['a fraction', '1.5', 1.5],
    ['null', 'null', null],
    ['more than a number can be', '1e999', null],
    ['more than is exact', '12345678901234567890', 12_345_678_901_234_567_000],
  ])('may be %s', async (_, id, expected) => {
    using wire = await Wire.open(socket)
    wire.send(`{"jsonrpc":"2.0","id":${id},"method":"daemon.ping"}\n`)
    expect((await wire.reply()).id).toBe(expected)
  })

  test('may come twice, and both are answered', async () => {
    using wire = await Wire.open(socket)
    wire.call('daemon.ping')
    wire.call('daemon.status')
    const results = [(await wire.reply()).result, (await wire.reply()).result]
    expect(results).toEqual([
      expect.objectContaining({ pong: true }),
      expect.objectContaining({ pid: first.pid, socket }),
    ])
  })
})

describe('what is said is stored as it can be', () => {
  test('keys that would be a prototype harm nobody', async () => {
    const metadata = JSON.parse(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    ) as object
    await connection.call('db.skills.upsert', { project_id: 1, name: 'x' })
    const effort = (await connection.call('db.effort.start', {
      task_id: user.project,
      skill: 'x',
      metadata,
    })) as {
      metadata: Record<string, unknown>
    }
    expect(effort.metadata['polluted']).toBeUndefined()
    using wire = await Wire.open(socket)
    wire.call('daemon.ping', { polluted: true })
    expect((await wire.reply()).error?.code).toBe(PARAMS)
  })

  test('half a character becomes the mark of a lost one', async () => {
    const session = (await connection.call('db.session.start', { task_id: user.project })) as { id: number }
    const content = 'a\uD800b'
    const params = { session_id: session.id, role: 'user', content }
    const message = (await connection.call('db.messages.append', params)) as { content: string }
    const [stored] = (await connection.call('db.messages.list', { session_id: session.id })) as {
      content: string
    }[]
    expect(stored).toEqual(message)
    expect(stored?.content).toBe('a\uFFFDb')
  })

  test('a notification is done and not answered', async () => {
    using wire = await Wire.open(socket)
    wire.call('db.agents.register', { id: 'quiet' }, { id: undefined })
    wire.call('db.nothing', {}, { id: undefined })
    wire.send('[{"jsonrpc":"2.0","method":"daemon.ping"}]\n\n')
    wire.call('db.agents.get', { id: 'quiet' }, { id: 'asked' })
    expect(await wire.reply()).toMatchObject({ id: 'asked', result: { id: 'quiet' } })
  })
})

/** They have no text of their own, or only pretend to be something else. */
const ODD: readonly unknown[] = [
  { toString: 1 },
  { toString: 1, valueOf: 1, length: { valueOf: 1 } },
  JSON.parse('{"__proto__": null}'),
  { toJSON: 1 },
  [[{ toString: 1 }]],
  null,
]

test('odd parameters of every method are at most a mistake of the caller', async () => {
  const methods = (await connection.call('daemon.methods')) as {
    name: string
    params: { properties: object }
  }[]
  using wire = await Wire.open(socket)
  for (const { name, params } of methods) {
    const fields = Object.keys(params.properties)
    const calls = ODD.flatMap((odd) => [odd, ...fields.map((field) => ({ [field]: odd }))])
    for (const [id, odd] of calls.entries()) wire.call(name, odd, { id })
    for (const _ of calls) {
      const { id, error } = await wire.reply()
      expect(error?.code, `${name} ${JSON.stringify(calls[Number(id)])}`).not.toBe(ERROR_CODES.internal.rpc)
    }
  }
})

describe('callers that behave badly', () => {
  /** Waits until so many are connected, ourselves included. */
  const connections = async (expected: number) => {
    while ((await status()).connections !== expected) await sleep(20)
  }

  test('one that ends its side still gets every answer', async () => {
    using wire = await Wire.open(socket)
    for (let id = 0; id < 20; id++) wire.call('db.agents.register', { id: `half-${id}` }, { id })
    wire.socket.end()
    const seen: unknown[] = []
    for (let id = 0; id < 20; id++) seen.push((await wire.reply()).result)
    expect(seen).toEqual(Array.from({ length: 20 }, (_, id) => expect.objectContaining({ id: `half-${id}` })))
    expect(await wire.closed()).toEqual([])
  })

  test('one that sends a byte at a time does not keep others waiting', async () => {
    using slow = await Wire.open(socket)
    const message = '{"jsonrpc":"2.0","id":"slow","method":"daemon.ping"}\n'
    for (const byte of message) {
      slow.send(byte)
      expect(await connection.call('daemon.ping')).toMatchObject({ pong: true })
    }
    expect(await slow.reply()).toMatchObject({ id: 'slow', result: { pong: true } })
  })

  test('one that never reads is cut off', async () => {
    await connections(1)
    using greedy = await Wire.open(socket)
    greedy.socket.pause()
    for (let calls = 0; calls < 3000; calls++) greedy.call('daemon.methods')
    await connections(1)
    // It is still open, or has heard of its end from the daemon.
    expect(greedy.socket.destroyed && greedy.socket.errored === null).toBe(false)
  })

  test('those that leave in the middle of a message or of a call', async () => {
    for (let round = 0; round < 50; round++) {
      const wire = await Wire.open(socket)
      wire.call('db.agents.register', { id: `left-${round}`, idempotency_key: `left-${round}` })
      if (round % 2 === 0) wire.send('{"jsonrpc":"2.0","id":2,"meth')
      await new Promise<void>((resolve) => void wire.socket.write('', () => resolve()))
      wire.socket.destroy()
    }
    for (let round = 0; round < 50; round++) {
      const params = { id: `left-${round}`, idempotency_key: `left-${round}` }
      expect(await connection.call('db.agents.register', params)).toMatchObject({ id: `left-${round}` })
    }
    const told = (await connection.call('ledger.list', { event_type: 'agent.registered', limit: 1000 })) as {
      agent_id: string
    }[]
    const left = told.map(({ agent_id: id }) => id).filter((id) => id.startsWith('left-'))
    expect(left.toSorted()).toEqual([...new Set(left)].toSorted())
    expect(left).toHaveLength(50)
  })

  test('500 that say nothing', async () => {
    await connections(1)
    const idle = await Promise.all(Array.from({ length: 500 }, () => Wire.open(socket)))
    await connections(501)
    expect(await connection.call('db.task.list')).toHaveLength(1)
    for (const wire of idle) wire.socket.destroy()
    await connections(1)
  })
})

describe('a deadline', () => {
  test('that passes while the call waits for its turn: it is told so, and nothing was done', async () => {
    const session = (await connection.call('db.session.start', { task_id: user.project })) as { id: number }
    const content = 'x'.repeat(8000)
    using wire = await Wire.open(socket)
    const ahead = Array.from({ length: 100 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'db.messages.append',
      params: { session_id: session.id, role: 'user', content },
    }))
    const late = { jsonrpc: '2.0', id: 'late', method: 'db.agents.register', deadline_ms: 0.001 }
    wire.send(`${JSON.stringify(ahead)}\n${JSON.stringify({ ...late, params: { id: 'late' } })}\n`)
    const replies = [await wire.reply(), await wire.reply()]
    const told = replies.find(({ id }) => id === 'late')
    expect(told?.error).toMatchObject({ code: -32_008, data: { code: 'timeout' } })
    const agent = connection.call('db.agents.get', { id: 'late' })
    await expect(agent).rejects.toMatchObject({ data: { code: 'not-found', field: 'agent_id' } })
  })

  test('that is far away changes nothing', async () => {
    using wire = await Wire.open(socket)
    wire.call('db.agents.register', { id: 'in time' }, { deadline_ms: 1e12 })
    expect((await wire.reply()).result).toMatchObject({ id: 'in time' })
  })
})

test(`anything at all (${RUNS} runs, seed ${SEED})`, { timeout: 600_000 }, async () => {
  await expect(fuzzRun({ socket, runs: RUNS, seed: SEED })).resolves.toBeUndefined()
})

test(`any body of a hook (${RUNS / 10} runs, seed ${SEED})`, { timeout: 600_000 }, async () => {
  await expect(fuzzHooks({ user, runs: RUNS / 10, seed: SEED })).resolves.toBeUndefined()
})

test('the test of bodies detects a daemon that fails at long lists', async () => {
  await using other = new User()
  const { child } = await running(other, [testDaemon('test/torture/spreading-daemon.ts')])
  try {
    await expect(fuzzHooks({ user: other, runs: 150, seed: 1 })).rejects.toThrow('RangeError')
  } finally {
    await end(child, 'SIGTERM')
  }
})

test('the same daemon has taken all of this, and has not grown of it', async () => {
  expect((await status()).pid).toBe(first.pid)
  expect((await status()).memory_bytes - first.memory_bytes).toBeLessThanOrEqual(MOST_GROWN)
})
