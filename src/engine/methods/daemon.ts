import * as z from 'zod'
import { eventsOfCanary } from '../hook/canary.ts'
import { describeMethod, directMethod } from '../call/method.ts'
import * as p from '../call/params.ts'

export const ping = directMethod({
  name: 'daemon.ping',
  summary: 'Answer at once.',
  effect: 'none',
  params: z.strictObject({}),
  call({ daemon }) {
    const { pid, version } = daemon.status()
    return Promise.resolve({ pong: true, pid, version })
  },
})

export const status = directMethod({
  name: 'daemon.status',
  summary: 'Tell which daemon this is and how it fares.',
  effect: 'none',
  params: z.strictObject({}),
  call: ({ daemon }) => Promise.resolve(daemon.status()),
})

export const methods = directMethod({
  name: 'daemon.methods',
  summary: 'List everything that can be called, with its parameters as JSON Schema.',
  effect: 'none',
  params: z.strictObject({}),
  call: (context) => Promise.resolve([...context.methods.values()].map(describeMethod)),
})

export const stop = directMethod({
  name: 'daemon.stop',
  summary: 'Finish what is under way and exit.',
  effect: 'daemon',
  params: z.strictObject({}),
  call({ daemon }) {
    // After this turn, so that the answer goes out first.
    setImmediate(() => daemon.stop())
    return Promise.resolve({ stopping: true, pid: daemon.status().pid })
  },
})

export const handOver = directMethod({
  name: 'daemon.handOver',
  summary:
    'Finish what is under way and let another daemon go on; callers wait meanwhile, and none is refused.',
  effect: 'daemon',
  params: z.strictObject({
    node: p.path.describe('The Node that runs it.'),
    entry: p.path.describe('The file that it runs, such as the newer holdfast.'),
  }),
  async call({ daemon }, program) {
    const successor = await daemon.startSuccessor(program)
    // After this turn, so that the answer goes out first.
    setImmediate(() => daemon.stop())
    return { pid: daemon.status().pid, successor }
  },
})

export const rotateToken = directMethod({
  name: 'daemon.rotateToken',
  summary: 'Make new tokens for HTTP; whoever knew the old ones must read the new ones from their files.',
  effect: 'daemon',
  params: z.strictObject({}),
  call({ daemon }) {
    daemon.rotateTokens()
    return Promise.resolve({ rotated: true, home: daemon.status().home })
  },
})

export const canary = directMethod({
  name: 'daemon.canary',
  summary: 'Tell which events have come of a session that only tries the hooks.',
  effect: 'none',
  params: z.strictObject({ session: p.name.describe('The id of that session.') }),
  call: ({ store }, { session }) => Promise.resolve({ events: eventsOfCanary(store, session) }),
})
