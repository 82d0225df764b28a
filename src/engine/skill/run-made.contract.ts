import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nodeFiles } from '../../files/node.ts'
import type { Files } from '../../model/files.ts'
import { RUNS_FOLDER } from '../../model/skill-run.ts'
import type { Store } from '../../store/store.ts'
import { call } from '../call/call.ts'
import type { Context } from '../call/context.ts'
import { type ClientAt, contextOf } from '../hook/client.contract.ts'
import type { Answer, World } from '../world.contract.ts'
import { researcherAt } from './skill-run.contract.ts'

/** What an answer about a run promises of its folder, whatever failed meanwhile. */
export function runMadeContract(world: () => World): void {
  /** One call, told by its key if it is repeated. */
  const calling = (it: ClientAt, idempotency_key: string) => {
    const about = { session_id: it.session, cwd: it.project }
    const payload = { ...about, hook_event_name: 'UserPromptSubmit', prompt: '/research x' }
    return (context: Context): Promise<Answer> =>
      call(context, 'hooks.handle', { client: 'claude-code', payload, idempotency_key }, CALLER)
  }
  const expectWhole = async (it: ClientAt, answer: Answer) => {
    const [run, ...others] = await world().call('run.list', { path: it.project })
    expect(others).toEqual([])
    expect(readdirSync(join(it.project, RUNS_FOLDER))).toEqual([run.name])
    expect(contextOf(answer)).toContain(run.path)
    expect(run.made_at).not.toBeNull()
    expect(readdirSync(run.path).toSorted()).toEqual(['context.md', 'handoffs', 'outputs', 'run.log'])
    expect(readFileSync(join(run.path, 'run.log'), 'utf8').split('\n')).toHaveLength(2)
    expect(readFileSync(join(run.path, 'context.md'), 'utf8').match(/Called with: x/g)).toHaveLength(1)
  }

  describe('the folder of a run', () => {
    test('is complete after the next call, whichever disk operation failed', async () => {
      let [nth, isOver] = [0, false]
      for (; !isOver; nth++) {
        const it = await researcherAt(world())
        const { files, hasFailed } = dyingFiles(nth + 1)
        await calling(it, world().name('key'))({ ...world().context, files })
        isOver = !hasFailed()
        await expectWhole(it, await it.prompt('/research x'))
      }
      expect(nth).toBeGreaterThan(5)
    })

    // INV_ACK_IS_DURABLE
    test('is complete when the call is answered, whichever transaction failed', async () => {
      let [nth, isOver] = [0, false]
      for (; !isOver; nth++) {
        const it = await researcherAt(world())
        const { store, hasFailed } = brokenStore(world(), nth + 1, () => {
          throw new Error('made to fail')
        })
        const ask = calling(it, world().name('key'))
        const first = await ask({ ...world().context, store }).catch(madeToFail)
        isOver = !hasFailed()
        if (first !== undefined) await expectWhole(it, first)
        await expectWhole(it, await ask(world().context))
        expect(first !== undefined || !isOver).toBe(true)
      }
      expect(nth).toBeGreaterThan(3)
    })

    test('is complete although a connection was lost, and nobody needs to ask again', async () => {
      const { opened } = world()
      // An embedded database has no connection.
      let [nth, isOver] = [0, opened.database.kind === 'sqlite']
      for (; !isOver; nth++) {
        const it = await researcherAt(world())
        const { store, hasFailed } = brokenStore(world(), nth + 1, () => opened.look(CUT))
        const answer = await calling(it, world().name('key'))({ ...world().context, store })
        isOver = !hasFailed()
        await expectWhole(it, answer)
      }
      expect(opened.database.kind === 'sqlite' || nth > 3).toBe(true)
    })
  })
}

const CALLER = { notify: () => Promise.resolve(), gone: new AbortController().signal }
const CUT = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'holdfast' and datname = current_database()`

function madeToFail(error: unknown): undefined {
  if (!String(error).includes('made to fail')) throw error
}

/** A store in whose nth transaction something breaks once, before its first statement. */
function brokenStore({ store }: World, nth: number, breaks: () => unknown) {
  let count = 0
  const breaking = (transact: Store['transact']): Store['transact'] =>
    async function broken(run, options) {
      let isDue = ++count === nth
      return await transact(async (tx) => {
        if (isDue) {
          isDue = false
          await breaks()
        }
        return await run(tx)
      }, options)
    }
  const { database } = store
  const broken: Store = {
    ...store,
    database: { ...database, transact: breaking((run, options) => database.transact(run, options)) },
    transact: breaking((run, options) => store.transact(run, options)),
  }
  return { store: broken, hasFailed: () => count >= nth }
}

type Wish<Use extends 'makeFolders' | 'append' | 'put'> = Parameters<Files[Use]>[0]

/** A disk that stops at its nth write, as in a power failure. */
function dyingFiles(nth: number) {
  let count = 0
  const dying =
    <In, Out>(use: (given: In) => Promise<Out>) =>
    async (given: In): Promise<Out> => {
      if (++count >= nth) throw new Error('made to fail')
      return await use(given)
    }
  const files = {
    ...nodeFiles,
    makeFolders: dying((wish: Wish<'makeFolders'>) => nodeFiles.makeFolders(wish)),
    append: dying((wish: Wish<'append'>) => nodeFiles.append(wish)),
    put: dying((wish: Wish<'put'>) => nodeFiles.put(wish)),
  }
  return { files, hasFailed: () => count >= nth }
}
