import { readFileSync } from 'node:fs'
import { existsSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repository, silence } from '../hook/client.contract.ts'
import { expectUnchanged, type Answer, failure, type World } from '../world.contract.ts'
import { effortOf } from '../../rules/told/words.ts'

/** What the command that starts an effort promises, on any database. */
export function effortStartContract(world: () => World): void {
  const events = async (seq: number) => (await world().since(seq)).map(({ event_type }) => event_type)

  describe('starting an effort', () => {
    test('in an unknown folder registers its repository, its skills and the task', async () => {
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

    test('returns what its agent must know, in order', async () => {
      const { dir, project, put, start } = await repository(world())
      const agents = await put('AGENTS.md', 'x')
      const testing = await put('src/web/.directives/TESTING.md', 'x')
      const first = await start({ skill: 'brainstorm' })
      await world().call('db.effort.finish', { effort_id: first.id, abandon: 'no longer needed' })
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
        ['REQUIRED_FILES', 'PRIOR_EFFORTS', 'DIRECTIVES', 'SESSION_ARTIFACTS', 'NEXT_SKILLS'].map(
          (name) => `SRC_${name}`,
        ),
      )
      expect(markdown).toContain(`- ${effortOf(first.id, 'brainstorm')}, debrief: ${debrief}`)
      expect(markdown).toContain(`${testing} [soft]`)
      expect(markdown).toContain(`holdfast step go '0: Setup' --effort ${started.id}`)
      expect(markdown).toContain('Steps: §CMD_A')
      // A declared false is shown.
      expect(markdown).toContain('Gate: false')
      const [task] = await world().call('db.task.find', { query: 'let users in', project })
      expect(task).toMatchObject({ dir_path: dir })
    })

    test('leaves out the sections that would be empty', async () => {
      const { start } = await repository(world())
      const started = await start({ skill: 'brainstorm' })
      expect(started).toMatchObject({ prior_efforts: [], directives: [], artifacts: [], next_skills: [] })
      expect(started.markdown).not.toContain('(none)\n')
      expect(started.markdown.match(/^## .*$/gm)).toEqual(['## SRC_REQUIRED_FILES'])
    })

    test('reads once and writes in one transaction, even if the project and its skills are new', async () => {
      const { put, start } = await repository(world())
      const { asked } = world().watch
      const cost = async (work: () => Promise<unknown>) => {
        asked.length = 0
        await work()
        return asked.map(({ reads }) => (reads ? 'look' : 'change'))
      }
      expect(await cost(start)).toEqual(['look', 'change'])
      await put(
        '.claude/skills/implement/SKILL.md',
        '---\nname: implement\ndescription: Anew.\n---\n\nDo it.\n',
      )
      expect(await cost(start)).toEqual(['look', 'change'])
      const key = { idempotency_key: world().name('key') }
      expect(await cost(() => start(key))).toEqual(['look', 'change'])
      expect(await cost(() => start(key))).toEqual(['look'])
    })

    test('resumes the active effort of the same skill, with its news', async () => {
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
    test('keeps a task in our folder out of git', async () => {
      const { project, start } = await repository(world())
      await start({ dir: join(project, '.holdfast/tasks/login') })
      expect(readFileSync(join(project, '.holdfast/.gitignore'), 'utf8')).toContain('tasks/')
    })

    test('never resumes a finished effort', async () => {
      const { start } = await repository(world())
      const first = await start()
      await world().call('db.effort.finish', { effort_id: first.id, abandon: 'no longer needed' })
      expect(await start()).toMatchObject({ ordinal: 2, resumed: false })
    })

    test('leaves an effort to the session that uses it, however silent it is, until it ends', async () => {
      const { native, start } = await repository(world())
      const first = await start({ native_id: native })
      const other = world().name('native')
      const second = await start({ native_id: other })
      expect(second).toMatchObject({ ordinal: 2, resumed: false })
      expect((await start({ native_id: native })).id).toBe(first.id)
      silence(world())
      await world().call('db.session.heartbeat', { session_id: second.session.id })
      await world().everything()
      expect((await start({ native_id: world().name('native') })).id).not.toBe(first.id)
      await world().call('db.session.finish', { session_id: first.session.id })
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

    test('starts one effort for many concurrent callers', async () => {
      const { start } = await repository(world())
      const answers: Answer[] = await Promise.all(Array.from({ length: 8 }, () => start()))
      expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
      expect(answers.filter(({ resumed }) => !resumed)).toHaveLength(1)
    })

    test('of another skill in the same window keeps the window', async () => {
      const { native, start } = await repository(world())
      const first = await start({ skill: 'brainstorm', native_id: native })
      await world().call('db.effort.finish', { effort_id: first.id, abandon: 'no longer needed' })
      const second = await start({ native_id: native })
      expect(second.session).toMatchObject({ id: first.session.id, effort_id: second.id })
      const spans: Answer[] = await world().call('span.list', { session_id: native })
      expect(spans.map(({ skill, status, effort_id }) => [skill, status, effort_id])).toEqual([
        ['implement', 'active', second.id],
        ['brainstorm', 'completed', first.id],
      ])
    })

    test('names the task of the effort that only the call of the skill has started', async () => {
      const { native, dir, hook, start } = await repository(world())
      await hook('SessionStart', { source: 'startup' })
      await hook('UserPromptSubmit', { prompt: '/implement the login' })
      const [window] = await world().call('db.session.find', { native_id: native, open: true })
      const called = await world().call('db.effort.get', { effort_id: window.effort_id })
      expect(called).toMatchObject({ skill: 'implement', lifecycle: 'active' })
      const named = await start({ native_id: native, mode: 'tdd' })
      expect(named).toMatchObject({ id: called.id, resumed: false, request: 'the login', mode: 'tdd' })
      expect(named).toMatchObject({
        task_id: dir,
        session: { id: window.id, task_id: dir, effort_id: called.id },
      })
      expect(await world().call('db.effort.list', { task_id: dir })).toMatchObject([
        { id: called.id, ordinal: 1 },
      ])
      expect(await world().call('db.effort.list', { task_id: called.task_id })).toEqual([])
      const ended = { effort_id: called.id, event_type: 'effort.finished' }
      expect(await world().call('ledger.list', ended)).toEqual([])
      const spans: Answer[] = await world().call('span.list', { session_id: native, status: 'active' })
      expect(spans).toMatchObject([{ skill: 'implement', effort_id: named.id }])
      // Another call of the skill resumes the named effort.
      await hook('UserPromptSubmit', { prompt: '/implement' })
      const [now] = await world().call('db.session.find', { native_id: native, open: true })
      expect(now.effort_id).toBe(named.id)
    })

    test('gives up no effort, and puts the words of one on no other', async () => {
      const { dir, native, hook, start } = await repository(world())
      const users = await start()
      await hook('SessionStart', { source: 'startup' })
      await hook('UserPromptSubmit', { prompt: '/implement the login' })
      const [window] = await world().call('db.session.find', { native_id: native, open: true })
      const free = await start({ native_id: native })
      expect(free).toMatchObject({ id: users.id, resumed: true, request: null })
      const other = await start({ native_id: native, dir: `${dir}-other` })
      expect(other).toMatchObject({ resumed: false, request: null })
      for (const effort_id of [window.effort_id, users.id, other.id])
        expect(await world().call('db.effort.get', { effort_id })).toMatchObject({ lifecycle: 'active' })
      expect(new Set([window.effort_id, users.id, other.id]).size).toBe(3)
    })

    test('keeps an effort whose work has begun', async () => {
      const { native, hook, start } = await repository(world())
      await hook('UserPromptSubmit', { prompt: '/implement' })
      const [window] = await world().call('db.session.find', { native_id: native, open: true })
      const called = await world().call('db.effort.get', { effort_id: window.effort_id })
      await world().call('db.effort.phase', { effort_id: called.id, label: '0' })
      await start({ native_id: native })
      expect(await world().call('db.effort.get', { effort_id: called.id })).toMatchObject({
        lifecycle: 'active',
      })
    })

    test('of an unknown skill suggests similar names, and leaves nothing behind', async () => {
      const { dir, project, start } = await repository(world())
      const before = await world().everything()
      const refused = await failure(start({ skill: 'implemnt' }))
      expect(refused).toMatchObject({ code: 'not-found', field: 'skill' })
      expect(refused.message).toContain('did you mean implement?')
      expect(refused.hint).toBe(`holdfast skill list ${project}`)
      await expectUnchanged(world(), before)
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
      ['folders as a text instead of a list', { metadata: { directoriesOfInterest: 'src' } }, 'metadata'],
      ['a number as its summary', { metadata: { taskSummary: 1 } }, 'metadata'],
      ['a list as its metadata', { metadata: [] }, 'metadata'],
      ['an approval without a reason', { user_approved: ' ' }, 'user_approved'],
    ])('with %s is refused', async (_, more, field) => {
      const { start } = await repository(world())
      const refused = await failure(start(more))
      expect(refused.code).toBe('invalid')
      expect(refused.field).toContain(field)
    })

    test('uses the project of the caller, whatever link names the folder', async () => {
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
      // The project is known now, and it has no such skill.
      expect(missing.message).toContain(`${bare} has no skill implement`)
      expect(missing.hint).toBe(`holdfast skill new implement --in ${bare}/.claude/skills`)
      expect(missing.message).not.toMatch(/[Pp]roject \d/)
    })

    test('returns a hint with everything known of the command that works, if it is refused', async () => {
      const { project, dir, put, start } = await repository(world())
      const hintOf = async (call: Promise<Answer>) => (await failure(call)).hint
      expect(await hintOf(start({ mode: 'tddd' }))).toBe(`holdfast effort start ${dir} implement --mode tdd`)
      await start()
      const [adHoc] = await world().call('db.effort.list', { task_id: dir, ad_hoc: true })
      const finish = world().call('db.effort.finish', { effort_id: adHoc.id, abandon: 'no longer needed' })
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

    test('is refused if the folder is a file, or in our home', async () => {
      const { put, start } = await repository(world())
      const file = await put('file', 'x')
      expect(await failure(start({ dir: join(file, 'task') }))).toMatchObject({
        code: 'invalid',
        field: 'dir',
      })
      expect(await failure(start({ dir: join(world().home, 'task') }))).toMatchObject({ code: 'forbidden' })
    })
  })
}
