import { existsSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { STALE_AFTER_SECONDS } from '../model/session.ts'
import { type Answer, failure, type World } from './world.contract.ts'

const PHASES = JSON.stringify({
  phases: [
    { label: '0', name: 'Setup', steps: ['§CMD_A'], commands: ['§CMD_B'], proof: ['mode'], gate: false },
    { label: '1', name: 'Work', proof: [] },
  ],
  modes: { tdd: { label: 'TDD' }, general: { label: 'General' } },
  nextSkills: ['/test', '/document'],
  directives: ['TESTING.md'],
})

const SKILLS: Readonly<Record<string, string>> = {
  implement: `---\nname: implement\ndescription: Builds.\n---\n\n\`\`\`json\n${PHASES}\n\`\`\`\n`,
  brainstorm: `---\nname: brainstorm\ndescription: Thinks.\n---\n\n## Phase 1: Talk\n\n## Phase 2: Write\n`,
}

/** A repository with skills that nobody has registered, and a client that may work in it. */
export async function repository(world: World) {
  const project = join(world.project, world.name('repo'))
  await mkdir(join(project, '.git'), { recursive: true })
  const put = async (path: string, text: string) => {
    await mkdir(dirname(join(project, path)), { recursive: true })
    await writeFile(join(project, path), text)
    return join(project, path)
  }
  for (const [name, text] of Object.entries(SKILLS)) await put(`.claude/skills/${name}/SKILL.md`, text)
  const dir = join(project, 'tasks', 'login')
  const native = world.name('native')
  const start = (more: object = {}): Promise<Answer> =>
    world.call('commands.effort.start', { dir, skill: 'implement', ...more })
  const hook = (event: string, more: object = {}): Promise<Answer> =>
    world.call('hooks.handle', {
      payload: { session_id: native, cwd: project, hook_event_name: event, ...more },
    })
  const go = (more: object = {}): Promise<Answer> => world.call('commands.session.continue', { dir, ...more })
  const log = (text: string, more: object = {}): Promise<Answer> =>
    world.call('commands.log.append', { dir, text, ...more })
  return { project, dir, native, put, start, hook, go, log }
}

const silence = (world: World) => world.advance((STALE_AFTER_SECONDS + 1) * 1000)

/** What the compound commands promise, on any database. */
export function commandsContract(world: () => World): void {
  const events = async (seq: number) => (await world().since(seq)).map(({ event_type }) => event_type)
  const sessionOf = async (id: number): Promise<Answer> =>
    (await world().call('db.session.find', { session_id: id }))[0]

  describe('starting an effort', () => {
    test('in a folder that nobody knows registers its repository, its skills and the task', async () => {
      const { project, dir, native, start } = await repository(world())
      const seq = await world().lastSeq()
      const started = await start({ native_id: native, client: 'claude-code', title: 'Login' })
      expect(started).toMatchObject({ task_id: dir, ordinal: 1, skill: 'implement', resumed: false })
      expect(started.session).toMatchObject({ native_id: native, effort_id: started.id, task_id: dir })
      expect(existsSync(dir)).toBe(true)
      expect(await events(seq)).toEqual([
        'project.registered',
        'skill.changed',
        'skill.changed',
        'task.created',
        'effort.started',
        'session.started',
        'span.opened',
      ])
      const projects: Answer[] = await world().call('db.project.list')
      expect(projects.map(({ path }) => path)).toContain(project)
    })

    test('tells what its agent must know, in order', async () => {
      const { dir, project, put, start } = await repository(world())
      const agents = await put('AGENTS.md', 'x')
      const testing = await put('src/web/.directives/TESTING.md', 'x')
      const first = await start({ skill: 'brainstorm' })
      await world().call('db.effort.finish', { effort_id: first.id })
      const debrief = await put('tasks/login/1_BRAINSTORM.md', 'Thought.')
      const started = await start({
        metadata: { taskSummary: 'Let users in', directoriesOfInterest: ['src/web', '../..', '/etc'] },
      })
      expect(started).toMatchObject({
        ordinal: 2,
        artifact_prefix: '2_IMPLEMENT',
        log: join(dir, '2_IMPLEMENT_LOG.md'),
        metadata: { taskSummary: 'Let users in' },
        next_phases: ['0: Setup'],
        next_skills: ['/test', '/document'],
        artifacts: [debrief],
        prior_efforts: [{ ordinal: 1, skill: 'brainstorm', lifecycle: 'finished', debrief }],
      })
      expect(started.directives.map(({ path }: Answer) => path)).toEqual([agents, testing])
      const { markdown } = started
      const titles = [...markdown.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
      expect(titles).toEqual(
        ['PRIOR_EFFORTS', 'DIRECTIVES', 'SESSION_ARTIFACTS', 'NEXT_SKILLS'].map((name) => `SRC_${name}`),
      )
      expect(markdown).toContain(`1 brainstorm, finished: ${debrief}`)
      expect(markdown).toContain(`${testing} [soft]`)
      expect(markdown).toContain(`holdfast effort phase ${started.id} '0: Setup'`)
      expect(markdown).toContain('Steps: §CMD_A')
      // A false that is declared is said.
      expect(markdown).toContain('Gate: false')
      const [task] = await world().call('db.task.find', { query: 'let users in', project })
      expect(task).toMatchObject({ dir_path: dir })
    })

    test('resumes the active effort of the same skill, with what is new of it', async () => {
      const { start } = await repository(world())
      const first = await start({ metadata: { a: 1 } })
      const seq = await world().lastSeq()
      const again = await start({ metadata: { b: 2 }, mode: 'tdd' })
      expect(again).toMatchObject({ id: first.id, resumed: true, mode: 'tdd', metadata: { a: 1, b: 2 } })
      expect(again.markdown).toMatch(/^Effort resumed: /)
      expect(await events(seq)).toEqual(['effort.resumed'])
      const other = await start({ skill: 'brainstorm' })
      expect(other).toMatchObject({ ordinal: 2, resumed: false })
      expect((await start()).id).toBe(first.id)
    })

    // Defect 7 of the originals.
    test('never resumes a finished effort', async () => {
      const { start } = await repository(world())
      const first = await start()
      await world().call('db.effort.finish', { effort_id: first.id })
      expect(await start()).toMatchObject({ ordinal: 2, resumed: false })
    })

    test('leaves an effort to the session that is at it, until that has gone silent', async () => {
      const { native, start } = await repository(world())
      const first = await start({ native_id: native })
      const other = world().name('native')
      const second = await start({ native_id: other })
      expect(second).toMatchObject({ ordinal: 2, resumed: false })
      expect((await start({ native_id: native })).id).toBe(first.id)
      silence(world())
      await world().call('db.session.heartbeat', { session_id: second.session.id })
      await world().everything()
      expect((await start({ native_id: world().name('native') })).id).toBe(first.id)
    })

    test('leaves the effort of an agent to it, and gives each of three agents its own', async () => {
      const { dir, start } = await repository(world())
      const agents = [await world().agent(), await world().agent(), await world().agent()]
      const efforts: Answer[] = await Promise.all(
        agents.map((agent_id) => start({ agent_id, native_id: world().name('native') })),
      )
      expect(new Set(efforts.map(({ ordinal }) => ordinal))).toEqual(new Set([1, 2, 3]))
      expect(efforts.map(({ agent_id }) => agent_id)).toEqual(agents)
      for (const [index, agent_id] of agents.entries())
        expect((await start({ agent_id })).id).toBe(efforts[index]?.id)
      expect((await start()).ordinal).toBe(4)
      const listed: Answer[] = await world().call('db.effort.list', { task_id: dir })
      expect(listed).toHaveLength(4)
    })

    test('at the same moment from many callers begins one', async () => {
      const { start } = await repository(world())
      const answers: Answer[] = await Promise.all(Array.from({ length: 8 }, () => start()))
      expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
      expect(answers.filter(({ resumed }) => !resumed)).toHaveLength(1)
    })

    test('of another skill in the same window keeps the window', async () => {
      const { native, start } = await repository(world())
      const first = await start({ skill: 'brainstorm', native_id: native })
      await world().call('db.effort.finish', { effort_id: first.id })
      const second = await start({ native_id: native })
      expect(second.session).toMatchObject({ id: first.session.id, effort_id: second.id })
      const spans: Answer[] = await world().call('span.list', { session_id: native })
      expect(spans.map(({ skill, status, effort_id }) => [skill, status, effort_id])).toEqual([
        ['implement', 'active', second.id],
        ['brainstorm', 'completed', first.id],
      ])
    })

    test('takes the place of the effort that the mere call of the skill has begun', async () => {
      const { project, native, hook, start } = await repository(world())
      await hook('SessionStart', { source: 'startup' })
      await hook('UserPromptSubmit', { prompt: '/implement the login' })
      const [called] = await world().call('db.effort.list', { task_id: project })
      expect(called).toMatchObject({ skill: 'implement', lifecycle: 'active' })
      const named = await start({ native_id: native })
      expect(named).toMatchObject({ resumed: false, session: { effort_id: named.id } })
      expect(await world().call('db.effort.get', { effort_id: called.id })).toMatchObject({
        lifecycle: 'finished',
      })
      const spans: Answer[] = await world().call('span.list', { session_id: native, status: 'active' })
      expect(spans).toMatchObject([{ skill: 'implement', effort_id: named.id }])
      // Called once more, the skill goes on with what was named.
      await hook('UserPromptSubmit', { prompt: '/implement' })
      expect(await world().call('db.effort.findActive', { skill: 'implement', task_id: project })).toEqual([])
    })

    test('keeps an effort that was called and has begun its work', async () => {
      const { project, native, hook, start } = await repository(world())
      await hook('UserPromptSubmit', { prompt: '/implement' })
      const [called] = await world().call('db.effort.list', { task_id: project })
      await world().call('db.effort.phase', { effort_id: called.id, label: '0' })
      await start({ native_id: native })
      expect(await world().call('db.effort.get', { effort_id: called.id })).toMatchObject({
        lifecycle: 'active',
      })
    })

    test('of a skill that is not there names those that are meant, and leaves nothing behind', async () => {
      const { dir, project, start } = await repository(world())
      const before = await world().everything()
      const refused = await failure(start({ skill: 'implemnt' }))
      expect(refused).toMatchObject({ code: 'not-found', field: 'skill' })
      expect(refused.message).toContain('did you mean implement?')
      expect(refused.hint).toBe(`holdfast skill list ${project}`)
      expect(await world().everything()).toEqual(before)
      expect(existsSync(dirname(dir))).toBe(false)
    })

    test('in a mode that the skill does not have is refused, unless the user allows it', async () => {
      const { start } = await repository(world())
      const refused = await failure(start({ mode: 'tdx' }))
      expect(refused).toMatchObject({ code: 'refused', field: 'mode' })
      expect(await world().call('ledger.list', { event_type: 'effort.refused', limit: 1 })).toMatchObject([
        { skill: 'implement', payload: { reason: refused.message } },
      ])
      expect(refused.message).toContain('tdd')
      const seq = await world().lastSeq()
      const allowed = await start({ mode: 'tdx', user_approved: 'An experiment' })
      expect(allowed.mode).toBe('tdx')
      expect(await events(seq)).toContain('effort.approved')
      const rows = await world().opened.look(
        `select reason from approvals where effort_id = ${allowed.id} and kind = 'effort'`,
      )
      expect(rows).toEqual([{ reason: 'An experiment' }])
      expect(await start({ mode: 'quick' })).toMatchObject({ mode: 'quick' })
    })

    test.each<[string, object, string]>([
      ['a list of folders that is a text', { metadata: { directoriesOfInterest: 'src' } }, 'metadata'],
      ['a summary that is a number', { metadata: { taskSummary: 1 } }, 'metadata'],
      ['metadata that is a list', { metadata: [] }, 'metadata'],
      ['no reason for an approval', { user_approved: ' ' }, 'user_approved'],
    ])('with %s is refused', async (_, more, field) => {
      const { start } = await repository(world())
      const refused = await failure(start(more))
      expect(refused.code).toBe('invalid')
      expect(refused.field).toContain(field)
    })

    test('goes to the project of the caller, by whatever link the folder is named', async () => {
      const { project, start } = await repository(world())
      const link = join(world().project, world().name('link'))
      await symlink(project, link)
      expect(await start({ dir: join(link, 'tasks', 'x') })).toMatchObject({
        task_id: join(project, 'tasks', 'x'),
      })
      const bare = join(world().project, '..', world().name('bare'))
      await mkdir(bare)
      expect(await failure(start({ dir: join(bare, 'new') }))).toMatchObject({ code: 'not-found' })
      const missing = await failure(start({ dir: join(bare, 'new'), cwd: bare }))
      // Now the project is known, and it has no such skill.
      expect(missing.message).toContain(`${bare} has no skill implement`)
      expect(missing.hint).toBe(`holdfast skill new implement --in ${bare}/.claude/skills`)
      expect(missing.message).not.toMatch(/[Pp]roject \d/)
    })

    test('refused, holds in its hint all that is known of the command that would pass', async () => {
      const { project, dir, put, start } = await repository(world())
      const hintOf = async (call: Promise<Answer>) => (await failure(call)).hint
      expect(await hintOf(start({ mode: 'tddd' }))).toBe(`holdfast effort start ${dir} implement --mode tdd`)
      await start()
      const [adHoc] = await world().call('db.effort.list', { task_id: dir, ad_hoc: true })
      const finish = world().call('db.effort.finish', { effort_id: adHoc.id })
      expect(await hintOf(finish)).toBe(`holdfast effort start ${dir} SKILL`)
      const [file, gone] = [await put('a file', 'x'), join(project, 'gone')]
      const upsert = (path: string) => world().call('db.project.upsert', { path })
      expect(await hintOf(upsert(file))).toBe(`holdfast project upsert ${project}`)
      expect(await hintOf(upsert(gone))).toBe(`mkdir -p ${gone} && holdfast project upsert ${gone}`)
      expect(await hintOf(world().call('db.task.upsert', { dir_path: join(file, 'task') }))).toBe(
        `holdfast task upsert ${project}`,
      )
      const outside = join(world().project, '..')
      for (const method of ['queue.list', 'run.list', 'db.effort.recap'])
        expect(await hintOf(world().call(method, { path: outside }))).toMatch(/^holdfast project upsert \//)
    })

    test('is refused where the folder is a file, or ours', async () => {
      const { put, start } = await repository(world())
      const file = await put('file', 'x')
      expect(await failure(start({ dir: join(file, 'task') }))).toMatchObject({
        code: 'invalid',
        field: 'dir',
      })
      expect(await failure(start({ dir: join(world().home, 'task') }))).toMatchObject({ code: 'forbidden' })
    })
  })

  describe('continuing a session', () => {
    test('opens a window that follows the last one, in the same phase', async () => {
      const { native, start, go } = await repository(world())
      const started = await start({ native_id: native })
      await world().call('db.effort.phase', { effort_id: started.id, label: '0' })
      await world().call('db.session.finish', { session_id: started.session.id })
      const other = world().name('native')
      const on = await go({ native_id: other, client: 'claude-code' })
      expect(on).toMatchObject({
        state: 'continued',
        id: started.id,
        current_phase: '0: Setup',
        prev_session_id: started.session.id,
        session: { native_id: other, effort_id: started.id, heartbeat_counter: 0 },
        proof_to_leave: ['mode'],
      })
      expect(on.markdown).toContain('Current phase: 0: Setup.')
      const spans: Answer[] = await world().call('span.list', { session_id: other })
      expect(spans).toMatchObject([{ skill: 'implement', status: 'active', effort_id: started.id }])
      // The window is open now, so that asking again opens no other.
      const before = await world().everything()
      expect((await go({ native_id: other })).session.id).toBe(on.session.id)
      expect(await world().everything()).toEqual(before)
    })

    test('gives what was left behind by whichever session of the effort left it', async () => {
      const { dir, native, project, put, start, go } = await repository(world())
      const started = await start({ native_id: native })
      const there = await put('src/a.ts', 'x')
      const payload = {
        summary: 'Half way',
        nextSteps: ['Do b'],
        requiredFiles: ['src/a.ts', 'src/gone.ts', '~/x.md'],
      }
      await world().call('db.session.finish', {
        session_id: started.session.id,
        dehydration_payload: payload,
      })
      const second = await go({ native_id: world().name('native') })
      expect(second.dehydration).toEqual(payload)
      // The next one dies without a word, and the one after it still gets what was left.
      silence(world())
      const third = await go({ native_id: world().name('native') })
      expect(third).toMatchObject({ prev_session_id: second.session.id, dehydration: payload })
      const home = world().context.user.home
      expect(third.required_files).toEqual({
        present: [there],
        missing: [join(project, 'src/gone.ts'), join(home, 'x.md')],
      })
      expect(third.markdown).toContain('summary: Half way')
      expect(third.markdown).toContain(`${join(project, 'src/gone.ts')} (missing)`)
      expect(third.log).toBe(join(dir, '1_IMPLEMENT_LOG.md'))
      expect(await sessionOf(second.session.id)).toMatchObject({ ended_reason: 'continued' })
    })

    test('says how the client itself can open the last window again', async () => {
      const { native, start, go } = await repository(world())
      await start({ native_id: native, client: 'claude-code' })
      silence(world())
      const on = await go({ native_id: world().name('native'), client: 'claude-code' })
      expect(on.resume).toBe(`claude --resume ${native}`)
      expect(on.markdown).toContain(`claude --resume ${native}`)
      silence(world())
      expect((await go({ native_id: on.session.native_id })).resume).toBe(null)
    })

    test('finds the work of the agent wherever it is, and no finished work while some is open', async () => {
      const { dir, start } = await repository(world())
      const agent_id = await world().agent()
      const done = await start({ skill: 'brainstorm', agent_id })
      await world().call('db.effort.finish', { effort_id: done.id })
      const open = await start({ agent_id })
      const on = await world().call('commands.session.continue', { agent_id })
      expect(on).toMatchObject({ id: open.id, task_id: dir, agent_id, session: { agent_id } })
      expect(await failure(world().call('commands.session.continue', {}))).toMatchObject({
        code: 'not-found',
      })
    })

    test('of finished work says so, offers the next skills and opens nothing', async () => {
      const { dir, native, start, go } = await repository(world())
      const started = await start({ native_id: native })
      await world().call('db.effort.finish', { effort_id: started.id })
      const before = await world().everything()
      const answer = await go({ native_id: native })
      expect(answer).toMatchObject({ state: 'finished', id: started.id, next_skills: ['/test', '/document'] })
      expect(answer.markdown).toContain(`holdfast effort start ${dir} test`)
      expect(await world().everything()).toEqual(before)
    })

    test('finds the newest work that nobody is at, and says who is where all is taken', async () => {
      const { native, start, go } = await repository(world())
      const free = await start()
      const taken = await start({ skill: 'brainstorm', native_id: native })
      const other = world().name('native')
      expect((await go({ native_id: other })).id).toBe(free.id)
      const third = world().name('native')
      const refused = await failure(go({ native_id: third }))
      expect(refused).toMatchObject({
        code: 'conflict',
        hint: `holdfast session finish ${taken.session.id}`,
      })
      expect(refused.message).toContain(`effort ${taken.id} (brainstorm) by session`)
      expect(refused.message).toContain(native)
    })

    test('of work that a client is at says since when that is silent, and what lets go of it', async () => {
      const { native, start, go } = await repository(world())
      const crashed = await start({ native_id: native, client: 'claude-code' })
      world().advance(42_000)
      const other = world().name('native')
      const refused = await failure(go({ native_id: other }))
      const heard = Date.parse(crashed.session.last_heartbeat)
      const gone = new Date(heard + STALE_AFTER_SECONDS * 1000).toISOString()
      expect(refused.message).toMatch(/session \d+ \(claude-code .*\), last heard of \d\d+ s ago/)
      expect(refused.message).toContain(`free at ${gone} if it stays silent`)
      expect(refused.hint).toBe(`holdfast session finish ${crashed.session.id}`)
      const beside = await start({ native_id: other, client: 'claude-code' })
      expect(beside).toMatchObject({
        resumed: false,
        held: [{ effort_id: crashed.id, command: refused.hint }],
      })
      expect(beside.markdown).toContain(
        `If that client has crashed: ${refused.hint} && holdfast session continue ${crashed.id}`,
      )
      await world().call('db.session.finish', { session_id: crashed.session.id })
      expect((await go({ effort_id: crashed.id, native_id: other })).id).toBe(crashed.id)
    })

    test('of work that an agent owns names the agent, and nothing that takes it away', async () => {
      const { start, go } = await repository(world())
      const agent_id = await world().agent()
      const owned = await start({ agent_id })
      const refused = await failure(go({ native_id: world().name('native') }))
      expect(refused).toMatchObject({ code: 'conflict', hint: 'holdfast fleet' })
      expect(refused.message).toContain(`effort ${owned.id} (implement) by agent ${agent_id}.`)
    })

    test('of a project in which all is finished says so, names the last and how to begin anew', async () => {
      const { project, dir, start, log } = await repository(world())
      const go = () => failure(world().call('commands.session.continue', { cwd: project }))
      const first = await start({ skill: 'brainstorm' })
      await world().call('db.effort.finish', { effort_id: first.id })
      expect((await go()).message).toContain(`The only effort in ${project} is finished`)
      const last = await start()
      await world().call('db.effort.finish', { effort_id: last.id })
      expect(await go()).toMatchObject({
        code: 'not-found',
        message: `All 2 efforts in ${project} are finished, the last one effort ${last.id} (implement) of ${dir}.`,
        hint: `holdfast effort start ${dir} implement`,
      })
      expect((await failure(log('x'))).message).toContain(`All 2 efforts in ${dir} are finished`)
    })

    test('of an effort that is known by its id goes on with that one, and not with a newer one', async () => {
      const { dir, native, start, go } = await repository(world())
      const [older, newer] = [await start({ skill: 'brainstorm' }), await start()]
      const other = world().name('native')
      expect(await go({ effort_id: older.id, native_id: other })).toMatchObject({
        state: 'continued',
        id: older.id,
        session: { native_id: other, effort_id: older.id },
      })
      expect(await failure(go({ effort_id: older.id, native_id: native }))).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(`effort ${older.id} (brainstorm) by session`),
      })
      await world().call('db.effort.finish', { effort_id: newer.id })
      expect(await go({ effort_id: newer.id })).toMatchObject({ state: 'finished', id: newer.id })
      const [adHoc] = await world().call('db.effort.list', { task_id: dir, ad_hoc: true })
      expect(await failure(go({ effort_id: adHoc.id }))).toMatchObject({ code: 'conflict' })
      expect(await failure(go({ effort_id: 999_999_999 }))).toMatchObject({ code: 'not-found' })
    })

    test('of a task that is not there, or has no work, says so', async () => {
      const { dir, project, go } = await repository(world())
      expect(await failure(go())).toMatchObject({ code: 'not-found', field: 'task_id' })
      const { id: project_id } = await world().call('db.project.upsert', { path: project })
      await world().call('db.task.upsert', { dir_path: dir })
      const start = { code: 'not-found', hint: `holdfast effort start ${dir} SKILL` }
      expect(await failure(go())).toMatchObject(start)
      for (const name of ['implement', 'brainstorm'])
        await world().call('db.skills.upsert', { project_id, name })
      expect(await failure(go())).toMatchObject({
        ...start,
        message: expect.stringContaining('SKILL is one of: brainstorm, implement.'),
      })
      await world().call('db.skills.delete', { project_id, name: 'implement' })
      expect(await failure(go())).toMatchObject({ hint: `holdfast effort start ${dir} brainstorm` })
    })

    test('is for the project that somebody works in where no task is named', async () => {
      const { project, start } = await repository(world())
      const { id } = await start()
      const on = await world().call('commands.session.continue', { cwd: join(project, '.claude') })
      expect(on.id).toBe(id)
    })

    test('still knows the effort when its skill is gone', async () => {
      const { project, start, go } = await repository(world())
      const { id } = await start()
      const projects: Answer[] = await world().call('db.project.list')
      const project_id = projects.find(({ path }) => path === project)?.id
      await world().call('db.skills.delete', { name: 'implement', project_id })
      expect(await go({ native_id: world().name('native') })).toMatchObject({ id, next_skills: [] })
    })
  })

  describe('the log of an effort', () => {
    test('is one file by one name, with the time of each entry', async () => {
      const { dir, start, log } = await repository(world())
      const started = await start()
      const first = await log('Tests pass')
      expect(first).toMatchObject({ effort_id: started.id, path: join(dir, '1_IMPLEMENT_LOG.md'), offset: 0 })
      await log('## Found it\n\nIt was the clock.\n')
      await log('## [yesterday] Kept\nas it is')
      const text = await readFile(first.path, 'utf8')
      expect(text.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'T')).toBe(
        '\n## [T] Tests pass\n\n## [T] Found it\n\nIt was the clock.\n\n## [yesterday] Kept\n\nas it is\n',
      )
      expect(text).toContain(first.at.slice(0, 10))
      const again = await start()
      expect(again).toMatchObject({ log: first.path, artifacts: [first.path] })
    })

    test('is listed beside what was recorded, when the work goes on', async () => {
      const { put, start, go, log } = await repository(world())
      const { id } = await start()
      const { path } = await log('Seen')
      const report = await put('src/report.md', 'All of it.')
      await world().call('artifact.put', { effort_id: id, name: 'report', path: report })
      const on = await go({ native_id: world().name('native') })
      expect(on.artifacts).toEqual([path, report])
      expect(on.markdown).toContain(report)
    })

    // Defect 33 of the originals: the path was derived in two places, and differently.
    test('has one name, whoever asks for it and whatever the skill is called', async () => {
      const { dir, put, start, go, log } = await repository(world())
      const named = '---\nname: code-review\ndescription: Reviews.\n---\n'
      await put('.claude/skills/code-review/SKILL.md', named)
      const started = await start({ skill: 'code-review' })
      const { path } = await log('Seen')
      const on = await go({ native_id: world().name('native') })
      const debrief = await put('tasks/login/1_CODE_REVIEW.md', 'Done.')
      expect([started.log, path, on.log]).toEqual(Array(3).fill(join(dir, '1_CODE_REVIEW_LOG.md')))
      await world().call('db.effort.finish', { effort_id: started.id })
      expect(await start()).toMatchObject({ prior_efforts: [{ debrief }], artifacts: [debrief, path] })
    })

    // Defect 34 of the originals: an entry was counted as one more call without an entry.
    test('resets the count of tool calls without an entry, and counts none itself', async () => {
      const { native, hook, start, log } = await repository(world())
      const { session } = await start({ native_id: native })
      for (let call = 0; call < 4; call++)
        await hook('PreToolUse', {
          tool_name: 'Bash',
          tool_input: { command: 'ls' },
          tool_use_id: `c${call}`,
        })
      const seen = async () => (await sessionOf(session.id)).heartbeat_counter
      expect(await seen()).toBe(4)
      await log('Still here', { native_id: native })
      expect(await seen()).toBe(0)
      await world().everything()
      expect(await seen()).toBe(0)
    })

    test('never mixes entries that come at once', async () => {
      const { start, log } = await repository(world())
      const { log: path } = await start()
      const bodies = Array.from({ length: 12 }, (_, index) => index.toString(16).repeat(20_000))
      await Promise.all(
        bodies.map((body, index) =>
          log(`Entry\n\n${body}`, index % 2 === 0 ? {} : { idempotency_key: world().name('key') }),
        ),
      )
      const entries = (await readFile(path, 'utf8')).split(/^## .*$/m).slice(1)
      expect(entries.map((entry) => entry.trim()).toSorted()).toEqual(bodies.toSorted())
    })

    test('is that of the session or the agent that writes, and nobody guesses between several', async () => {
      const { dir, native, project, start, log } = await repository(world())
      const agent_id = await world().agent()
      const [mine, theirs] = [await start({ native_id: native }), await start({ agent_id })]
      expect((await log('x', { native_id: native })).effort_id).toBe(mine.id)
      expect((await log('x', { agent_id })).effort_id).toBe(theirs.id)
      const refused = await failure(log('x'))
      expect(refused).toMatchObject({ code: 'conflict', field: 'effort_id' })
      expect(refused.message).toContain(`${mine.id} (implement, ${dir})`)
      await world().call('db.effort.finish', { effort_id: mine.id })
      // Who has finished does not mean the work of others.
      expect(await failure(log('x', { native_id: native }))).toMatchObject({ code: 'conflict' })
      expect((await log('x', { effort_id: mine.id })).path).toBe(mine.log)
      expect((await log('x')).effort_id).toBe(theirs.id)
      const inside = { dir: undefined, cwd: join(dir, 'deep') }
      expect((await log('x', inside)).effort_id).toBe(theirs.id)
      expect((await log('x', { dir: undefined, cwd: project })).effort_id).toBe(theirs.id)
    })

    test('of an agent that nobody has registered is not kept, and says how to', async () => {
      const { start, log } = await repository(world())
      const { id } = await start()
      const agent_id = world().name('agent')
      const unknown = { code: 'not-found', field: 'agent_id', hint: `holdfast agent register ${agent_id}` }
      expect(await failure(log('x', { agent_id }))).toMatchObject(unknown)
      expect(await failure(log('x', { agent_id, effort_id: id }))).toMatchObject(unknown)
      await world().call('db.agents.register', { id: agent_id })
      expect((await log('x', { agent_id })).effort_id).toBe(id)
    })

    test('of nothing, or of the ad-hoc effort, is not kept', async () => {
      const { dir, start, log } = await repository(world())
      expect(await failure(log('x'))).toMatchObject({ code: 'not-found' })
      const { id } = await start()
      await world().call('db.effort.finish', { effort_id: id })
      expect(await failure(log('x'))).toMatchObject({ code: 'not-found', field: 'dir' })
      for (const text of ['', '  \n', '##  \n'])
        expect(await failure(log(text, { effort_id: id }))).toMatchObject({ code: 'invalid', field: 'text' })
      const [adHoc] = await world().call('db.effort.list', { task_id: dir, ad_hoc: true })
      expect(await failure(log('x', { effort_id: adHoc.id }))).toMatchObject({ code: 'conflict' })
      expect(existsSync(join(dir, '0_DO_LOG.md'))).toBe(false)
    })

    test('goes to the effort of the first call when it is repeated, whatever is active by then', async () => {
      const { start, log } = await repository(world())
      const first = await start()
      const idempotency_key = world().name('key')
      const written = await log('Once', { idempotency_key })
      await world().call('db.effort.finish', { effort_id: first.id })
      await start()
      expect(await log('Once', { idempotency_key })).toEqual(written)
      expect((await readFile(first.log, 'utf8')).match(/Once/g)).toHaveLength(1)
    })
  })
}
