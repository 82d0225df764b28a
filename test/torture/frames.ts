import { resolve } from 'node:path'
import * as fc from 'fast-check'
import { ERROR_CODES } from '../../src/model/error.ts'
import { LIMITS } from '../../src/rpc/scan.ts'
import { anyCharacter } from '../any-string.ts'
import { type Reply, Wire } from './wire.ts'

/** Variables of a daemon that tells how much memory it holds, without garbage. */
export const WITHOUT_GARBAGE = {
  NODE_OPTIONS: `--expose-gc --import=${resolve('test/without-garbage.ts')}`,
}

export interface FuzzOptions {
  readonly socket: string
  readonly runs: number
  readonly seed: number
}

/** Sends random messages to a daemon; every reply must be JSON-RPC, and the next call must be answered. */
export async function fuzzRun({ socket, runs, seed }: FuzzOptions): Promise<void> {
  await fc.assert(
    fc.asyncProperty(FRAMES, fc.array(fc.nat(2000), { maxLength: 3 }), async (frame, cuts) => {
      using wire = await Wire.open(socket)
      wire.send(...split(frame, cuts), '\n')
      wire.call('daemon.ping', {}, { id: PROBE })
      for (let line = await wire.line(); line !== undefined; line = await wire.line()) {
        const replies = [JSON.parse(line) as Reply | Reply[]].flat()
        for (const reply of replies) check(reply)
        if (replies.some(({ id }) => id === PROBE)) return
      }
      // Only a too large message ends the connection.
      if (frame.length <= LIMITS.bytes) throw new Error('The connection was closed.')
    }),
    { numRuns: runs, seed },
  )
}

const PROBE = 'the probe'

function check({ jsonrpc, id, result, error }: Reply): void {
  const isReply =
    jsonrpc === '2.0' &&
    (error === undefined
      ? id !== undefined && result !== undefined
      : Number.isInteger(error.code) && error.message !== '')
  if (!isReply) throw new Error('That is no answer.')
  if (error?.code === ERROR_CODES.internal.rpc) throw new Error(error.message)
}

function split(frame: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] {
  const places = [
    0,
    ...cuts.map((cut) => Math.min(cut, frame.length)).toSorted((a, b) => a - b),
    frame.length,
  ]
  return places.slice(1).map((end, index) => frame.subarray(places[index], end))
}

/** Methods that can be called a thousand times without stopping the daemon or flooding the test. */
const METHODS = [
  'daemon.ping',
  'daemon.status',
  'db.project.upsert',
  'db.project.list',
  'db.task.upsert',
  'db.task.find',
  'db.task.list',
  'db.effort.start',
  'db.effort.finish',
  'db.effort.phase',
  'db.effort.get',
  'db.effort.validate',
  'db.session.start',
  'db.session.heartbeat',
  'db.session.updateLoadedFiles',
  'db.session.find',
  'db.skills.upsert',
  'db.skills.find',
  'db.messages.append',
  'db.messages.list',
  'db.agents.register',
  'db.agents.claim',
  'fs.files.read',
  'fs.files.append',
  'fs.paths.resolve',
  'ledger.list',
]

const PARAMETERS = [
  'path',
  'dir_path',
  'task_id',
  'effort_id',
  'session_id',
  'id',
  'query',
  'limit',
  'idempotency_key',
]

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 4, stringUnit: anyCharacter }),
  fc.constantFrom<unknown>('/', '/etc/passwd', '\u0000', '\uD800', -1, 2 ** 53, 1e308, 'x'.repeat(5000)),
)

const request = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 5, arbitrary: fc.constant('2.0') }, { weight: 1, arbitrary: value }),
    id: value,
    method: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom<unknown>(...METHODS) },
      { weight: 1, arbitrary: value },
    ),
    params: fc.oneof(fc.dictionary(fc.constantFrom(...PARAMETERS), value), value),
    deadline_ms: fc.oneof(fc.double(), value),
  },
  { requiredKeys: [] },
)

const text = fc.oneof(
  request.map((one) => JSON.stringify(one)),
  fc.array(request, { maxLength: 8 }).map((many) => JSON.stringify(many)),
  fc.json(),
)

const bytesOf = (written: string) => new Uint8Array(Buffer.from(written))

const damaged = fc
  .tuple(text, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 5 }), fc.nat())
  .map(([whole, changes, end]) => {
    const bytes = bytesOf(whole)
    for (const [at, byte] of changes) bytes[at % bytes.length] = byte
    return end % 3 === 0 ? bytes.subarray(0, end % bytes.length) : bytes
  })

const repeated = fc
  .tuple(
    fc.constantFrom('[', '{"a":', '[{"":', '"\\', '\\"', '-', '9', '0,', '\u0000', '\n', '\uFEFF'),
    fc.nat(20_000),
  )
  .map(([part, times]) => bytesOf(part.repeat(times)))

const FRAMES: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 4, arbitrary: text.map(bytesOf) },
  { weight: 4, arbitrary: damaged },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 500 }) },
  { weight: 1, arbitrary: repeated },
)
