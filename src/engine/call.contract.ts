import { mkdir, writeFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EngineError } from '../model/error.ts'
import { clientAt, skillOf } from './client.contract.ts'
import { resetHeartbeat } from '../store/session.ts'
import { effortToProve } from './evidence.contract.ts'
import { completeRun } from './skill-run.contract.ts'
import { methods } from './index.ts'
import { type Answer, failure, type Params, type World } from './world.contract.ts'

type Sample = (world: World) => Promise<Params> | Params

/** For every method that changes something, a call that does; made anew each time. */
const CHANGES: Readonly<Record<string, Sample>> = {
  async 'db.project.upsert'({ project, name }) {
    const path = join(project, name('folder'))
    await mkdir(path)
    return { path }
  },
  async 'db.project.setLevel'(world) {
    const path = join(world.project, world.name('folder'))
    await mkdir(path)
    await world.call('db.project.upsert', { path })
    return { path, level: 'strict' }
  },
  async 'db.project.setSessionGate'(world) {
    const path = join(world.project, world.name('folder'))
    await mkdir(path)
    await world.call('db.project.upsert', { path })
    return { path, on: true }
  },
  'db.task.upsert': ({ project, name }) => ({ dir_path: join(project, name('task')), title: 'T' }),
  'db.effort.start': async (world) => ({
    task_id: await world.task(),
    skill: 'implement',
    agent_id: await world.agent(),
    metadata: { a: [1, { b: null }] },
  }),
  'db.effort.finish': async (world) => ({
    effort_id: (await world.effort({ agent_id: await world.agent() })).id,
    keywords: world.name('word'),
  }),
  'db.effort.phase': async (world) => ({
    effort_id: (await world.effort()).id,
    label: '2',
    reason: 'why not',
    proof: { a: false },
  }),
  'artifact.put': async (world) => ({
    effort_id: (await world.effort()).id,
    name: 'plan',
    step: 'x',
    path: await file(world),
    evidence: { a: [1, { b: null }] },
  }),
  'evidence.begin': async (world) => ({ effort_id: (await effortToProve(world)).id, name: 'tests' }),
  async 'evidence.finish'(world) {
    const { id } = await effortToProve(world)
    const { token } = await world.call('evidence.begin', { effort_id: id, name: 'tests' })
    return { token, exit_code: 0, duration_ms: 12, tail: 'ok' }
  },
  'db.effort.dehydrate': async (world) => ({
    effort_id: (await world.effort()).id,
    payload: { summary: 'S', nextSteps: ['a'], requiredFiles: '/f' },
  }),
  async 'db.effort.tick'(world) {
    const it = await clientAt(world)
    await it.add('asking', {
      ...skillOf('asking', { one: 'consumes: [user-request]\nproduces: [a]' }),
      'SKILL.md': '---\nname: asking\ndescription: Asks.\nrequired_todos: [look around]\n---\n\nDo it.\n',
    })
    await it.start()
    await it.prompt('/asking')
    return { effort_id: (await it.efforts())[0]?.id, item: 'Look around!' }
  },
  'db.effort.approve': async (world) => ({
    effort_id: (await world.effort()).id,
    subject: '2',
    reason: 'why not',
  }),
  'pipeline.start': async (world) => {
    const task_id = await world.task()
    return { task_id, skill: await pipelineSkill(world), args: 'a' }
  },
  'pipeline.next': async (world) => ({ effort_id: await pipeline(world) }),
  'pipeline.continue': async (world) => {
    const task_id = await world.task()
    await world.call('pipeline.start', { task_id, skill: await pipelineSkill(world) })
    return { task_id }
  },
  'pipeline.done': async (world) => {
    const effort_id = await pipeline(world)
    await world.call('pipeline.next', { effort_id })
    return { effort_id, step: 'a', verified: 'seen' }
  },
  'pipeline.fail': async (world) => {
    const effort_id = await pipeline(world)
    await world.call('pipeline.next', { effort_id })
    return { effort_id, step: 'a', reason: 'it broke' }
  },
  'db.session.start': async (world) => ({ task_id: await world.task(), native_id: world.name('native') }),
  'db.session.finish': async (world) => ({ session_id: await session(world), dehydration_payload: { a: 1 } }),
  'db.session.heartbeat': async (world) => ({ session_id: await session(world) }),
  'db.session.updateContextUsage': async (world) => ({ session_id: await session(world), usage: 0.5 }),
  async 'db.session.markStale'(world) {
    // The clock is everybody's here, so the session is put into the past instead.
    const id = await session(world)
    await world.store.transact((tx) => resetHeartbeat(tx, { id, now: '2020-01-01T00:00:00.000Z' }))
    return { limit: id }
  },
  'db.session.updateLoadedFiles': async (world) => ({
    session_id: await session(world),
    files: [world.name('/file')],
  }),
  'db.skills.upsert': (world) => ({
    name: world.name('skill'),
    project_id: world.projectId,
    modes: { a: 1 },
  }),
  async 'db.skills.delete'(world) {
    const skill = { name: world.name('skill'), project_id: world.projectId }
    await world.call('db.skills.upsert', skill)
    return skill
  },
  'db.messages.append': async (world) => ({ session_id: await session(world), role: 'user', content: 'hi' }),
  'db.agents.register': (world) => ({ id: world.name('agent'), label: 'L', claims: ['a'] }),
  'db.agents.claim': async (world) => ({
    agent_id: await world.agent(),
    effort_id: (await world.effort()).id,
  }),
  async 'db.agents.release'(world) {
    const agent_id = await world.agent()
    return { agent_id, effort_id: (await world.effort({ agent_id })).id }
  },
  'queue.add': async (world) => ({
    content: 'Look',
    kind: 'question',
    effort_id: (await world.effort()).id,
  }),
  'run.publish': async (world) => ({ run: await completeRun(world) }),
  'run.log': async (world) => ({ run: await completeRun(world), text: 'Halfway', phase: 'look' }),
  async 'queue.resolve'(world) {
    const { id } = await world.call('queue.add', { content: 'Look', project_id: world.projectId })
    return { id, resolution: 'Seen' }
  },
  ...Object.fromEntries(
    methods
      .filter(({ name }) => name.startsWith('hooks.'))
      .map(({ name }) => [name, (world: World) => ({ payload: hookPayload(world) })]),
  ),
  async 'statusline.show'(world) {
    const session_id = world.name('native')
    await world.call('db.session.start', { task_id: await world.task(), native_id: session_id })
    return { payload: { session_id, context_window: { used_percentage: 62, context_window_size: 200_000 } } }
  },
  'commands.effort.start': async (world) => ({
    dir: await world.task(),
    skill: 'implement',
    native_id: world.name('native'),
    agent_id: await world.agent(),
    metadata: { taskSummary: 'Let users in' },
    user_approved: 'why not',
  }),
  async 'commands.session.continue'(world) {
    const agent_id = await world.agent()
    const { id: effort_id, task_id } = await world.effort({ agent_id })
    const { id: session_id } = await world.call('db.session.start', { task_id, effort_id })
    await world.call('db.session.finish', { session_id, dehydration_payload: { requiredFiles: ['a.md'] } })
    return { agent_id, native_id: world.name('native') }
  },
  'commands.log.append': async (world) => ({ effort_id: (await world.effort()).id, text: 'Done' }),
  'fs.files.append': ({ project, name }) => ({ path: join(project, name('file')), content: 'text\n' }),
}

/** And for every other one, a call that succeeds. */
const READS: Readonly<Record<string, Sample>> = {
  'db.project.list': () => ({}),
  'db.task.find': () => ({ query: 'task', workspace: 'w', limit: 1, offset: 1 }),
  'db.task.list': ({ projectId }) => ({ project: projectId, active: true, limit: 1 }),
  'db.effort.list': async (world) => ({ task_id: await world.task(), ad_hoc: true }),
  'db.effort.get': async (world) => ({ effort_id: (await world.effort()).id }),
  'db.effort.findActive': ({ projectId }) => ({ project_id: projectId, skill: 's', agent_id: 'a', limit: 1 }),
  'db.effort.validate': async (world) => ({ effort_id: (await world.effort()).id }),
  'artifact.list': async (world) => ({ effort_id: (await world.effort()).id }),
  'db.effort.recap': async (world) => ({ effort_id: (await world.effort()).id, budget: 100 }),
  'db.project.status': ({ project }) => ({ path: project, limit: 1 }),
  'fleet.list': () => ({ limit: 1 }),
  'run.list': ({ project }) => ({ path: project, skill: 's', effort_id: 1, limit: 1 }),
  'run.show': async (world) => ({ run: await completeRun(world) }),
  'queue.list': ({ projectId }) => ({ project_id: projectId, kind: 'k', resolved: true, limit: 1 }),
  'pipeline.status': async (world) => ({ effort_id: await pipeline(world) }),
  'db.session.find': () => ({ open: true, silent_for_seconds: 5, native_id: 'n', limit: 1 }),
  'db.skills.get': ({ projectId }) => ({ name: 'implement', project_id: projectId }),
  'db.skills.list': ({ projectId }) => ({ project_id: projectId }),
  'db.skills.find': ({ projectId }) => ({ query: 'impl', project_id: projectId, limit: 1 }),
  'agent.skills.list': ({ projectId }) => ({ project_id: projectId }),
  'agent.skills.parse': async (world) => ({ path: await skillFolder(world) }),
  'db.messages.list': async (world) => ({ session_id: await session(world), limit: 1, offset: 0 }),
  'db.agents.get': async (world) => ({ id: await world.agent() }),
  'db.agents.list': () => ({}),
  'agent.directives.discover': ({ project }) => ({ path: project, types: ['TESTING'], skill: 'implement' }),
  'agent.directives.dereference': ({ project }) => ({ path: project, text: 'See §CMD_X.', depth: 1 }),
  'agent.directives.resolve': async (world) => ({ name: await command(world), path: world.project }),
  'fs.files.read': async (world) => ({ path: await file(world), offset: 0, limit: 10 }),
  'fs.paths.resolve': async (world) => ({ path: await file(world) }),
  'ledger.list': () => ({ event_type: 'task.created', after: 0, before: 10, limit: 1 }),
  'ledger.subscribe': () => ({ event_type: 'none', after: 0 }),
  'span.list': () => ({ session_id: 's', effort_id: 1, skill: 's', status: 'active', limit: 1 }),
  'span.tree': () => ({ session_id: 's', limit: 1 }),
  'daemon.canary': () => ({ session: 'holdfast-canary-1' }),
  'daemon.ping': () => ({}),
  'daemon.status': () => ({}),
  'daemon.methods': () => ({}),
  'daemon.stop': () => ({}),
  'daemon.handOver': () => ({ node: '/usr/bin/node', entry: '/holdfast.js' }),
  'daemon.rotateToken': () => ({}),
}

/** Each time another session, so that each time something is stored. */
const hookPayload = ({ project, name }: World) => ({
  hook_event_name: 'SessionStart',
  source: 'startup',
  session_id: name('native'),
  cwd: project,
})

async function session(world: World): Promise<number> {
  return (await world.call('db.session.start', { task_id: await world.task() })).id
}

/** A pipeline that has begun. */
async function pipeline(world: World): Promise<number> {
  const params = { task_id: await world.task(), skill: await pipelineSkill(world) }
  return (await world.call('pipeline.start', params)).effort_id
}

async function pipelineSkill({ project, name }: World): Promise<string> {
  const skill = name('pipeline')
  const folder = join(project, '.claude', 'skills', skill)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'SKILL.md'), `---\nname: ${skill}\ndescription: Runs.\n---\n`)
  await writeFile(join(folder, 'holdfast.yaml'), 'pipeline: [{id: a, prompt: do a}, {id: b, prompt: do b}]\n')
  return skill
}

async function skillFolder({ project, name }: World): Promise<string> {
  const folder = join(project, name('skill'))
  await mkdir(folder)
  await writeFile(join(folder, 'SKILL.md'), 'Do it.')
  return folder
}

async function file(world: World): Promise<string> {
  const path = join(world.project, world.name('file'))
  await world.call('fs.files.append', { path, content: 'text\n' })
  return path
}

async function command({ project, name }: World): Promise<string> {
  const folder = join(project, '.directives', 'commands')
  await mkdir(folder, { recursive: true })
  const reference = `CMD_${name('sample').toUpperCase().replace('-', '_')}`
  await writeFile(join(folder, `${reference}.md`), 'Do it.\n')
  return reference
}

const RUNS = Math.ceil(Number(process.env['HOLDFAST_RUNS'] ?? 1) * 300)

/** What is true of every call, whatever its method. */
export function callContract(world: () => World): void {
  const namesOf = (...effects: string[]) =>
    methods.filter(({ effect }) => effects.includes(effect)).map(({ name }) => name)

  describe('every method', () => {
    test('is called here, has a name of its own and says what it does', () => {
      expect(Object.keys(CHANGES).toSorted()).toEqual(namesOf('durable', 'volatile', 'effect').toSorted())
      expect(Object.keys(READS).toSorted()).toEqual(namesOf('read', 'none').toSorted())
      expect(new Set(methods.map(({ name }) => name)).size).toBe(methods.length)
      for (const { summary } of methods) expect(summary).toMatch(/^[A-Z].*\.$/)
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

  describe('a call that only looks', () => {
    test.each(Object.keys(READS))('%s changes nothing', async (name) => {
      const params = await READS[name]?.(world())
      const before = await world().everything()
      const gone = new AbortController()
      await world().call(name, params, { gone: gone.signal })
      gone.abort()
      expect(await world().everything()).toEqual(before)
    })
  })

  describe('a call with a key', () => {
    test.each(Object.keys(CHANGES))('%s gives the first answer again and happens once', async (name) => {
      const params = { ...(await CHANGES[name]?.(world())), idempotency_key: world().name('key') }
      const first = await world().call(name, params)
      const before = await world().everything()
      world().advance(1000)
      expect(asSent(await world().call(name, params))).toEqual(asSent(first))
      expect(await world().everything()).toEqual(before)
      expect(asSent(await world().call(name, shuffled(params)))).toEqual(asSent(first))
      expect(await world().everything()).toEqual(before)
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

    test.each(Object.keys(CHANGES))('%s refuses a key that was used for something else', async (name) => {
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

  describe('parameters', () => {
    const all = Object.entries({ ...CHANGES, ...READS })

    test.each(all)('of %s: an unknown one is named, with what was meant', async (name, sample) => {
      const params = await sample(world())
      const [known] = Object.keys(params)
      const wrong = known === undefined ? 'x' : `${known}s`
      const refused = await failure(world().call(name, { ...params, [wrong]: 1 }))
      expect(refused).toMatchObject({
        code: 'invalid',
        field: wrong,
        hint: `holdfast rpc --describe ${name}`,
      })
      expect(refused.message).toContain(name)
      expect(refused.message).toContain(known === undefined ? 'x' : `did you mean ${known}?`)
    })

    test.each(all)('of %s: one that is missing is named', async (name, sample) => {
      const params = await sample(world())
      const shape = methods.find((method) => method.name === name)?.params.shape ?? {}
      for (const [field, schema] of Object.entries(shape)) {
        if ((schema as { safeParse(value: unknown): { success: boolean } }).safeParse(undefined).success)
          continue
        const { [field]: _, ...rest } = params
        expect(await failure(world().call(name, rest))).toMatchObject({ code: 'invalid', field })
      }
    })

    test.each([[null], [1], ['x'], [[]], [[1]]])('that are %j are no parameters', async (params) => {
      const work = world().call('db.agents.get', params)
      expect(await failure(work)).toMatchObject({ code: 'invalid' })
    })

    test.each([
      ['db.effort.start', {}, 'task_id is missing.'],
      ['db.messages.append', { session_id: 1, content: '' }, 'role is missing.'],
      ['db.task.list', { limit: 'x' }, 'limit must be a number, not a text.'],
      ['db.task.list', { limit: null }, 'limit must be a number, not nothing.'],
      ['db.task.list', { limit: [] }, 'limit must be a number, not a list.'],
      ['db.task.list', { limit: 1.5 }, 'limit must be a whole number.'],
      ['db.task.list', { limit: 0 }, 'limit must be at least 1.'],
      ['db.task.list', { limit: 1001 }, 'limit must be at most 1000.'],
      ['db.task.list', { active: 'yes' }, 'active must be true or false, not a text.'],
      ['db.task.list', { project: null }, 'project must be the id or the folder of a project.'],
      ['db.effort.get', { effort_id: 0 }, 'effort_id must be more than 0.'],
      ['db.effort.get', { effort_id: true }, 'effort_id must be a number, not true.'],
      ['db.effort.get', { effort_id: 2 ** 53 }, 'effort_id must be at most 9007199254740991.'],
      ['db.agents.get', { id: {} }, 'id must be a text, not an object.'],
      ['db.agents.get', { id: ' ' }, 'id must not be empty.'],
      ['db.agents.get', { id: 'x'.repeat(201) }, 'id must have at most 200 characters.'],
      ['db.agents.get', { id: 'a\u0007' }, 'id holds a control character.'],
      ['db.agents.get', { id: 1, ids: 1 }, 'id must be a text, not a number.'],
      ['db.agents.get', { id: 'a', zzzzzz: 1 }, 'there is no parameter zzzzzz.'],
      ['db.agents.get', { id: 'a', di: 1 }, 'there is no parameter di; did you mean id?'],
      ['db.agents.get', [], 'the parameters must be an object.'],
      ['db.agents.register', { id: 'a', claims: ['b', 'c\0'] }, 'claims.1 holds a control character.'],
      ['db.project.upsert', { path: 'a' }, 'path must be an absolute path.'],
      ['db.session.updateLoadedFiles', { session_id: 1, files: {} }, 'files must be a list, not an object.'],
      [
        'db.session.updateLoadedFiles',
        { session_id: 1, files: Array.from({ length: 1001 }, () => 'a') },
        'files must have at most 1000 entries.',
      ],
      [
        'db.messages.append',
        { session_id: 1, content: '', role: 'x' },
        'role must be user, assistant, system or tool.',
      ],
      [
        'db.skills.get',
        { project_id: 1, name: 'a b' },
        'name must be a skill name such as brainstorm or plugin:brainstorm.',
      ],
      ['db.skills.upsert', { project_id: 1, name: 'a', phases: [{}] }, 'phases.0.label is missing.'],
    ])('of %s are refused in our words, as in: $2', async (name, params, sentence) => {
      expect(await failure(world().call(name, params))).toMatchObject({
        code: 'invalid',
        message: `${name}: ${sentence}`,
        hint: `holdfast rpc --describe ${name}`,
      })
    })

    test.each([0x00, 0x1f, 0x7f, 0x9f, 0x202a, 0x202e, 0x2066, 0x2069])(
      'hold no character %i, which changes what a terminal shows',
      async (control) => {
        const text = `/a${String.fromCodePoint(control)}b`
        for (const [name, field] of [
          ['db.agents.get', 'id'],
          ['db.project.upsert', 'path'],
          ['db.agents.register', 'idempotency_key'],
        ] as const)
          expect(
            await failure(world().call(name, { ...(field !== 'path' && { id: 'x' }), [field]: text })),
          ).toMatchObject({
            code: 'invalid',
            field,
            message: `${name}: ${field} holds a control character.`,
          })
        const { id } = await world().call('db.agents.register', { id: 'ünï – 日本' })
        expect(id).toBe('ünï – 日本')
      },
    )

    // Defect 35 of the originals: a validator that refused nothing went unnoticed.
    test.each(all)('of %s: what others trip over is a mistake of the caller', async (name, sample) => {
      const good = await sample(world())
      for (const field of fieldsOf(name)) {
        let refused = 0
        for (const value of NASTY) {
          const named = await mistake(world(), name, { ...good, [field]: value })
          expect(named ?? field).toBe(field)
          if (named !== undefined) refused++
        }
        expect(refused > 0, `${name} takes anything as ${field}`).toBe(!isTheirs(name, field))
      }
    })

    test('of any kind are at worst a mistake of the caller', async () => {
      const samples = new Map<string, Params>()
      for (const [name, sample] of all) samples.set(name, await sample(world()))
      const wrongs = fc.tuple(fc.constantFrom(...samples.keys()), fc.nat(), anything())
      await fc.assert(
        fc.asyncProperty(wrongs, async ([name, place, value]) => {
          const fields = fieldsOf(name)
          const field = fields[place % fields.length]
          const params = field === undefined ? value : { ...samples.get(name), [field]: value }
          const named = await mistake(world(), name, params)
          expect(field === undefined ? named : (named ?? field)).toBe(field ?? named)
        }),
        { numRuns: RUNS },
      )
      // What was stored of it can still be read.
      await world().everything()
      await world().call('db.task.list', { limit: 1000 })
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

const fieldsOf = (name: string) =>
  Object.keys(methods.find((method) => method.name === name)?.params.shape ?? {})

/** The field that a call is refused for as invalid, if it is; anything but a caller's mistake fails the test. */
async function mistake(world: World, name: string, params: unknown): Promise<string | undefined> {
  const gone = new AbortController()
  const error: unknown = await world.call(name, params, { gone: gone.signal }).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  gone.abort()
  if (error === undefined) return undefined
  if (!(error instanceof EngineError)) throw new Error(`${name} ${JSON.stringify(params)}`, { cause: error })
  expect(['invalid', 'not-found', 'conflict', 'refused', 'forbidden']).toContain(error.code)
  return error.code === 'invalid' ? error.field?.split('.')[0] : undefined
}

/** What a client reports is for its adapter to understand, and never refused. */
const isTheirs = (name: string, field: string) =>
  (name.startsWith('hooks.') || name === 'statusline.show') && field === 'payload'

/** What databases, languages and file systems trip over. */
const NASTY: readonly unknown[] = [
  null,
  true,
  '',
  ' ',
  '\0',
  'a\0b',
  '/a\0b',
  '1: \0',
  '\ud800',
  '/\u0007',
  '/',
  '/..',
  '__proto__',
  `'; drop table x; --`,
  '%\\_',
  'x'.repeat(300),
  `/${'x'.repeat(4000)}`,
  'é'.repeat(200_000),
  -0,
  -1,
  0.5,
  2 ** 31,
  2 ** 53 - 1,
  2 ** 53,
  1e300,
  JSON.parse('{"__proto__": 1}'),
  { toString: 1, valueOf: 1 },
  { '\0': '\0' },
  [],
  ['\0'],
  [{ label: '1' }, { label: '1' }],
  [{ label: '1', name: '\0' }],
  [{ label: '9'.repeat(400) }, { label: '8'.repeat(400) }],
  [{ major: { toString: 1 } }],
]

/** JSON of every kind. */
function anything(): fc.Arbitrary<unknown> {
  const text = fc.string({ unit: 'binary' })
  const json = fc.jsonValue({ maxDepth: 3 })
  const nasty = fc.constantFrom(...NASTY)
  return fc.oneof(text, fc.double(), fc.integer(), json, nasty, fc.array(nasty), fc.dictionary(text, nasty))
}

/** As it looks at the other end of a wire. */
const asSent = (answer: Answer): unknown => JSON.parse(JSON.stringify(answer ?? null))

const shuffled = (params: Params): Params => Object.fromEntries(Object.entries(params).toReversed())

/** By how much a call changes each table, the heartbeats and the one file that it may write. */
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
    } as Record<string, number>
  }
  const before = await count()
  await work()
  const after = await count()
  return Object.fromEntries(Object.entries(after).map(([name, now]) => [name, now - (before[name] ?? 0)]))
}
