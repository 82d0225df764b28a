import { FORGETS_NOTHING } from '../session/forget.contract.ts'
import { rules } from '../../rules/index.ts'
import { existsSync, mkdtempSync, realpathSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { beating } from '../../daemon/jobs/beating.contract.ts'
import { memoryDisk } from '../../../test/memory-disk.ts'
import { nodeFiles } from '../../files/node.ts'
import { clients } from '../../clients/index.ts'
import { NodeSkillFolders } from '../../files/skill-folders.ts'
import { EngineError } from '../../model/error.ts'
import { STALE_AFTER_SECONDS } from '../../model/session.ts'
import { idMaker } from '../../model/id.ts'
import { openSqlite } from '../../store/sqlite.ts'
import { openStore, type Store } from '../../store/store.ts'
import { call } from '../call/call.ts'
import { BARE } from '../call/bare.contract.ts'
import { methodsByName } from './index.ts'
import { type Choose, type Model, moves, newest, PLANNED, start, type State } from './model.contract.ts'
import type { Answer, Params } from '../world.contract.ts'

const RUNS = Math.ceil(Number(process.env['HOLDFAST_RUNS'] ?? 1) * 40)

/** Random calls, crashes, restarts and repetitions must lead both to the same state and the same ledger. */
test('tasks, efforts, phases, sessions and agents match the model, through crashes and repetitions', async () => {
  const property = fc.asyncProperty(
    fc.commands(COMMANDS, { maxCommands: 60, size: 'max' }),
    async (commands) => {
      const system = await System.open()
      try {
        await fc.asyncModelRun(() => ({ model: begin(), real: system }), commands)
      } finally {
        await system.dispose()
      }
    },
  )
  await expect(fc.assert(property, { numRuns: RUNS })).resolves.toBeUndefined()
})

const project = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-model-')))
const template = join(project, 'template.db')
const [FIRST, SECOND] = [join(project, 'a'), join(project, 'b')]

/** The initial state: a project, a skill, a task and an agent. */
beforeAll(async () => {
  const store = await openAt(template)
  const { id: project_id } = await callOn(store, 'db.project.upsert', { path: project })
  await callOn(store, 'db.skills.upsert', { name: 'planned', project_id, phases: PLANNED })
  await callOn(store, 'db.skills.upsert', { name: 'free', project_id })
  await callOn(store, 'db.task.upsert', { dir_path: FIRST })
  await callOn(store, 'db.agents.register', { id: 'fox' })
  await store.close()
})

afterAll(() => rm(project, { recursive: true }))

const begin = (): Model => ({
  tasks: new Map([[FIRST, { title: null, keywords: [], ordinals: 0 }]]),
  efforts: [],
  agents: new Map([['fox', { label: null, claims: [], effort: undefined }]]),
  sessions: [],
  ledger: ['project.registered', 'skill.changed', 'skill.changed', 'task.created', 'agent.registered'],
})

/** The engine on a database file; it can crash and restart. */
class System {
  readonly #folder: string
  /** The completed calls with a key. */
  readonly answered: { method: string; params: Params; answer: Answer }[] = []
  #generation = 0
  #keys = 0
  #store: Store

  private constructor(folder: string, store: Store) {
    this.#folder = folder
    this.#store = store
  }

  static async open(): Promise<System> {
    const folder = await mkdtemp(join(memoryDisk, 'holdfast-model-'))
    await copyFile(template, join(folder, '0.db'))
    return new System(folder, await openAt(join(folder, '0.db')))
  }

  call(method: string, params: Params = {}): Promise<Answer> {
    return callOn(this.#store, method, params)
  }

  newKey = () => ({ idempotency_key: `key ${this.#keys++}` })

  /** The next engine sees only what is on disk now. */
  async crash(): Promise<void> {
    const [from, to] = [this.#file(), this.#file(++this.#generation)]
    await copyFile(from, to)
    if (existsSync(`${from}-wal`)) await copyFile(`${from}-wal`, `${to}-wal`)
    await this.#store.close()
    this.#store = await openAt(to)
  }

  async restart(): Promise<void> {
    await this.#store.close()
    this.#store = await openAt(this.#file())
  }

  async dispose(): Promise<void> {
    await this.#store.close().then(() => rm(this.#folder, { recursive: true }))
  }

  #file(generation = this.#generation): string {
    return join(this.#folder, `${generation}.db`)
  }
}

const clock = { now: () => Date.now() }
const openAt = async (path: string) => beating(await openStore(openSqlite(path), { clock }))

async function callOn(store: Store, method: string, params: Params): Promise<Answer> {
  const daemon = {
    status: () => ({ home: '/nowhere' }) as never,
    stop: () => undefined,
    rotateTokens: () => undefined,
    prune: () => Promise.resolve({ sessions: 0, messages: 0, bytes: 0, days: null }),
    memory: FORGETS_NOTHING,
    startSuccessor: () => Promise.resolve(0),
  }
  const user = { home: '/nowhere', clients: new Map() }
  const context = {
    store,
    clock,
    newId: idMaker(clock),
    files: nodeFiles,
    user,
    own: { folder: '/home', programs: '/data', config: '/c.yaml', overlays: '/o', secrets: [], open: [] },
    packaged: '/nowhere',
    ...BARE,
    clients,
    rules,
    skillFolders: new NodeSkillFolders({ user, clients, overlays: '/o', version: '' }),
    readRunbook: () => Promise.resolve({ runbook: undefined, errors: [], compiled: 'missing' as const }),
    daemon,
    programs: { note: () => undefined, of: () => 'holdfast' },
    config: () => ({}),
    pausedUntil: () => undefined,
    staleAfterSeconds: STALE_AFTER_SECONDS,
    methods: methodsByName,
  }
  const caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }
  return JSON.parse(JSON.stringify(await call(context, method, params, caller))) as unknown
}

interface Command extends fc.AsyncCommand<Model, System> {
  toString(): string
}

function command(
  name: string,
  work: (model: Model, system: System) => Promise<void>,
  check: (model: Readonly<Model>) => boolean = () => true,
): Command {
  return {
    check,
    async run(model, system) {
      await work(model, system)
      await compare(model, system)
    },
    toString: () => name,
  }
}

type How = 'plain' | 'with a key' | 'answer lost'

const makeCall = (choose: Choose, how: How) => async (model: Model, system: System) => {
  const move = choose(model)
  if (move === undefined) return
  const { method, outcome } = move
  const params = how === 'plain' ? move.params : { ...move.params, ...system.newKey() }
  if (typeof outcome !== 'function') {
    expect(await errorOf(system.call(method, params))).toBe(outcome.error)
    if (outcome.told !== undefined) model.ledger.push(outcome.told)
    return
  }
  const answer = await system.call(method, params)
  outcome(answer)
  if (how === 'plain' || move.volatile === true) return
  system.answered.push({ method, params, answer })
  if (how !== 'answer lost') return
  // The daemon died before its reply, and the caller repeats the call.
  await crash(model, system)
  expect(await system.call(method, params)).toEqual(answer)
}

async function errorOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    (value) => `no error but ${JSON.stringify(value)}`,
    (error: unknown) => {
      if (error instanceof EngineError) return error.code
      throw error
    },
  )
}

/** A crash leaves any state of each session since its last durable one. */
async function crash(model: Model, system: System): Promise<void> {
  await system.crash()
  const found: Answer[] = await system.call('db.session.find', { limit: 1000 })
  for (const session of model.sessions) {
    const state = stateOf(found.find(({ id }) => id === session.id))
    expect(session.states).toContainEqual(state)
    session.states = [state]
  }
}

async function restart(model: Model, system: System): Promise<void> {
  await system.restart()
  for (const session of model.sessions) session.states = [newest(session)]
}

/** An old call, repeated with its key, changes nothing and returns its old result. */
const repeat = (which: number) => async (_: Model, system: System) => {
  const chosen = system.answered[which % Math.max(1, system.answered.length)]
  if (chosen !== undefined) expect(await system.call(chosen.method, chosen.params)).toEqual(chosen.answer)
}

/** Several efforts start on one task at the same moment. */
const burst = (task: string, count: number) => async (model: Model, system: System) => {
  if (!model.tasks.has(task)) return
  const begins = Array.from({ length: count }, () =>
    system.call('db.effort.start', { task_id: task, skill: 'planned' }),
  )
  const started = (await Promise.all(begins)).toSorted((a, b) => Number(a.ordinal) - Number(b.ordinal))
  for (const answer of started) {
    const outcome = start({ task, skill: 'planned' })(model)?.outcome
    if (typeof outcome === 'function') outcome(answer)
  }
}

const hows = fc.constantFrom<How>('plain', 'plain', 'with a key', 'with a key', 'with a key', 'answer lost')

const COMMANDS: fc.Arbitrary<Command>[] = [
  ...moves([FIRST, SECOND]).map((chosen) =>
    fc
      .tuple(chosen, hows)
      .map(([{ name, choose }, how]) =>
        command(`${name} ${how}`, makeCall(choose, how), (model) => choose(model) !== undefined),
      ),
  ),
  fc.constant(command('crash', crash)),
  fc.constant(command('restart', restart)),
  fc.nat(50).map((which) => command(`repeat ${which}`, repeat(which))),
  fc
    .tuple(fc.constantFrom(FIRST, SECOND), fc.integer({ min: 2, max: 4 }))
    .map(([task, count]) => command(`burst ${task} ${count}`, burst(task, count))),
]

/** Every visible state of the engine equals the model. */
async function compare(model: Model, system: System): Promise<void> {
  const [tasks, agents, sessions, told, ...efforts] = await Promise.all([
    system.call('db.task.list', { limit: 1000 }),
    system.call('db.agents.list'),
    system.call('db.session.find', { limit: 1000 }),
    system.call('ledger.list', { after: 0, limit: 1000 }),
    ...model.efforts.map(({ id }) => system.call('db.effort.get', { effort_id: id })),
  ])
  const isPlanned = new Set(model.efforts.map(({ id }) => id))
  expect({
    tasks: tasks.map(taskOf),
    efforts: efforts.map(effortOf),
    agents: agents.map(agentOf),
    sessions: sessions.toReversed().map((row: Answer) => ({
      ...sessionOf(row),
      effort: isPlanned.has(row.effort_id) ? row.effort_id : 'ad hoc',
    })),
    ledger: told.map((row: Answer) => row.event_type),
  }).toEqual(expected(model))
}

const byName = <T extends { readonly name: string }>(list: T[]) =>
  list.toSorted((a, b) => (a.name < b.name ? -1 : 1))

function expected(model: Model) {
  const tasks = [...model.tasks].map(([name, { title, keywords }]) => {
    const mine = model.efforts.filter(({ task }) => task === name)
    const active = mine.filter(({ finished }) => !finished).length
    const latest = mine.at(-1)?.skill ?? null
    const words = keywords.length === 0 ? null : keywords.join(', ')
    return { name, title, keywords: words, efforts: mine.length, active, latest }
  })
  const agents = [...model.agents].map(([name, agent]) => ({
    ...agent,
    name,
    effort: agent.effort?.id ?? null,
  }))
  const sessions = model.sessions.map((session) => {
    const { states: _, ...seen } = { ...session, ...newest(session), effort: session.effort?.id ?? 'ad hoc' }
    return seen
  })
  return {
    tasks: byName(tasks),
    efforts: model.efforts,
    agents: byName(agents),
    sessions,
    ledger: model.ledger,
  }
}

const taskOf = (row: Answer) => ({
  name: row.dir_path,
  title: row.title,
  keywords: row.keywords,
  efforts: row.effort_count,
  active: row.active_count,
  latest: row.latest_skill,
})

const effortOf = (row: Answer) => ({
  id: row.id,
  task: row.task_id,
  skill: row.skill,
  ordinal: row.ordinal,
  finished: row.lifecycle === 'finished',
  phase: row.current_phase,
  history: row.phase_history.map(({ phase_label, proof }: Answer) => ({ phase_label, proof })),
  agent: row.agent_id,
})

const agentOf = ({ id: name, label, claims, effort_id: effort }: Answer) => ({ name, label, claims, effort })

const sessionOf = (row: Answer) => ({
  id: row.id,
  task: row.task_id,
  native: row.native_id,
  prev: row.prev_session_id,
  agent: row.agent_id,
  ended: row.ended_reason,
  payload: row.dehydration_payload,
  ...stateOf(row),
})

const stateOf = (row: Answer): State => ({
  beats: row.heartbeat_counter,
  usage: row.context_usage,
  files: row.loaded_files,
})
