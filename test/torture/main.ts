import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { reach } from '../../src/cli/daemon/reach.ts'
import { findHome } from '../../src/daemon/home.ts'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import { ENTRY, keepCompiled, User } from '../holdfast.ts'
import { replayedShort } from '../replay/replay.ts'
import { ordinarySessions } from '../ordinary/sessions.ts'
import { crashRun } from './crash.ts'
import { fuzzRun } from './frames.ts'
import { raceRun } from './race.ts'
import { upgradeRun } from './upgrade.ts'

const USAGE = `npm run torture -- crash  [--kills 2000] [--clients 32] [--seed N] [--daemon FILE]
npm run torture -- race   [--rounds 100] [--callers 20]
npm run torture -- frames [--runs 200000] [--seed N]
npm run torture -- upgrade [--upgrades 100] [--clients 32] [--seed N]
npm run torture -- replay [--events 10000] [--seeds 3] [--seed N]
npm run torture -- ordinary [--sessions 1000] [--seed N]
npm run torture -- obedient [--plans 100] [--seed N]
npm run torture -- faults
npm run torture -- routes`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string', default: '2000' },
    clients: { type: 'string', default: '32' },
    rounds: { type: 'string', default: '100' },
    callers: { type: 'string', default: '20' },
    runs: { type: 'string', default: '200000' },
    upgrades: { type: 'string', default: '100' },
    events: { type: 'string', default: '10000' },
    seeds: { type: 'string', default: '3' },
    sessions: { type: 'string', default: '1000' },
    plans: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    daemon: { type: 'string', default: ENTRY },
  },
})
const seed = Number(values.seed)
const begun = Date.now()
const log = (line: string) =>
  console.log(`${String(Math.round((Date.now() - begun) / 1000)).padStart(5)} s  ${line}`)

keepCompiled()
process.on('SIGINT', () => process.exit(130))

const forms: Readonly<Record<string, () => Promise<boolean>>> = {
  crash,
  race,
  frames,
  upgrade,
  replay,
  ordinary,
  obedient,
  faults,
  routes,
}
const form = forms[positionals[0] ?? '']
if (form === undefined) {
  console.error(USAGE)
  process.exitCode = 64
} else {
  console.log(`torture ${positionals[0]}, seed ${seed}`)
  process.exitCode = (await form()) ? 0 : 1
}

async function crash(): Promise<boolean> {
  const [kills, clients, daemon] = [Number(values.kills), Number(values.clients), resolve(values.daemon)]
  const { violations, ...counts } = await crashRun({ kills, clients, seed, daemon, log })
  for (const { kind, detail } of violations) console.log(`${kind}: ${detail}`)
  log(`${JSON.stringify(counts)}, ${violations.length} violations`)
  return violations.length === 0
}

async function race(): Promise<boolean> {
  const options = { rounds: Number(values.rounds), callers: Number(values.callers), log }
  const { violations, rounds, served } = await raceRun(options)
  for (const violation of violations) console.log(violation)
  log(`${rounds} rounds, ${served} callers served, ${violations.length} violations`)
  return violations.length === 0
}

async function frames(): Promise<boolean> {
  await using user = new User()
  const home = findHome(user.env)
  const connection = await reach({ home, entry: ENTRY, env: user.env })
  await connection.call('db.project.upsert', { path: user.project })
  const memory = async () =>
    Math.round(((await connection.call('daemon.status')) as DaemonStatus).memory_bytes / 1_048_576)
  const runs = Math.ceil(Number(values.runs) / 10)
  const sizes: number[] = []
  for (let part = 0; part < 10; part++) {
    await fuzzRun({ socket: home.socket, runs, seed: seed + part })
    sizes.push(await memory())
    log(`${(part + 1) * runs} messages, the daemon has ${sizes.at(-1)} MiB`)
  }
  connection.close()
  const grown = (sizes.at(-1) ?? 0) - (sizes[0] ?? 0)
  log(`${10 * runs} messages, ${grown} MiB more than after the first tenth`)
  return grown <= 64
}

/** Every statement and disk operation fails in turn; the normal PostgreSQL tests use a sample. */
function faults(): Promise<boolean> {
  return vitest('src/engine/methods/commands-faults.test.ts', { HOLDFAST_FAULTS: 'all' })
}

/** Every way to a step runs in bash; the normal tests run a part of them. */
function routes(): Promise<boolean> {
  return vitest('test/routes', { HOLDFAST_ROUTES: 'all' })
}

/** Random plans of every notation; the normal tests play a few of each. */
function obedient(): Promise<boolean> {
  const env = { HOLDFAST_RUNS: values.plans, HOLDFAST_SEED: String(seed) }
  return vitest('test/obedient', env, '--testTimeout=0')
}

async function vitest(file: string, more: NodeJS.ProcessEnv, ...flags: readonly string[]): Promise<boolean> {
  const env = { ...process.env, ...more }
  const [code] = await once(spawn('vitest', ['run', file, ...flags], { env, stdio: 'inherit' }), 'exit')
  return code === 0
}

async function upgrade(): Promise<boolean> {
  const [upgrades, clients] = [Number(values.upgrades), Number(values.clients)]
  const { violations, hooks, ...counts } = await upgradeRun({ upgrades, clients, seed, log })
  for (const violation of violations) console.log(violation)
  console.table(hooks)
  log(`${JSON.stringify(counts)}, ${violations.length} violations`)
  return violations.length === 0
}

/** Mixed sessions through the real engine, compared with a simple fold over the same events. */
async function replay(): Promise<boolean> {
  const events = Number(values.events)
  for (let one = seed; one < seed + Number(values.seeds); one++) {
    const difference = await replayedShort({ seed: one, events })
    log(difference ?? `seed ${one}: ${events} events, no difference`)
    if (difference !== undefined) return false
  }
  return true
}

/** Ordinary sessions through the hooks; the normal tests play a part of them. */
async function ordinary(): Promise<boolean> {
  const sessions = Number(values.sessions)
  let isGood = true
  for (const level of ['enforce', 'strict', 'locked'] as const) {
    const { refusals, kinds } = await ordinarySessions({ sessions, seed, level })
    for (const refusal of refusals) console.log(JSON.stringify(refusal))
    const actions = [...kinds.values()].reduce((sum, count) => sum + count, 0)
    log(`${level}: ${sessions} sessions, ${actions} actions, ${refusals.length} refused`)
    isGood &&= refusals.length === 0
  }
  return isGood
}
