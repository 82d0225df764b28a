import * as z from 'zod'
import { eventsOfCanary } from '../hook/canary.ts'
import { describeMethod, directMethod } from '../call/method.ts'
import * as p from '../call/params.ts'

export const ping = directMethod({
  name: 'daemon.ping',
  summary: 'Check that the daemon answers.',
  effect: 'none',
  params: z.strictObject({}),
  call({ daemon }) {
    const { pid, version } = daemon.status()
    return Promise.resolve({ pong: true, pid, version })
  },
})

export const status = directMethod({
  name: 'daemon.status',
  summary: 'Show the version, uptime, database and health of the daemon.',
  effect: 'none',
  params: z.strictObject({}),
  call: ({ daemon }) => Promise.resolve(daemon.status()),
})

export const methods = directMethod({
  name: 'daemon.methods',
  summary: 'List every method with its parameters as JSON Schema.',
  effect: 'none',
  params: z.strictObject({}),
  call: (context) => Promise.resolve([...context.methods.values()].map(describeMethod)),
})

export const stop = directMethod({
  name: 'daemon.stop',
  summary: 'Finish the running calls and exit.',
  effect: 'daemon',
  params: z.strictObject({}),
  call({ daemon }) {
    // Runs after this turn, so that the reply is sent first.
    setImmediate(() => daemon.stop())
    return Promise.resolve({ stopping: true, pid: daemon.status().pid })
  },
})

export const handOver = directMethod({
  name: 'daemon.handOver',
  summary: 'Finish the running calls and hand over to another daemon. Callers wait; no call is refused.',
  effect: 'daemon',
  params: z.strictObject({
    node: p.path.describe('The Node.js binary that runs the new daemon.'),
    entry: p.path.describe('The program that Node.js runs, such as a newer holdfast.'),
  }),
  async call({ daemon }, program) {
    const successor = await daemon.startSuccessor(program)
    // Runs after this turn, so that the reply is sent first.
    setImmediate(() => daemon.stop())
    return { pid: daemon.status().pid, successor }
  },
})

export const rotateToken = directMethod({
  name: 'daemon.rotateToken',
  summary: 'Replace the HTTP tokens. Clients must read the new tokens from their files.',
  effect: 'daemon',
  params: z.strictObject({}),
  call({ daemon }) {
    daemon.rotateTokens()
    return Promise.resolve({ rotated: true, home: daemon.status().home })
  },
})

export const prunable = directMethod({
  name: 'daemon.prunable',
  summary: 'Count the tool messages that daemon.prune would delete.',
  effect: 'none',
  params: z.strictObject({}),
  call: ({ daemon }) => daemon.prune({ dryRun: true }),
})

export const prune = directMethod({
  name: 'daemon.prune',
  summary: 'Delete tool messages of sessions that ended long ago now, as the job prune-messages does.',
  effect: 'daemon',
  params: z.strictObject({}),
  call: ({ daemon }) => daemon.prune({ dryRun: false }),
})

export const canary = directMethod({
  name: 'daemon.canary',
  summary: 'List the hook events received from a canary session.',
  effect: 'none',
  params: z.strictObject({ session: p.name.describe('The id of the canary session.') }),
  call: ({ store }, { session }) => Promise.resolve({ events: eventsOfCanary(store, session) }),
})
