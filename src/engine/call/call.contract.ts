import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CHANGES, file, READS, session } from './call-samples.contract.ts'
import { methods, methodsByName } from '../methods/index.ts'
import { type Answer, failure, type Params, type World } from '../world.contract.ts'

/** What is true of every call, whatever its method. */
export function callContract(world: () => World): void {
  const namesOf = (...effects: string[]) =>
    methods.filter(({ effect }) => effects.includes(effect)).map(({ name }) => name)

  describe('every method', () => {
    test('is called here, has a name of its own and says what it does', () => {
      expect(Object.keys(CHANGES).toSorted()).toEqual(
        namesOf('durable', 'volatile', 'file', 'daemon').toSorted(),
      )
      expect(Object.keys(READS).toSorted()).toEqual(namesOf('read', 'none').toSorted())
      expect(new Set(methods.map(({ name }) => name)).size).toBe(methods.length)
      for (const { summary } of methods) expect(summary).toMatch(/^[A-Z].*\.$/)
      const keyed = methods.filter(({ params }) => 'idempotency_key' in params.shape)
      expect(keyed.map(({ name }) => name).toSorted()).toEqual(Object.keys(CHANGES).toSorted())
    })

    test('of the seeds is there', () => {
      const seeded = `db.project.upsert db.task.upsert db.task.find db.task.list db.effort.start db.effort.finish
        db.effort.phase db.effort.list db.effort.validate db.session.start db.session.finish db.session.heartbeat
        db.session.updateContextUsage db.session.updateLoadedFiles db.session.find db.skills.upsert db.skills.get
        db.skills.list db.skills.delete db.skills.find db.messages.append db.messages.list db.agents.register
        db.agents.get db.agents.list commands.effort.start commands.session.continue commands.log.append fs.files.read fs.files.append fs.paths.resolve
        agent.skills.parse agent.skills.list
        agent.directives.discover agent.directives.dereference agent.directives.resolve`
      const names = new Set(methods.map(({ name }) => name))
      expect(seeded.split(/\s+/).filter((name) => !names.has(name))).toEqual([])
    })

    test('that is unknown is answered with what was probably meant', async () => {
      expect(await failure(world().call('db.efort.start'))).toMatchObject({
        code: 'unknown-method',
        message: expect.stringContaining('db.effort.start'),
      })
      expect(await failure(world().call('toString'))).toMatchObject({
        code: 'unknown-method',
        message: 'No method is called toString.',
      })
    })
  })

  describe('a call with a key', () => {
    test.each(Object.keys(CHANGES))('%s gives the first answer again and happens once', async (name) => {
      const params = { ...(await CHANGES[name]?.(world())), idempotency_key: world().name('key') }
      const first = await world().call(name, params)
      const before = await world().everything()
      const daemon = await askedOfDaemon(world())
      world().advance(1000)
      expect(asSent(await world().call(name, params))).toEqual(asSent(first))
      expect(await world().everything()).toEqual(before)
      expect(asSent(await world().call(name, shuffled(params)))).toEqual(asSent(first))
      expect(await world().everything()).toEqual(before)
      expect(await askedOfDaemon(world())).toBe(daemon)
    })

    test.each(Object.keys(CHANGES))('%s happens once when it is sent three times at once', async (name) => {
      const alone = await CHANGES[name]?.(world())
      const single = await difference(world(), () =>
        world().call(name, { ...alone, idempotency_key: world().name('key') }),
      )
      const params = { ...(await CHANGES[name]?.(world())), idempotency_key: world().name('key') }
      const answers: Answer[] = []
      const triple = await difference(world(), async () => {
        answers.push(...(await Promise.all([1, 2, 3].map(() => world().call(name, params)))))
      })
      expect(answers.map(asSent)).toEqual([1, 2, 3].map(() => asSent(answers[0])))
      expect(triple).toEqual(single)
    })

    const isOther = (name: string) =>
      Object.keys(methodsByName.get(name)?.params.shape ?? {}).some((param) => param !== 'idempotency_key')
    const others = Object.keys(CHANGES).filter(isOther)
    test.each(others)('%s refuses a key that was used for something else', async (name) => {
      const [one, other] = [await CHANGES[name]?.(world()), await CHANGES[name]?.(world())]
      const idempotency_key = world().name('key')
      await world().call(name, { ...one, idempotency_key })
      const before = await world().everything()
      expect(await failure(world().call(name, { ...other, idempotency_key }))).toMatchObject({
        code: 'conflict',
        field: 'idempotency_key',
        message: expect.stringContaining(name),
      })
      expect(await world().everything()).toEqual(before)
    })

    test.each(Object.keys(CHANGES))('%s refuses the key of another method', async (name) => {
      const params = await CHANGES[name]?.(world())
      const heartbeat = name === 'db.session.heartbeat'
      const [other, more] = heartbeat
        ? ['db.agents.register', { id: 'x' }]
        : ['db.session.heartbeat', undefined]
      const idempotency_key = world().name('key')
      await world().call(other, { ...(more ?? { session_id: await session(world()) }), idempotency_key })
      expect(await failure(world().call(name, { ...params, idempotency_key }))).toMatchObject({
        code: 'conflict',
      })
    })

    test('that failed may be sent again with the same key', async () => {
      const params = {
        effort_id: (await world().effort()).id,
        label: '1',
        idempotency_key: world().name('key'),
      }
      await failure(world().call('db.effort.phase', params))
      await world().call('db.effort.phase', { effort_id: params.effort_id, label: '0' })
      await failure(world().call('db.effort.phase', params))
      const proven = { ...params, proof: { mode: 'x' } }
      expect(await world().call('db.effort.phase', proven)).toMatchObject({ entered: true })
    })

    test.each(namesOf('daemon'))('%s happens also where the database does not answer', async (name) => {
      const before = await askedOfDaemon(world())
      const params = { ...(await CHANGES[name]?.(world())), idempotency_key: world().name('key') }
      world().watch.failOn = /idempotency_keys/
      await world()
        .call(name, params)
        .finally(() => (world().watch.failOn = undefined))
      expect(await askedOfDaemon(world())).toBeGreaterThan(before)
    })

    test('that was volatile is known after its state was written', async () => {
      const params = { session_id: await session(world()), idempotency_key: world().name('key') }
      const first = await world().call('db.session.heartbeat', params)
      await world().everything()
      expect(world().store.volatile.isEmpty()).toBe(true)
      expect(await world().call('db.session.heartbeat', params)).toEqual(first)
      expect(await world().call('db.session.find', { session_id: params.session_id })).toMatchObject([
        { heartbeat_counter: 1 },
      ])
    })
  })

  describe('a durable call', () => {
    const durable = namesOf('durable')

    test.each(durable)('%s tells the ledger in the transaction that does it', async (name) => {
      const params = await CHANGES[name]?.(world())
      const seq = await world().lastSeq()
      await world().store.flush()
      world().watch.committed.length = 0
      await world().call(name, params)
      // What earlier calls left in memory may be written in the middle of this one.
      const isBeat = (sql: string) => sql.startsWith('update "sessions" set "heartbeat_counter" =')
      const writing = world().watch.committed.filter((statements) =>
        statements.some((sql) => /^(insert|update|delete)/.test(sql) && !isBeat(sql)),
      )
      expect(writing).toHaveLength(1)
      expect(writing[0]?.some((sql) => sql.startsWith('insert into "life_event"'))).toBe(true)
      const [entry] = await world().since(seq)
      expect(entry?.event_type).toMatch(/^[a-z]+\.[a-z]+$/)
    })

    const tables = [
      ['the ledger', 'life_event'],
      ['its key', 'idempotency_keys'],
    ] as const
    const failures = durable.flatMap((name) => tables.map(([what, table]) => [name, what, table] as const))
    test.each(failures)('%s changes nothing when %s cannot be written', async (name, _, table) => {
      const params = await CHANGES[name]?.(world())
      const before = await world().everything()
      world().watch.failOn = new RegExp(`insert into "${table}"`)
      try {
        const work = world().call(name, { ...params, idempotency_key: world().name('key') })
        await expect(work).rejects.toThrow('made to fail')
      } finally {
        world().watch.failOn = undefined
      }
      expect(await world().everything()).toEqual(before)
    })

    test.each(durable)('%s does not begin after its deadline', async (name) => {
      const params = await CHANGES[name]?.(world())
      const before = await world().everything()
      expect(await failure(world().call(name, params, { deadline: Date.now() - 1 }))).toMatchObject({
        code: 'timeout',
      })
      expect(await world().everything()).toEqual(before)
    })
  })

  test('an answer is the same whichever way it was sent', async () => {
    const path = await file(world())
    expect(await world().call('fs.files.read', { path })).toMatchObject({
      content: readFileSync(path, 'utf8'),
    })
    expect(await world().call('daemon.methods')).toMatchObject(methods.map(({ name }) => ({ name })))
  })
}

/** As it looks at the other end of a wire. */
const asSent = (answer: Answer): unknown => JSON.parse(JSON.stringify(answer ?? null))

const shuffled = (params: Params): Params => Object.fromEntries(Object.entries(params).toReversed())

/** How often the process was asked for something. What ends a daemon waits until its answer is on its way. */
async function askedOfDaemon({ watch }: World): Promise<number> {
  await new Promise((resolve) => void setImmediate(resolve))
  return watch.daemon.length
}

/** By how much a call changes each table, the heartbeats, the one file that it may write, and the daemon. */
async function difference(world: World, work: () => Promise<unknown>): Promise<unknown> {
  const count = async () => {
    const rows = await world.everything()
    const beats = (rows['sessions'] as { heartbeat_counter: unknown }[]).map((row) =>
      Number(row.heartbeat_counter),
    )
    const files = (rows['life_event'] as { event_type: string }[]).filter(
      (row) => row.event_type === 'file.appended',
    )
    return {
      ...Object.fromEntries(Object.entries(rows).map(([table, list]) => [table, list.length])),
      beats: beats.reduce((sum, beat) => sum + beat, 0),
      files: files.length,
      daemon: await askedOfDaemon(world),
    } as Record<string, number>
  }
  const before = await count()
  await work()
  const after = await count()
  return Object.fromEntries(Object.entries(after).map(([name, now]) => [name, now - (before[name] ?? 0)]))
}
