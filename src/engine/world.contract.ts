import { openAi } from '../ai/index.ts'
import { configWithModels, type Loopback, loopback } from '../ai/loopback.contract.ts'
import { rules } from '../rules/index.ts'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { nodeFiles } from '../files/node.ts'
import { clients, defaultClient } from '../clients/index.ts'
import { NodeSkillFolders } from '../files/skill-folders.ts'
import { agentsFolder, ownFolder } from '../model/client-files.ts'
import { packagedContents } from '../daemon/packaged.ts'
import { runnableRunbook } from '../files/runbook.ts'
import { beating } from '../daemon/jobs/beating.contract.ts'
import { EngineError } from '../model/error.ts'
import { STALE_AFTER_SECONDS } from '../model/session.ts'
import { idMaker } from '../model/id.ts'
import type { LedgerRow } from '../store/ledger.ts'
import { dump, type Open, type Opened, type Stored } from '../store/open.contract.ts'
import { openStore, type Store } from '../store/store.ts'
import { piecesOf } from '../model/search/piece.ts'
import { remembered } from '../store/memory.ts'
import { findChunks } from '../store/find.ts'
import { NOTHING } from '../store/forget.ts'
import { findTrusted, toModule } from '../store/trusted-module.ts'
import { call } from './call/call.ts'
import { counted, type Watch, watched } from './watched.contract.ts'
import { BARE } from './call/bare.contract.ts'
import { statusIn } from './call/status.contract.ts'
import type { Caller, Context } from './call/context.ts'
import { methodsByName } from './methods/index.ts'

export type Params = Readonly<Record<string, unknown>>

/** The result of a call, loosely typed for `toMatchObject`. */
export type Answer = any

/** The real environment of the engine in a daemon, without the socket. */
export interface World extends AsyncDisposable {
  readonly context: Context
  readonly store: Store
  readonly opened: Opened
  /** The folder of the project that is registered at the start. */
  readonly project: string
  readonly projectId: number
  readonly home: string
  /** The default client's own folder for the user. */
  readonly own: string
  readonly watch: Watch
  readonly call: (method: string, params?: unknown, caller?: Partial<Caller>) => Promise<Answer>
  /** An unused name. */
  readonly name: (kind: string) => string
  /** Advances the clock. */
  readonly advance: (milliseconds: number) => void
  /** Puts the clock this far ahead of that of the machine. */
  readonly putAhead: (milliseconds: number) => void
  /** Stops the clock until it is released. */
  readonly holdTime: (isHeld: boolean) => void
  /** A new task in the project. */
  readonly task: () => Promise<string>
  /** A new effort on a task of its own, unless one is named; its skill is stored if it is new. */
  readonly effort: (params?: Params) => Promise<Answer>
  readonly agent: () => Promise<string>
  /** A provider of models on loopback. */
  readonly models: Loopback
  /** A session as it is now. */
  readonly session: (id: number) => Promise<Answer>
  /** The ledger entries since a seq. */
  readonly since: (seq: number) => Promise<readonly LedgerRow[]>
  readonly lastSeq: () => Promise<number>
  /** The whole store, including pending state. */
  readonly everything: () => Promise<Stored>
}

/** The phases of the skill `implement` of every project here. */
export const IMPLEMENT = [
  { label: '0', name: 'Setup', proof: ['mode'] },
  { label: '1', name: 'Planning' },
  { label: '2', name: 'Execution' },
  { label: '2.A', name: 'Build Loop', proof: ['tests_pass', 'blocks'] },
  { label: '2.B', name: 'Handoff' },
  { label: '3', name: 'Synthesis' },
  { label: '3.1', name: 'Checklists' },
  { label: '3.2', name: 'Debrief' },
]

export async function makeWorld(
  open: Open,
  now: () => number = Date.now,
  more: Partial<Context> = {},
): Promise<World> {
  const { clients: known = clients } = more
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-engine-')))
  const [project, home] = [join(folder, 'project'), join(folder, 'project', '.home')]
  await mkdir(home, { recursive: true })
  const opened = await open('schema')
  const watch: Watch = {
    committed: [],
    asked: [],
    daemon: [],
    indexed: [],
    failOn: undefined,
    underWay: 0,
    listeners: 0,
  }
  let offset = 0
  let held: number | undefined
  const clock = { ahead: 0, now: () => (held ?? now() + offset) + clock.ahead }
  const store = beating(counted(await openStore(watched(opened.database, watch), { clock }), watch))
  const stopped = new AbortController()
  const models = await loopback()
  const user = { home: join(folder, 'user'), clients: new Map() }
  const context: Context = {
    store,
    clock,
    newId: idMaker(clock),
    files: nodeFiles,
    user,
    own: {
      folder: join(folder, 'state'),
      programs: join(folder, 'programs'),
      config: join(folder, 'user', 'config.yaml'),
      overlays: join(folder, 'user', 'overlays'),
      secrets: [join(folder, 'state', 'hook.json'), join(folder, 'state', 'engine.db')],
      open: [join(folder, 'state', 'bin', 'holdfast'), join(folder, 'state', 'daemon.log')],
    },
    packaged: join(folder, 'package'),
    readRunbook: (at) =>
      runnableRunbook(at, { contents: packagedContents(), agents: agentsFolder(defaultClient) }),
    ...BARE,
    rules,
    clients: known,
    programs: { note: () => undefined, of: () => 'holdfast' },
    config: (root) => configWithModels(root, models),
    ai: openAi(() => 'key'),
    skillFolders: new NodeSkillFolders({
      user,
      clients: known,
      overlays: join(folder, 'user', 'overlays'),
      version: '0.0.0',
      async trusted(digest) {
        const row = await store.transact((tx) => findTrusted(tx, { digest }), { reads: true })
        return row && toModule(row)
      },
    }),
    daemon: {
      status: () => statusIn(home),
      stop: () => void watch.daemon.push('stop'),
      rotateTokens: () => void watch.daemon.push('rotate'),
      prune: ({ dryRun }) => {
        if (!dryRun) watch.daemon.push('prune')
        return Promise.resolve({ sessions: 0, messages: 0, bytes: 0, days: 30 })
      },
      memory: {
        count: () => Promise.resolve(NOTHING),
        forget() {
          watch.daemon.push('forget')
          return Promise.resolve(NOTHING)
        },
        status: () => undefined,
        resume: () => watch.daemon.push('resume') > 0,
      },
      startSuccessor: () => Promise.resolve(watch.daemon.push('start')),
    },
    index: {
      ...BARE.index,
      find: (wanted) => store.transact((tx) => findChunks(tx, wanted), { reads: true }),
      split: (text, title) => Promise.resolve(piecesOf(text, title)),
      remember: (wish) => store.transact((tx) => remembered(tx, wish), { reads: true }),
      refresh: ({ id }) => Promise.resolve(void watch.indexed.push(id)),
    },
    pausedUntil: () => undefined,
    staleAfterSeconds: STALE_AFTER_SECONDS,
    memoryMilliseconds: 600_000,
    methods: methodsByName,
    ...more,
  }
  const ask: World['call'] = (method, params, caller) =>
    call(context, method, params, { notify: () => Promise.resolve(), gone: stopped.signal, ...caller })
  const { id: projectId } = await ask('db.project.upsert', { path: project })
  await ask('db.skills.upsert', { name: 'implement', project_id: projectId, phases: IMPLEMENT })
  let names = 0
  const name = (kind: string) => `${kind}-${++names}`
  const since: World['since'] = async (seq) => await ask('ledger.list', { after: seq, limit: 1000 })
  const task: World['task'] = async () =>
    (await ask('db.task.upsert', { dir_path: join(project, name('task')) })).dir_path
  return {
    context,
    store,
    opened,
    project,
    projectId,
    home,
    own: ownFolder(user, defaultClient),
    watch,
    call: ask,
    name,
    advance: (milliseconds) => void (offset += milliseconds),
    putAhead: (milliseconds) => void (clock.ahead = milliseconds),
    holdTime: (isHeld) => void (held = isHeld ? now() + offset : undefined),
    task,
    async effort(params = {}) {
      const given = { skill: 'implement', task_id: params['task_id'] ?? (await task()), ...params }
      const dir = given.task_id as string
      const projects: readonly Answer[] = await ask('db.project.list')
      const around = projects.filter(({ path }) => dir === path || dir.startsWith(`${path}/`))
      const of = around.toSorted((a, b) => b.path.length - a.path.length)[0]
      const stored: readonly Answer[] =
        of === undefined ? [] : await ask('db.skills.list', { project_id: of.id })
      // An effort needs a skill that is stored.
      if (of !== undefined && !stored.some((skill) => skill.name === given.skill))
        await ask('db.skills.upsert', { name: given.skill, project_id: of.id })
      return await ask('db.effort.start', given)
    },
    models,
    agent: async () => (await ask('db.agents.register', { id: name('agent') })).id,
    session: async (id) => (await ask('db.session.find', { session_id: id }))[0],
    since,
    lastSeq: async () => (await ask('ledger.list', { limit: 1 }))[0]?.seq ?? 0,
    async everything() {
      await store.flush()
      return await dump(opened)
    },
    async [Symbol.asyncDispose]() {
      stopped.abort()
      await models[Symbol.asyncDispose]()
      await store.close()
      await opened.dispose()
      await rm(folder, { recursive: true })
    },
  }
}

/** A folder, created if missing. */
export async function folderAt(path: string): Promise<string> {
  await mkdir(path, { recursive: true })
  return path
}

/** Writes files and their folders; a text that starts with `->` is a link. */
export async function writeFiles(files: Readonly<Record<string, string>>, folder = '/'): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await (text.startsWith('->') ? symlink(text.slice(2), path) : writeFile(path, text))
  }
}

/** Fails unless the store is unchanged; the slow `toEqual` only shows the difference. */
export async function expectUnchanged(world: World, before: Stored): Promise<void> {
  const now = await world.everything()
  if (!isDeepStrictEqual(now, before)) expect(now).toEqual(before)
}

/** The error of a call; a call that succeeds fails the test. */
export async function failure(work: Promise<unknown>): Promise<EngineError> {
  const outcome = await work.then(
    (value: unknown) => new Error(`It succeeded with ${JSON.stringify(value)}.`),
    (error: unknown) => error,
  )
  if (outcome instanceof EngineError) return outcome
  throw outcome
}
