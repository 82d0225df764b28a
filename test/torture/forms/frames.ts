import { setTimeout as sleep } from 'node:timers/promises'
import { reach } from '../../../src/cli/daemon/reach.ts'
import { findHome } from '../../../src/daemon/home.ts'
import type { DaemonStatus } from '../../../src/engine/call/context.ts'
import { ENTRY, User } from '../../holdfast.ts'
import { fuzzRun, WITHOUT_GARBAGE } from '../frames.ts'
import { fuzzHooks } from '../hook-frames.ts'
import { form, SEED } from './form.ts'

const PARTS = 10
const MOST_GROWTH_MIB = 16

export const frames = form({
  name: 'frames',
  summary: 'random messages to the socket and random bodies to the route of hooks',
  options: { runs: 200_000, seed: SEED },
  async run({ runs, seed, log }) {
    await using user = new User(WITHOUT_GARBAGE)
    const home = findHome(user.env)
    const connection = await reach({ home, entry: ENTRY, env: user.env })
    const status = async () => (await connection.call('daemon.status')) as DaemonStatus
    await connection.call('db.project.upsert', { path: user.project })
    while (!(await status()).http.listening) await sleep(20)
    const perPart = Math.ceil(runs / PARTS)
    const sizes: number[] = []
    for (let part = 0; part < PARTS; part++) {
      await fuzzRun({ socket: home.socket, runs: perPart, seed: seed + part })
      await fuzzHooks({ user, runs: Math.ceil(perPart / 10), seed: seed + part })
      sizes.push(Math.round((await status()).memory_bytes / 1_048_576))
      log(`${(part + 1) * perPart} messages, the daemon has ${sizes.at(-1)} MiB`)
    }
    connection.close()
    const grown = (sizes.at(-1) ?? 0) - (sizes[0] ?? 0)
    const told = `the daemon has ${grown} MiB more than after the first tenth`
    return {
      violations: grown <= MOST_GROWTH_MIB ? [] : [told],
      counts: { messages: PARTS * perPart, grown },
    }
  },
})
