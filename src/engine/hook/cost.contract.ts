import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Tx } from '../../store/query.ts'
import { toSession } from '../../store/session.ts'
import { findWatched, toWatch } from '../../store/watch.ts'
import { inTurn } from '../call/turn.ts'
import type { Answer, World } from '../world.contract.ts'
import { begunAt, clientAt, skillOf } from './client.contract.ts'
import { liveDay } from './day.contract.ts'

/** How much of the database a hook may use. */
export function hookCostContract(world: () => World): void {
  const begun = () => begunAt(world())

  describe('the cost of a hook', () => {
    // Short caches would expire on a slow machine.
    beforeAll(() => world().holdTime(true))
    afterAll(() => world().holdTime(false))
    const isBeat = (sql: string) =>
      /^(update "sessions" set "heartbeat_counter"|insert into "messages")/.test(sql)
    /** The flush statements, which another transaction may have run already. */
    const isOfBeat = (sql: string) =>
      isBeat(sql) || /^select .* from "sessions" where "?id"? = .* for update$/.test(sql)
    const statements = async (work: () => Promise<unknown>) => {
      await world().store.flush()
      world().watch.committed.length = 0
      await work()
      // Pending state may be written at any moment.
      return world().watch.committed.filter((all) => {
        const writes = all.filter((sql) => /^(insert|update|delete)/.test(sql))
        return !all.every(isOfBeat) && (writes.length === 0 || !writes.every(isBeat))
      })
    }

    test('is nothing if no skill is involved, or one read of its session if other processes could end it', async () => {
      const it = await begun()
      const look = [expect.stringMatching(/^select .* from "sessions"/) as string]
      for (const event of ['PreToolUse', 'PostToolUse'])
        for (const command of ['ls -la', 'npm run build:engine']) {
          const call = { tool_name: 'Bash', tool_input: { command }, tool_use_id: 'x' }
          const costs = await statements(() => it.fire(event, call))
          expect(costs).toEqual(world().store.database.kind === 'sqlite' ? [] : [look])
        }
    })

    /** The read of recorded files before the transaction. */
    const RECORDS = [expect.stringMatching(/^select .* from "artifacts"/) as string]

    test('is one read of the records and one transaction, for the hundredth step as for the third', async () => {
      const it = await clientAt(world())
      const names = Array.from({ length: 100 }, (_, index) => `s${String(index).padStart(3, '0')}`)
      const steps = names.map((name, index) => [
        name,
        `produces: [a${index}]${index === 0 ? '' : `\nconsumes: [a${index - 1}]`}`,
      ])
      const path = await it.add('long', skillOf('long', Object.fromEntries(steps)))
      await it.start()
      await it.prompt('/long')
      const costs: number[] = []
      for (const [index, name] of names.entries()) {
        const call = {
          tool_name: 'Read',
          tool_input: { file_path: path(`steps/${name}.md`) },
          tool_use_id: name,
        }
        expect((await it.fire('PreToolUse', call)).decision).toBe('allow')
        const committed = await statements(() => it.fire('PostToolUse', { ...call, tool_response: {} }))
        expect(committed).toEqual([RECORDS, expect.any(Array)])
        if (index === 2 || index === 99) costs.push(committed[1]?.filter((sql) => !isOfBeat(sql)).length ?? 0)
      }
      expect(costs[1]).toBe(costs[0])
    })

    /** The state in memory equals the database with its pending changes. */
    const expectKept = async (native: string) => {
      const { store } = world()
      await store.flush()
      const look = async (tx: Tx) => {
        const row = await findWatched(tx, { native_id: native })
        const fresh = row && {
          session: store.volatile.overlay(toSession(row)),
          watch: { ...toWatch(row), isReminded: store.volatile.isReminded(row.id) },
        }
        return { fresh, kept: store.volatile.openWindows.get(native) }
      }
      const { fresh, kept } = await store.transact(look, { reads: true })
      expect(kept ?? fresh).toEqual(fresh)
    }

    test('is at most one read before the transaction, whatever happens', async () => {
      const costs: string[] = []
      const call: World['call'] = async (method, ...more) => {
        if (method !== 'hooks.handle') return await world().call(method, ...more)
        let answer: Answer
        const committed = await statements(async () => (answer = await world().call(method, ...more)))
        const isRead = committed.map((all) => all.every((sql) => sql.startsWith('select ')))
        const { hook_event_name: event } = (more[0] as { payload: { hook_event_name: string } }).payload
        const { session_id: session } = (more[0] as { payload: { session_id: string } }).payload
        // What a model is asked beside a compaction is no part of the next hook.
        await new Promise((resolve) => void setImmediate(resolve))
        await inTurn(`flush of ${session}`, () => Promise.resolve())
        await expectKept(session)
        costs.push(`${event}: ${isRead.map((reads) => (reads ? 'read' : 'write')).join(', ')}`)
        return answer
      }
      await liveDay({ ...world(), call })
      expect(costs.length).toBeGreaterThan(50)
      expect(costs.filter((cost) => !/: ((read|write)?|read, (read|write))$/.test(cost))).toEqual([])
    })

    test('is one more read for each further file of a skill', async () => {
      const it = await begun()
      for (const step of ['think', 'do']) await it.read(it.flow(`steps/${step}.md`))
      const reading = (...steps: readonly string[]) => {
        const command = `cat ${steps.map((step) => it.flow(`steps/${step}.md`)).join(' ')}`
        return statements(() => it.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command } }))
      }
      const [before, one = []] = await reading('look')
      const [again, many = []] = await reading('look', 'think', 'do', 'look')
      expect([before, again]).toEqual([RECORDS, RECORDS])
      expect(many.length).toBe(one.length + 2)
    })
  })
}
