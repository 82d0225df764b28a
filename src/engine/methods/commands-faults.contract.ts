import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeFiles } from '../../files/node.ts'
import type { Files } from '../../model/files.ts'
import { call } from '../call/call.ts'
import { repository } from '../hook/client.contract.ts'
import type { Open } from '../../store/open.contract.ts'
import { type Answer, makeWorld, type Params, type World } from '../world.contract.ts'

type Scene = Awaited<ReturnType<typeof repository>> & { readonly names: readonly string[] }

/** A compound command: its setup and its call. */
interface Command {
  readonly method: string
  readonly prepare: (world: World) => Promise<Scene & { readonly params: Params }>
}

const COMMANDS: readonly Command[] = [
  {
    method: 'commands.effort.start',
    async prepare(world) {
      const scene = await repository(world)
      const agent_id = await world.agent()
      await scene.hook('SessionStart', { source: 'startup' })
      await scene.hook('UserPromptSubmit', { prompt: '/implement it' })
      const params = { agent_id, native_id: scene.native, mode: 'other', user_approved: 'So be it' }
      return { ...scene, names: [agent_id], params: { dir: scene.dir, skill: 'implement', ...params } }
    },
  },
  {
    method: 'commands.session.continue',
    async prepare(world) {
      const scene = await repository(world)
      const agent_id = await world.agent()
      const { session, id: effort_id } = await scene.start({ native_id: scene.native })
      const dehydration_payload = { summary: 'Half way', requiredFiles: ['a.md'] }
      await world.call('db.session.finish', { session_id: session.id, dehydration_payload })
      const other = world.name('native')
      await world.call('hooks.handle', {
        payload: {
          session_id: other,
          cwd: scene.project,
          hook_event_name: 'SessionStart',
          source: 'startup',
        },
      })
      const params = { effort_id, agent_id, native_id: other, client: 'claude-code' }
      return { ...scene, names: [agent_id, other], params }
    },
  },
  {
    method: 'commands.log.append',
    async prepare(world) {
      const scene = await repository(world)
      const { id } = await scene.start({ native_id: scene.native })
      await world.context.files.removeFolders([join(scene.project, 'tasks'), scene.dir])
      return { ...scene, names: [], params: { effort_id: id, text: 'Done\n\nAll of it.' } }
    },
  },
  {
    method: 'handoff.write',
    async prepare(world) {
      const scene = await repository(world)
      await scene.start({ native_id: scene.native })
      await scene.put('session.md', '# Session Handoff: 2026-03-01\n\n## In-tree Tasks\n- [ ] **A** #PNDNG\n')
      const learnings = [{ title: 'When it rains', text: 'All of it.' }]
      const said = { status: 'Done', completed: '- It', next: '- More', blockers: ['Rain'], learnings }
      return { ...scene, names: [], params: { path: scene.project, native_id: scene.native, ...said } }
    },
  },
]

/** The statements and disk operations that fail, each in its own run. */
interface Faults {
  /** One for all of them, more for a sample. */
  readonly every: number
}

/** Failures within compound commands, in a world small enough to compare each time. */
export function commandsFaultsContract(open: Open, { every }: Faults): void {
  let own: World
  beforeAll(async () => {
    own = await makeWorld(open)
  })
  afterAll(() => own[Symbol.asyncDispose]())
  const world = () => own

  describe.each(COMMANDS)('$method', { timeout: 600_000 }, ({ method, prepare }) => {
    const run = (params: Params, files: Files = nodeFiles) =>
      call({ ...world().context, files }, method, params, {
        notify: () => Promise.resolve(),
        gone: new AbortController().signal,
      })
    /** The result of a run, independent of time and place. */
    const effectOf = async (scene: Scene & { readonly params: Params }, work: () => Promise<unknown>) => {
      const before = await world().everything()
      await work()
      const rows = changes(before, await world().everything())
      return withoutNames({ rows, files: filesBelow(scene.project) }, scene)
    }

    const stateOf = async (scene: Scene) => ({
      rows: await world().everything(),
      files: filesBelow(scene.project),
    })
    const keyed = ({ params }: { readonly params: Params }) => ({
      ...params,
      idempotency_key: world().name('key'),
    })

    test('leaves nothing behind when any statement fails', async () => {
      const scene = await prepare(world())
      const before = await stateOf(scene)
      let failed = 0
      for (let nth = 1; await fails(world(), { nth }, () => run(scene.params)); nth += every) {
        failed = nth
        const after = await stateOf(scene)
        // A log text is on disk before the last transaction; a repeated call with a key finds it.
        if (JSON.stringify(after.files).includes('All of it')) break
        // On PostgreSQL, the lease of a file comes after the transaction that promises its change.
        const isPromised = method === 'handoff.write' && !isDeepStrictEqual(after.rows, before.rows)
        expect(isPromised ? after.files : after).toEqual(isPromised ? before.files : before)
        if (isPromised) break
      }
      expect(failed).toBeGreaterThan(/append|handoff/.test(method) ? 2 : 15)
    })

    test('ends as if nothing had happened when it is repeated with its key after any failure', async () => {
      const calm = await prepare(world())
      const expected = withoutRepeats(await effectOf(calm, () => run(keyed(calm))))
      const last = { hasFailed: true }
      for (let nth = 1; last.hasFailed; nth += every) {
        const scene = await prepare(world())
        const params = keyed(scene)
        const effect = await effectOf(scene, async () => {
          last.hasFailed = await fails(world(), { nth, of: /^(insert|update|delete)/ }, () => run(params))
          await run(params)
        })
        expect(withoutRepeats(effect)).toEqual(expected)
        expect(last.hasFailed || nth > 4).toBe(true)
      }
    })

    test('leaves nothing behind, or can be repeated, when any disk operation fails', async () => {
      const calm = await prepare(world())
      const expected = withoutRepeats(await effectOf(calm, () => run(keyed(calm))))
      for (let [nth, isUsed] = [1, true]; isUsed; nth += every) {
        const scene = await prepare(world())
        const params = keyed(scene)
        const before = filesBelow(scene.project)
        const disk = failingFiles(nth)
        let after = before
        const effect = await effectOf(scene, async () => {
          await run(params, disk.files).catch(() => undefined)
          after = disk.leavesNothing() ? filesBelow(scene.project) : before
          await run(params)
        })
        isUsed = disk.hasFailed()
        expect(after).toEqual(before)
        expect(withoutRepeats(effect)).toEqual(expected)
        expect(isUsed || nth > 2).toBe(true)
      }
    })
  })
}

/** Whether a call fails with its nth statement; a shorter call succeeds. */
async function fails(
  world: World,
  { nth, of = /./ }: { readonly nth: number; readonly of?: RegExp },
  work: () => Promise<unknown>,
): Promise<boolean> {
  let count = 0
  const isIt = (sql: string) => of.test(sql) && ++count === nth
  world.watch.failOn = { test: isIt } as unknown as RegExp
  try {
    await work()
    return false
  } catch (error) {
    if (!String(error).includes('made to fail')) throw error
    return true
  } finally {
    world.watch.failOn = undefined
  }
}

/** A disk whose nth operation fails, after the write. */
function failingFiles(nth: number) {
  let [count, written] = [0, false]
  const failing =
    <In, Out>(use: (given: In) => Promise<Out>, isWrite = false) =>
    async (given: In): Promise<Out> => {
      if (++count !== nth) {
        written ||= isWrite && count < nth
        return await use(given)
      }
      if (isWrite) {
        await use(given)
        written = true
      }
      throw new Error('made to fail')
    }
  const files: Files = {
    canonical: failing((path) => nodeFiles.canonical(path)),
    kind: failing((path) => nodeFiles.kind(path)),
    size: failing((path) => nodeFiles.size(path)),
    identity: failing((path) => nodeFiles.identity(path)),
    links: failing((path) => nodeFiles.links(path)),
    names: failing((path) => nodeFiles.names(path)),
    list: failing((wish) => nodeFiles.list(wish)),
    makeFolders: failing((wish) => nodeFiles.makeFolders(wish)),
    removeFolders: (paths) => nodeFiles.removeFolders(paths),
    read: failing((wish) => nodeFiles.read(wish)),
    digest: failing((wish) => nodeFiles.digest(wish)),
    standing: failing((wish) => nodeFiles.standing(wish)),
    append: failing((wish) => nodeFiles.append(wish), true),
    put: failing((wish) => nodeFiles.put(wish), true),
  }
  const hasFailed = () => count >= nth
  return { files, hasFailed, leavesNothing: () => hasFailed() && !written }
}

type Rows = Record<string, unknown[]>

/** The new and changed rows of each table. */
function changes(before: Rows, after: Rows): Rows {
  const entries = Object.entries(after).map(([table, rows]) => {
    const old = new Set((before[table] ?? []).map((row) => JSON.stringify(row)))
    const fresh = rows.filter((row) => !old.has(JSON.stringify(row))) as Answer[]
    return [table, fresh.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))] as const
  })
  return Object.fromEntries(entries.filter(([, rows]) => rows.length > 0))
}

/** Sorted by creation, because not every database keeps the order. */
const placeOf = (row: Answer): string =>
  String(row.seq ?? row.span_id ?? row.id ?? row.dir_path ?? row.key ?? JSON.stringify(row)).padStart(40, '0')

function filesBelow(folder: string): Readonly<Record<string, string>> {
  if (!existsSync(folder)) return {}
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
  return Object.fromEntries(
    paths.map((path) => {
      const full = join(folder, path)
      return [path, statSync(full).isFile() ? readFileSync(full, 'utf8') : '']
    }),
  )
}

/** Ids, times and the names of this scene, as whole words. */
function withoutNames(effect: object, { project, native, names }: Scene): Answer {
  const words = [project, native, ...names]
  const plainText = (text: string) =>
    words
      .reduce((shorter, name, index) => shorter.replaceAll(name, `NAME${index}`), text)
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{3}Z)?/g, 'MOMENT')
      .replaceAll(/\b(effort|phase) \d+/g, '$1 N')
      .replaceAll(/\b\d+ s ago/g, 'N s ago')
  const plain = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) return value.map((one) => plain(one))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, part]) => [plainText(name), plain(part, name)]),
      )
    const isNumber = /(^|_)(id|seq|effort)$/.test(key) && /^\d+$/.test(String(value))
    if (typeof value !== 'string') return isNumber ? 'ID' : value
    if (/^[[{]/.test(value)) return plain(JSON.parse(value), key)
    const isMade =
      /^(id|span_id|parent_span_id|key|digest|plan_digest|holder)$/.test(key) && !words.includes(value)
    return isNumber || isMade ? 'ID' : plainText(value)
  }
  return plain(effect)
}

/** An intent may be recorded again, with its new offset. */
function withoutRepeats(effect: Answer): Answer {
  const { life_event: ledger = [], ...rows } = effect.rows
  const told = ledger.filter((entry: Answer) => entry.event_type !== 'file.appending')
  return { ...effect, rows: { ...rows, life_event: told } }
}
