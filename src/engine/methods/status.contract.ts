import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startCommand } from '../../model/task.ts'
import { type Answer, IMPLEMENT, type World, writeFiles } from '../world.contract.ts'

/** A separate project, with a skill of phases and one of steps. */
async function projectIn(world: World) {
  const path = join(world.project, world.name('repo'))
  const step = (name: string) => join(path, '.claude/skills/flow/steps', `${name}.md`)
  const files = {
    [join(path, '.claude/skills/flow/SKILL.md')]:
      '---\nname: flow\ndescription: Flows.\n---\n\nRead the steps.\n',
    [step('look')]: '---\nconsumes: [user-request]\nproduces: [view]\n---\n',
    [step('do')]: '---\nconsumes: [view]\nproduces: [result]\n---\n',
  }
  await writeFiles(files)
  await mkdir(join(path, '.git'))
  const { id } = await world.call('db.project.upsert', { path })
  await world.call('db.skills.upsert', { name: 'implement', project_id: id, phases: IMPLEMENT })
  await world.call('db.task.upsert', { dir_path: path })
  const fire = (event: string, more: object, native: string): Promise<Answer> =>
    world.call('hooks.handle', {
      payload: { session_id: native, cwd: path, hook_event_name: event, ...more },
    })
  const read = async (name: string, native: string) => {
    const call = { tool_name: 'Read', tool_input: { file_path: step(name) }, tool_use_id: world.name('call') }
    const { decision } = await fire('PreToolUse', call, native)
    if (decision === 'allow') await fire('PostToolUse', { ...call, tool_response: {} }, native)
  }
  return { id, path, step, fire, read }
}

/** What users read, on any database. */
export function statusContract(world: () => World): void {
  const status = (params: object) => world().call('db.project.status', params)

  describe('the status of a project', () => {
    test('outside of all projects says how to register one', async () => {
      expect(await status({ path: '/' })).toMatchObject({
        project: null,
        efforts: [],
        next: 'holdfast project upsert /',
      })
    })

    test('in a folder of an unregistered repository suggests to register its root', async () => {
      const root = join(dirname(world().project), world().name('unknown'))
      await mkdir(join(root, '.git'), { recursive: true })
      await mkdir(join(root, 'deep/down'), { recursive: true })
      expect(await status({ path: join(root, 'deep/down') })).toMatchObject({
        project: null,
        next: `holdfast project upsert ${root}`,
      })
      for (const path of ['deep/down', 'deep/nothing/there.md'])
        await expect(
          world().call('agent.directives.discover', { path: join(root, path) }),
        ).rejects.toMatchObject({ code: 'forbidden', hint: `holdfast project upsert ${root}` })
    })

    test('shows the efforts in use if there are more than it can show', async () => {
      const { path, fire } = await projectIn(world())
      const native = world().name('native')
      await fire('SessionStart', { source: 'startup' }, native)
      await fire('UserPromptSubmit', { prompt: '/flow' }, native)
      const wanted = { task_id: path, skill: 'implement' }
      for (let n = 0; n < 12; n++) await world().call('db.effort.start', wanted)
      const { efforts, next, next_effort: whose, efforts_active: active } = await status({ path })
      expect([efforts.length, active]).toEqual([10, 13])
      expect(efforts[0]).toMatchObject({ skill: 'flow' })
      expect(next).toContain('look')
      expect(efforts.map(({ id }: { id: number }) => id)).toContain(whose)
    })

    test('without an active effort says how to start one', async () => {
      const { path, id } = await projectIn(world())
      expect(await status({ path })).toMatchObject({
        project: { id, level: 'enforce' },
        efforts: [],
        efforts_active: 0,
        sessions_open: 0,
        queue_open: 0,
        next: startCommand('implement', path),
      })
    })

    test('never suggests a task in the root or in a folder that is no task', async () => {
      const { path } = await projectIn(world())
      const dir = join(path, 'tasks/login')
      await world().call('db.task.upsert', { dir_path: dir })
      expect((await status({ path: join(path, '.claude') })).next).toBe(startCommand('implement', path))
      expect((await status({ path: dir })).next).toBe(`holdfast effort start ${dir} implement`)
    })

    test('shows the position of each effort, and the exact next action', async () => {
      const { path, step, fire, read } = await projectIn(world())
      const native = world().name('native')
      await fire('SessionStart', { source: 'startup' }, native)
      await fire('UserPromptSubmit', { prompt: '/flow' }, native)
      const efforts = async () => (await status({ path })).efforts as Answer[]
      expect(await efforts()).toMatchObject([
        { status: '[flow]', position: 'not started', next: `read ${step('look')}`, refusals: 0 },
      ])
      await read('do', native)
      await read('look', native)
      expect(await status({ path: join(path, '.claude') })).toMatchObject({
        efforts: [
          {
            status: '[flow:look]',
            position: '0 of 2 steps done, started: look',
            next: `read ${step('do')}`,
            refusals: 1,
            session: { native_id: native },
          },
        ],
        sessions: [{ native_id: native }],
        next: `read ${step('do')}`,
      })
      await read('do', native)
      const [done] = await efforts()
      expect(done).toMatchObject({ status: '[flow:do]', next: `holdfast step done do --effort ${done.id}` })
    })

    test('shows the phases of every notation', async () => {
      const { path } = await projectIn(world())
      const { id } = await world().call('db.effort.start', { task_id: path, skill: 'implement' })
      expect((await status({ path })).next).toBe(`holdfast step go '0: Setup' --effort ${id}`)
      await world().call('db.effort.phase', { effort_id: id, label: '0' })
      expect((await status({ path })).efforts).toMatchObject([
        {
          status: '[implement:P0]',
          position: '0: Setup',
          next: `holdfast step go '1: Planning' --effort ${id} --proof '{"mode":"____"}'`,
        },
      ])
      const other = await world().effort({ task_id: path, skill: 'unheard-of' })
      expect((await status({ path })).efforts[0]).toMatchObject({
        next: `holdfast recap --effort ${other.id}`,
      })
    })

    test('puts efforts in use first, and counts only refusals of open sessions', async () => {
      const { path, fire, read } = await projectIn(world())
      const native = world().name('native')
      await fire('SessionStart', { source: 'startup' }, native)
      await fire('UserPromptSubmit', { prompt: '/flow' }, native)
      await read('do', native)
      await world().call('db.effort.start', { task_id: path, skill: 'implement' })
      expect((await status({ path })).next).toMatch(/^read .*look\.md$/)
      world().advance(5000)
      await fire('SessionStart', { source: 'resume' }, native)
      const flow = (await status({ path })).efforts.find(({ skill }: Answer) => skill === 'flow')
      expect(flow.refusals).toBe(0)
    })

    test('counts every refusal of the open sessions, as the ledger has them, and no other', async () => {
      const { path, fire, read } = await projectIn(world())
      const natives = [world().name('native'), world().name('native'), world().name('native')] as const
      const refused = async () => {
        const rows = await world().opened.look(
          `select l.effort_id from life_event l join sessions s on s.id = l.window_id where l.event_type like '%.refused' and s.ended_at is null and s.native_id in ('${natives.join("','")}')`,
        )
        return rows.length
      }
      for (const native of natives) {
        await fire('SessionStart', { source: 'startup' }, native)
        await fire('UserPromptSubmit', { prompt: '/flow' }, native)
        await read('do', native)
      }
      await read('do', natives[1])
      await fire('SessionEnd', { reason: 'other' }, natives[0])
      const gated = { path, on: true }
      await world().call('db.project.setSessionGate', gated)
      const bare = world().name('native')
      await fire('SessionStart', { source: 'startup' }, bare)
      const write = { tool_name: 'Write', tool_input: { file_path: join(path, 'a.ts'), content: '' } }
      await fire('PreToolUse', write, bare)
      const { efforts, refusals } = await status({ path })
      expect(efforts.map((effort: Answer) => effort.refusals).toSorted()).toEqual([0, 1, 2])
      expect(refusals).toBe((await refused()) + 1)
    })

    test('counts no refusal of an effort without an open session', async () => {
      const { path, fire, read } = await projectIn(world())
      const native = world().name('native')
      await fire('SessionStart', { source: 'startup' }, native)
      await fire('UserPromptSubmit', { prompt: '/flow' }, native)
      await read('do', native)
      await fire('SessionEnd', { reason: 'exit' }, native)
      expect((await status({ path })).efforts).toMatchObject([{ session: null, refusals: 0 }])
    })

    test('fits one screen, however much there is, and counts the rest', async () => {
      const { path } = await projectIn(world())
      for (let index = 0; index < 12; index++) {
        await world().effort({ task_id: path, skill: `s${index}` })
        await world().call('db.session.start', { task_id: path, native_id: world().name('native') })
      }
      await world().call('queue.add', { path, content: 'x' })
      const found = await status({ path })
      expect(found).toMatchObject({ efforts_active: 12, sessions_open: 12, queue_open: 1 })
      expect([found.efforts.length, found.sessions.length]).toEqual([10, 10])
      expect((await status({ path, limit: 3 })).efforts).toHaveLength(3)
    })

    test('shows nothing of other projects', async () => {
      const [one, other] = [await projectIn(world()), await projectIn(world())]
      await world().call('db.session.start', { task_id: other.path })
      await world().effort({ task_id: other.path, skill: 'flow' })
      expect(await status({ path: one.path })).toMatchObject({ efforts_active: 0, sessions_open: 0 })
    })
  })

  describe('the fleet', () => {
    const entries = async () => (await world().call('fleet.list', { limit: 1000 })) as Answer[]

    test('lists every agent with its effort and its session', async () => {
      const [idle, busy] = [await world().agent(), await world().agent()]
      const effort = await world().effort({ agent_id: busy })
      const session = await world().call('db.session.start', {
        task_id: effort.task_id,
        effort_id: effort.id,
      })
      await world().call('db.session.heartbeat', { session_id: session.id })
      const of = async (agent: string) => (await entries()).find((entry) => entry.agent?.id === agent)
      expect(await of(busy)).toMatchObject({
        effort: { id: effort.id, status: '[implement]', position: 'not started' },
        session: { id: session.id, heartbeat_counter: 1 },
      })
      expect(await of(idle)).toMatchObject({ effort: null, session: null })
    })

    test('lists every session without an agent once', async () => {
      const task_id = await world().task()
      const session = await world().call('db.session.start', { task_id, native_id: world().name('native') })
      const served = await world().effort({ task_id })
      const at = await world().call('db.session.start', { task_id, effort_id: served.id })
      const of = async (id: number) => (await entries()).filter((entry) => entry.session?.id === id)
      expect(await of(session.id)).toMatchObject([{ agent: null, effort: null }])
      expect(await of(at.id)).toMatchObject([{ agent: null, effort: { id: served.id } }])
      await world().call('db.session.finish', { session_id: session.id })
      expect(await of(session.id)).toEqual([])
    })

    test('shows no finished effort, with and without an agent', async () => {
      const [agent, task_id] = [await world().agent(), await world().task()]
      const [owned, loose] = [
        await world().effort({ agent_id: agent, task_id }),
        await world().effort({ task_id, skill: 'other' }),
      ]
      const session = await world().call('db.session.start', { task_id, effort_id: loose.id })
      const mine = async () =>
        (await entries())
          .filter((entry) => entry.agent?.id === agent || entry.session?.id === session.id)
          .map(({ effort }) => effort?.id ?? null)
      expect(await mine()).toEqual([owned.id, loose.id])
      for (const { id } of [owned, loose])
        await world().call('db.effort.finish', { effort_id: id, abandon: 'no longer needed' })
      expect(await mine()).toEqual([null, null])
    })
  })
}
