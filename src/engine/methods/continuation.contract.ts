import { describe, expect, test } from 'vitest'
import { type Answer, failure, type Params, type World } from '../world.contract.ts'

/** A chain that a session began; nobody has called its skill yet. */
async function chained(world: World): Promise<number> {
  const native_id = world.name('native')
  await world.call('db.session.start', { task_id: await world.task(), native_id })
  const { id } = await world.call('continuation.push', { calls: ['/a'], native_id, cwd: world.project })
  return id
}

type Samples = Readonly<Record<string, (world: World) => Promise<Params>>>

/** A fresh call with an effect, for each method that changes a chain. */
export const CHAIN_CHANGES: Samples = {
  'continuation.push': async (world) => ({ calls: ['/b'], chain_id: await chained(world) }),
  'continuation.drop': async (world) => ({ chain_id: await chained(world), reason: 'no longer needed' }),
  'continuation.resume': async (world) => ({
    chain_id: await chained(world),
    native_id: world.name('native'),
    take: true,
  }),
}

/** A call that succeeds, for each one that reads chains. */
export const CHAIN_READS: Samples = {
  'continuation.next': async (world) => ({ chain_id: await chained(world) }),
  'continuation.list': ({ project }) => Promise.resolve({ cwd: project, ended: true, limit: 1 }),
}

/** What the methods of chains promise. */
export function continuationContract(world: () => World): void {
  const session = async () => {
    const native_id = world().name('native')
    const task_id = await world().task()
    await world().call('db.session.start', { task_id, native_id })
    const caller = { native_id, cwd: world().project }
    const call = (method: string, more: object = {}): Promise<Answer> =>
      world().call(`continuation.${method}`, { ...caller, ...more })
    return { native_id, call }
  }
  const shown = ({ frames }: Answer): readonly string[] =>
    frames.map(({ skill, status }: Answer) => `${skill} ${status}`)

  describe('a chain', () => {
    test('begins with what a session pushes, and names the exact next call', async () => {
      const it = await session()
      const chain = await it.call('push', { calls: ['/design the door', '/commit'] })
      expect(shown(chain)).toEqual(['design waiting', 'commit waiting'])
      expect(chain).toMatchObject({ state: 'running', session_id: it.native_id, parked: null })
      expect(chain.next).toMatchObject({
        skill: 'design',
        args: 'the door',
        // The project has no such skill, so what to do then follows.
        call: expect.stringMatching(/^call the Skill tool with skill "design" and args "the door" if /),
      })
      expect(await it.call('next')).toEqual(chain)
      expect(await it.call('list')).toEqual([chain])
    })

    test('takes what is pushed later before the rest, which stays as it is', async () => {
      const it = await session()
      await it.call('push', { calls: ['/b', '/c'] })
      expect(shown(await it.call('push', { calls: ['/x 1', '/y - 2'] }))).toEqual([
        'x waiting',
        'y waiting',
        'b waiting',
        'c waiting',
      ])
      expect((await it.call('next')).frames.map(({ position }: Answer) => position)).toEqual([1, 2, 3, 4])
    })

    test('goes with one drop, which the ledger keeps for each skill', async () => {
      const it = await session()
      const { id } = await it.call('push', { calls: ['/b', '/c'] })
      const seq = await world().lastSeq()
      const dropped = await it.call('drop', { reason: 'Not now.' })
      expect(shown(dropped)).toEqual(['b dropped', 'c dropped'])
      expect(dropped).toMatchObject({ id, state: 'ended', next: null })
      expect(await world().since(seq)).toMatchObject([
        { event_type: 'chain.dropped', skill: 'b', payload: { chain: id, reason: 'Not now.' } },
        { event_type: 'chain.dropped', skill: 'c' },
      ])
      expect(await it.call('list')).toEqual([])
      expect(await it.call('list', { ended: true })).toEqual([dropped])
      expect(await failure(it.call('resume', { chain_id: id }))).toMatchObject({ code: 'conflict' })
    })

    test('belongs to the session that has it, until another one resumes it', async () => {
      const [it, other] = [await session(), await session()]
      const { id } = await it.call('push', { calls: ['/b'] })
      expect(await failure(other.call('next'))).toMatchObject({
        code: 'not-found',
        hint: 'holdfast chain list',
      })
      expect(await failure(other.call('resume', { chain_id: id }))).toMatchObject({
        code: 'conflict',
        hint: `holdfast chain resume ${id} --take`,
      })
      expect(await failure(other.call('push', { chain_id: id, calls: ['/x'] }))).toMatchObject({
        code: 'conflict',
        hint: `holdfast chain resume ${id}`,
      })
      expect(await other.call('resume', { chain_id: id, take: true })).toMatchObject({
        id,
        session_id: other.native_id,
      })
      expect(await failure(it.call('next'))).toMatchObject({ code: 'not-found' })
    })

    test('refuses what is no call, and a caller that no session has', async () => {
      const it = await session()
      for (const calls of [['commit'], ['/a /b c'], ['/']])
        expect(await failure(it.call('push', { calls }))).toMatchObject({ code: 'invalid', field: 'calls' })
      const native_id = world().name('native')
      expect(await failure(it.call('push', { calls: ['/a'], native_id }))).toMatchObject({
        code: 'invalid',
        field: 'native_id',
      })
      expect(await failure(it.call('next', { chain_id: 1e9 }))).toMatchObject({ code: 'not-found' })
    })
  })
}
