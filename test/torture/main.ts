import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { reach } from '../../src/cli/daemon/reach.ts'
import { findHome } from '../../src/daemon/home.ts'
import { nodeFiles } from '../../src/files/node.ts'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import { ENTRY, keepCompiled, User } from '../holdfast.ts'
import { startPostgres } from '../postgres.ts'
import { replayedShort } from '../replay/replay.ts'
import { ordinarySessions } from '../ordinary/sessions.ts'
import { blackholeRun } from './blackhole.ts'
import { appendsRun } from './appends.ts'
import { connectionsRun } from './connections.ts'
import { backupsRun } from './backups.ts'
import { crashRun } from './crash.ts'
import { damageRun } from './damage.ts'
import { fuzzRun } from './frames.ts'
import { hostilePort } from './hostile-port.ts'
import { faultRun, randomFaults } from './iofaults.ts'
import { powercutRun } from './powercut.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { fuzzHooks } from './hook-frames.ts'
import { raceRun } from './race.ts'
import { Random } from './random.ts'
import { swapRun } from './swaps.ts'
import { whyNoStrace } from './strace.ts'
import { upgradeRun } from './upgrade.ts'

const USAGE = `npm run torture -- crash  [--kills 2000] [--clients 32] [--seed N] [--daemon FILE]
npm run torture -- race   [--rounds 100] [--callers 20]
npm run torture -- frames [--runs 200000] [--seed N]
npm run torture -- upgrade [--upgrades 100] [--clients 32] [--seed N]
npm run torture -- replay [--events 10000] [--seeds 3] [--seed N]
npm run torture -- ordinary [--sessions 1000] [--seed N]
npm run torture -- obedient [--plans 100] [--seed N]
npm run torture -- blackhole [--minutes 30] [--clients 32] [--seed N] [--daemon FILE]
npm run torture -- appends [--appends 24000] [--callers 20] [--seed N] [--daemon FILE]
npm run torture -- connections [--idle 5000] [--readers 8] [--hooks 500]
npm run torture -- hostile-port [--rounds 100]
npm run torture -- damage [--files 1000] [--seed N]
npm run torture -- faults
npm run torture -- routes
npm run torture -- overlays
npm run torture -- swaps  [--tries 10000]
npm run torture -- backups [--kills 2000] [--seed N]
npm run torture -- powercut [--states 5000] [--seed N]
npm run torture -- iofaults [--faults 200] [--seed N]`

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
    idle: { type: 'string', default: '5000' },
    readers: { type: 'string', default: '8' },
    hooks: { type: 'string', default: '500' },
    files: { type: 'string', default: '1000' },
    plans: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '30' },
    appends: { type: 'string', default: '24000' },
    faults: { type: 'string', default: '200' },
    states: { type: 'string', default: '5000' },
    tries: { type: 'string', default: '10000' },
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
  blackhole,
  appends,
  connections,
  'hostile-port': hostile,
  damage,
  faults,
  swaps,
  powercut,
  iofaults,
  routes,
  overlays,
  backups,
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
  const hookClients = Math.ceil(clients / 4)
  const { violations, ...counts } = await crashRun({ kills, clients, hookClients, seed, daemon, log })
  for (const { kind, detail } of violations) console.log(`${kind}: ${detail}`)
  log(`${JSON.stringify(counts)}, ${violations.length} violations`)
  return violations.length === 0
}

/** Two daemons on one database and one disk. */
async function appends(): Promise<boolean> {
  const server = await startPostgres()
  const [count, callers, daemon] = [Number(values.appends), Number(values.callers), resolve(values.daemon)]
  const url = await server.createDatabase()
  const run = appendsRun({ appends: count, callers, seed, daemon, url, log })
  const { violations, ...counts } = await run.finally(() => server.stop())
  for (const { kind, detail } of violations) console.log(`${kind}: ${detail}`)
  log(`${JSON.stringify(counts)}, ${violations.length} violations`)
  return violations.length === 0
}

/** Kills processes in the middle of backups, then of restores. */
async function backups(): Promise<boolean> {
  let isGood = true
  for (const work of ['backup', 'restore'] as const) {
    const { violations, ...counts } = await backupsRun({ kills: Number(values.kills), seed, work, log })
    for (const violation of violations) console.log(violation)
    log(`${work}: ${JSON.stringify(counts)}, ${violations.length} violations`)
    isGood &&= violations.length === 0
  }
  return isGood
}

async function race(): Promise<boolean> {
  const options = { rounds: Number(values.rounds), callers: Number(values.callers), log }
  const { violations, rounds, served } = await raceRun(options)
  for (const violation of violations) console.log(violation)
  log(`${rounds} rounds, ${served} callers served, ${violations.length} violations`)
  return violations.length === 0
}

/** Another program on the port of a killed daemon; the normal tests play one round. */
async function hostile(): Promise<boolean> {
  const { violations, answers } = await hostilePort({ rounds: Number(values.rounds), log })
  for (const violation of violations) console.log(violation)
  log(`${answers} foreign answers, ${violations.length} violations`)
  return violations.length === 0
}

async function frames(): Promise<boolean> {
  await using user = new User()
  const home = findHome(user.env)
  const connection = await reach({ home, entry: ENTRY, env: user.env })
  await connection.call('db.project.upsert', { path: user.project })
  while (!((await connection.call('daemon.status')) as DaemonStatus).http.listening) await sleep(20)
  const memory = async () =>
    Math.round(((await connection.call('daemon.status')) as DaemonStatus).memory_bytes / 1_048_576)
  const runs = Math.ceil(Number(values.runs) / 10)
  const sizes: number[] = []
  for (let part = 0; part < 10; part++) {
    await fuzzRun({ socket: home.socket, runs, seed: seed + part })
    await fuzzHooks({ user, runs: Math.ceil(runs / 10), seed: seed + part })
    sizes.push(await memory())
    log(`${(part + 1) * runs} messages, the daemon has ${sizes.at(-1)} MiB`)
  }
  connection.close()
  const grown = (sizes.at(-1) ?? 0) - (sizes[0] ?? 0)
  log(`${10 * runs} messages, ${grown} MiB more than after the first tenth`)
  return grown <= 64
}

/** The network of a PostgreSQL fails in every way; no hook may wait for it. */
async function blackhole(): Promise<boolean> {
  const until = Date.now() + Number(values.minutes) * 60_000
  const server = await startPostgres({ volatile: true })
  const { violations, ...counts } = await blackholeRun({
    url: server.url,
    daemon: resolve(values.daemon),
    clients: Number(values.clients),
    seed,
    isOver: () => Date.now() > until,
    patienceMilliseconds: 20_000,
    longestMilliseconds: 20_000,
    calm: 200,
    log,
  }).finally(() => server.stop())
  const slow = [
    ...(counts.slowestHook > 2000 ? [`a hook took ${counts.slowestHook} ms`] : []),
    ...(counts.slowestHookWhileOpen > 300
      ? [`a hook took ${counts.slowestHookWhileOpen} ms while the breaker was open`]
      : []),
  ]
  for (const violation of [...violations, ...slow]) console.log(violation)
  log(`${JSON.stringify(counts)}, ${violations.length + slow.length} violations`)
  return violations.length + slow.length === 0
}

/** Idle callers without a token, and callers that ask for much and do not read it. */
async function connections(): Promise<boolean> {
  const [idle, readers, hooks] = [Number(values.idle), Number(values.readers), Number(values.hooks)]
  const options = { idle, readers, hooks, daemon: resolve(values.daemon), log }
  const { violations, baseline, beside, drops } = await connectionsRun(options)
  for (const violation of violations) console.log(violation)
  const ratio = (beside.p99 / Math.max(1, baseline.p99)).toFixed(1)
  log(`p99 ${ratio} times the baseline, ${drops} connections dropped, ${violations.length} violations`)
  return violations.length === 0
}

/** Files of running and stopped daemons are damaged; every loss must be told. */
async function damage(): Promise<boolean> {
  const { violations, ...counts } = await damageRun({ files: Number(values.files), seed, log })
  for (const violation of violations) console.log(violation)
  log(`${JSON.stringify(counts)}, ${violations.length} violations`)
  return violations.length === 0
}

/** Every statement and disk operation fails in turn; the normal PostgreSQL tests use a sample. */
function faults(): Promise<boolean> {
  return vitest('src/engine/methods/commands-faults.test.ts', { HOLDFAST_FAULTS: 'all' })
}

/** A folder becomes a link and back while files are created in it. */
async function swaps(): Promise<boolean> {
  const wanted = Number(values.tries)
  const { outside, unexplained, ...counts } = await swapRun(nodeFiles, ({ tries }) => tries >= wanted)
  for (const error of unexplained) console.log(error)
  log(`${JSON.stringify(counts)}, ${outside.length} outside, ${unexplained.length} unexplained`)
  return outside.length === 0 && unexplained.length === 0
}

/** What power cuts would leave of the files of a recorded daemon. */
async function powercut(): Promise<boolean> {
  if (!canTrace()) return false
  const options = { states: Number(values.states), calls: 150, seed, daemon: resolve(values.daemon), log }
  const { violations, ...counts } = await powercutRun(options)
  for (const { kind, detail, state } of violations) console.log(`${kind} (${state}): ${detail}`)
  log(`${JSON.stringify(counts)}, ${violations.length} violations`)
  return violations.length === 0
}

/** System calls of daemons fail, each in its own daemon. */
async function iofaults(): Promise<boolean> {
  if (!canTrace()) return false
  const wanted = randomFaults(Number(values.faults), new Random(seed))
  const { violations, ...counts } = await faultRun({ faults: wanted, daemon: resolve(values.daemon), log })
  for (const { kind, detail } of violations) console.log(`${kind}: ${detail}`)
  log(`${JSON.stringify(counts)}, ${violations.length} violations`)
  return violations.length === 0
}

function canTrace(): boolean {
  const missing = whyNoStrace()
  if (missing !== undefined) console.error(`Not run: ${missing}.`)
  return missing === undefined
}

/** Every way to a step runs in bash; the normal tests run a part of them. */
function routes(): Promise<boolean> {
  return vitest('test/routes', { HOLDFAST_ROUTES: 'all' })
}

/** Every overlay of the package, by every agent and every way; the normal tests walk a third. */
function overlays(): Promise<boolean> {
  return vitest('test/overlays', { HOLDFAST_OVERLAYS: 'all' })
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
