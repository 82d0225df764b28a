import { FORGETS_NOTHING } from '../src/engine/session/forget.contract.ts'
import { rules } from '../src/rules/index.ts'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { call } from '../src/engine/call/call.ts'
import type { Caller, Context, DaemonStatus } from '../src/engine/call/context.ts'
import { BARE } from '../src/engine/call/bare.contract.ts'
import { methodsByName } from '../src/engine/methods/index.ts'
import { beating } from '../src/daemon/jobs/beating.contract.ts'
import { nodeFiles } from '../src/files/node.ts'
import { clients } from '../src/clients/index.ts'
import { NodeSkillFolders } from '../src/files/skill-folders.ts'
import { timestamp } from '../src/model/clock.ts'
import { STALE_AFTER_SECONDS } from '../src/model/session.ts'
import type { Effort } from '../src/model/effort.ts'
import { idMaker } from '../src/model/id.ts'
import type { Project } from '../src/model/project.ts'
import type { Database } from '../src/store/database.ts'
import { findEffort, setPhase } from '../src/store/effort.ts'
import { record } from '../src/store/ledger.ts'
import type { Statement, Tx } from '../src/store/query.ts'
import { findOpenByNative } from '../src/store/session.ts'
import { findSkill } from '../src/store/skill.ts'
import { openSqlite } from '../src/store/sqlite.ts'
import { openStore, type Store } from '../src/store/store.ts'
import { type Contender, timed } from './measure.ts'

const HOT_SESSIONS = 10
const PHASES = ['1', '2', '3', '4', '5', '6'].map((label) => ({
  label,
  name: `Phase ${label}`,
  proof: ['done'],
}))
const clock = { now: () => Date.now() }
export const caller: Caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }

/** A store with data, the engine above it and the bare connection below it. */
export interface Stage {
  readonly store: Store
  readonly handle: DatabaseSync
  readonly efforts: readonly number[]
  call(method: string, params: object): Promise<unknown>
  readonly context: Context
}

export async function openStage(folder: string): Promise<Stage> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { database, handle } = openWithHandle(join(folder, 'engine.db'))
  const store = beating(await openStore(database, { clock }))
  const user = { home: folder, clients: new Map() }
  const context: Context = {
    store,
    clock,
    newId: idMaker(clock),
    files: nodeFiles,
    user,
    own: {
      folder: '/nowhere',
      programs: '/nowhere/programs',
      config: '/nowhere/config.yaml',
      overlays: '/nowhere/skills',
      secrets: [],
      open: [],
    },
    packaged: '/nowhere',
    ...BARE,
    clients,
    rules,
    skillFolders: new NodeSkillFolders({ user, clients, overlays: '/nowhere/skills', version: '' }),
    readRunbook: () => Promise.resolve({ runbook: undefined, errors: [], compiled: 'missing' }),
    daemon: {
      status: () => ({ home: join(folder, 'home') }) as DaemonStatus,
      stop: () => undefined,
      rotateTokens: () => undefined,
      prune: () => Promise.resolve({ sessions: 0, messages: 0, bytes: 0, days: null }),
      memory: FORGETS_NOTHING,
      startSuccessor: () => Promise.resolve(0),
    },
    programs: { note: () => undefined, of: () => 'holdfast' },
    config: () => ({}),
    pausedUntil: () => undefined,
    staleAfterSeconds: STALE_AFTER_SECONDS,
    methods: methodsByName,
  }
  const stage = {
    store,
    handle,
    context,
    call: (name: string, params: object) => call(context, name, params, caller),
  }
  return { ...stage, efforts: await seed(stage.call, folder) }
}

/** Captures the private connection of the store, because only benchmarks lower the durability. */
function openWithHandle(path: string): { database: Database; handle: DatabaseSync } {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the right `this`
  const { exec } = DatabaseSync.prototype
  let handle: DatabaseSync | undefined
  DatabaseSync.prototype.exec = new Proxy(exec, {
    apply(target, self: DatabaseSync, words: [string]) {
      handle = self
      return Reflect.apply(target, self, words)
    },
  })
  const database = openSqlite(path)
  DatabaseSync.prototype.exec = exec
  if (handle === undefined) throw new Error('The connection was not captured.')
  return { database, handle }
}

async function seed(ask: Stage['call'], folder: string): Promise<readonly number[]> {
  const project = join(folder, 'project')
  mkdirSync(project)
  const { id } = (await ask('db.project.upsert', { path: project })) as Project
  await ask('db.skills.upsert', { project_id: id, name: 'implement', phases: PHASES })
  const efforts: number[] = []
  for (let index = 0; index < HOT_SESSIONS; index++) {
    const task = join(project, `task-${index}`)
    mkdirSync(task)
    await ask('db.task.upsert', { dir_path: task })
    const effort = (await ask('db.effort.start', { task_id: task, skill: 'implement' })) as Effort
    await ask('db.effort.phase', { effort_id: effort.id, label: '1' })
    await ask('db.session.start', { task_id: task, effort_id: effort.id, native_id: `native-${index}` })
    efforts.push(effort.id)
  }
  return efforts
}

/** The work of a hook: find its session, effort and skill, change one row, write to the ledger. */
export const hook =
  (native: string, newId: () => string) =>
  async (tx: Tx): Promise<void> => {
    const session = await findOpenByNative(tx, { native_id: native })
    const effort = await findEffort(tx, { id: session?.effort_id ?? 0 })
    if (effort === undefined) throw new Error('The effort of the benchmark is missing.')
    await findSkill(tx, { workplace_id: effort.workplace_id, name: effort.skill })
    await setPhase(tx, { id: effort.id, phase: '1: Phase 1' })
    await record(
      tx,
      { event_type: 'phase.entered', skill: effort.skill, phase: '1: Phase 1', effort_id: effort.id },
      { id: newId(), now: timestamp(Date.now()) },
    )
  }

/** The client ids of the active sessions. */
export const natives = Array.from({ length: HOT_SESSIONS }, (_, index) => `native-${index}`)

/** Runs hooks in sequence, each of another session. */
export function hooks({ store, context }: Stage): Contender {
  const next = inTurn(natives.map((native) => hook(native, context.newId)))
  return timed(() => store.transact(next()))
}

/** Marks a value that must be new on each replay of a statement. */
export const ONCE = 'recorded-'
let recorded = 0
export const onceId = () => `${ONCE}${recorded++}`

/** Records every statement that goes through the store. */
export function recording(store: Store): { store: Store; statements: readonly Statement<unknown>[] } {
  const statements: Statement<unknown>[] = []
  const watched = (tx: Tx): Tx => ({
    kind: tx.kind,
    onRollback: (undo) => tx.onRollback(undo),
    execute<Row>(statement: Statement<Row>) {
      statements.push(statement)
      return tx.execute(statement)
    },
  })
  return {
    store: { ...store, transact: (run, options) => store.transact((tx) => run(watched(tx)), options) },
    statements,
  }
}

/** The same statements without the store: prepared once, between BEGIN and COMMIT. */
export function raw(handle: DatabaseSync, statements: readonly Statement<unknown>[]): () => void {
  const newId = idMaker(clock)
  const [begin, commit] = [handle.prepare('begin immediate'), handle.prepare('commit')]
  const steps = statements.map(({ sql, parameters }) => {
    const statement = handle.prepare(sql)
    const values = [...parameters] as SQLInputValue[]
    const once = values.findIndex((value) => typeof value === 'string' && value.startsWith(ONCE))
    return { statement, values, once, reads: statement.columns().length > 0 }
  })
  return () => {
    begin.run()
    for (const { statement, values, once, reads } of steps) {
      if (once !== -1) values[once] = newId()
      if (reads) statement.all(...values)
      else statement.run(...values)
    }
    commit.run()
  }
}

export function setDurability(stages: readonly Stage[], level: 'full' | 'normal'): void {
  for (const { handle } of stages) handle.exec(`pragma synchronous = ${level}`)
}

/** Cycles through a list. */
export function inTurn<T>(list: readonly T[]): () => T {
  let next = 0
  return () => {
    const one = list[next++ % list.length]
    if (one === undefined) throw new Error('The list is empty.')
    return one
  }
}
