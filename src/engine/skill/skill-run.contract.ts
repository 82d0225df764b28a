import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { call } from '../call/call.ts'
import { type ClientAt, clientAt, clientIn, contextOf } from '../hook/client.contract.ts'
import { failure, type World } from '../world.contract.ts'

const HEAD = (name: string) =>
  `---\nname: ${name}\ndescription: Looks into it.\nuses_skill_run: true\n---\n\nDo it.\n`

/** A client in a project with two skills that keep their work in folders, one with a plan. */
export async function researcherAt(world: World): Promise<ClientAt> {
  const it = await clientAt(world)
  await it.add('research', { 'SKILL.md': HEAD('research') })
  await it.add('study', {
    'SKILL.md': HEAD('study'),
    'steps/look.md': '---\nconsumes: [user-request]\nproduces: [view]\n---\n',
    'steps/do.md': '---\nconsumes: [view]\nproduces: [result]\n---\n',
  })
  await it.start()
  return it
}

/** A complete run. */
export async function completeRun(world: World): Promise<string> {
  const it = await researcherAt(world)
  await it.prompt(`/research ${world.name('topic')}`)
  const [{ path, id }] = await world.call('run.list', { path: it.project })
  await writeFile(join(path, 'synthesis.md'), '# Found\n')
  return String(id)
}

const foldersIn = (it: ClientAt) => {
  const folder = join(it.project, '.holdfast/runs')
  return existsSync(folder) ? readdirSync(folder).toSorted() : []
}

/** The same world on a fixed day. */
function onOneDay(world: World): World {
  const moment = world.context.clock.now()
  const context = { ...world.context, clock: { now: () => moment } }
  const caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }
  return { ...world, context, call: (name, params) => call(context, name, params, caller) }
}

/** What holds for the run folders of skills, on any database. */
export function skillRunContract(world: () => World): void {
  const runsOf = (it: ClientAt) => world().call('run.list', { path: it.project })
  const eventsSince = async (seq: number) =>
    (await world().since(seq)).filter(({ event_type }) => event_type.startsWith('run.'))

  describe('a skill that uses runs', () => {
    test('gets a folder when it is called, with a context for the agent and a ledger entry', async () => {
      const it = await researcherAt(world())
      const seq = await world().lastSeq()
      const told = contextOf(await it.prompt('/research How do caches work?'))
      const [run] = await runsOf(it)
      expect(run.name).toMatch(/^\d{4}-\d\d-\d\d-research-how-do-caches-work$/)
      expect(run).toMatchObject({ skill: 'research', effort_id: null, state: 'in-progress' })
      expect(run.path).toBe(join(it.project, '.holdfast/runs', run.name))
      expect(told).toContain(run.path)
      expect(told).toMatch(/synthesis\.md: REQUIRED/)
      expect(readdirSync(run.path).toSorted()).toEqual(['context.md', 'handoffs', 'outputs', 'run.log'])
      expect(readFileSync(join(run.path, 'context.md'), 'utf8')).toContain('How do caches work?')
      expect(readFileSync(join(run.path, 'run.log'), 'utf8')).toMatch(
        /^\[[^\]]+ UTC\] \[run\] research was called\n$/,
      )
      expect(await eventsSince(seq)).toMatchObject([
        { event_type: 'run.started', skill: 'research', payload: { run: run.name, path: run.path } },
      ])
    })

    test("keeps its folder out of commits, and does not change the user's own ignores", async () => {
      const it = await researcherAt(world())
      await it.prompt('/research')
      const file = join(it.project, '.holdfast/.gitignore')
      expect(readFileSync(file, 'utf8')).toBe('# Made by holdfast.\n.gitignore\nruns/\ntasks/\n')
      await writeFile(file, '# Made by holdfast.\n*\n')
      await it.prompt('/research again')
      expect(readFileSync(file, 'utf8')).toMatch(/^runs\/$/m)
      await writeFile(file, 'mine\n')
      await it.prompt('/research more')
      expect(readFileSync(file, 'utf8')).toBe('mine\n')
    })

    test('has one folder for repeated reports of a call, and for the Skill tool', async () => {
      const it = await researcherAt(world())
      const first = contextOf(await it.prompt('/research one thing'))
      const seq = await world().lastSeq()
      for (let times = 0; times < 2; times++)
        expect(contextOf(await it.prompt('/research one thing'))).toBe(first)
      await Promise.all([1, 2, 3].map(() => it.prompt('/research one thing')))
      await it.use('Skill', { skill: 'research', args: 'one thing' })
      expect(foldersIn(it)).toHaveLength(1)
      expect(await world().since(seq)).toEqual([])
    })

    test('gets another folder for another question, with a counter if the name is taken', async () => {
      const day = onOneDay(world())
      const it = await researcherAt(day)
      const name = `${new Date(day.context.clock.now()).toISOString().slice(0, 10)}-research-x`
      await mkdir(join(it.project, '.holdfast/runs', name), { recursive: true })
      await it.prompt('/research x')
      await clientIn(day, it.project).prompt('/research x!')
      await it.prompt('/research y')
      expect(foldersIn(it).map((folder) => folder.slice(11))).toEqual([
        'research-x',
        'research-x-02',
        'research-x-03',
        'research-y',
      ])
    })

    test('with a plan has one run for an effort, and another for the next', async () => {
      const it = await researcherAt(world())
      await it.prompt('/study a')
      await it.use('Skill', { skill: 'study', args: 'b' })
      const [effort] = await it.efforts()
      expect(await runsOf(it)).toMatchObject([{ skill: 'study', effort_id: effort.id, args: 'a' }])
      for (const step of ['look', 'do'])
        await it.read(join(it.project, `.claude/skills/study/steps/${step}.md`))
      await it.prompt('/study b')
      const efforts = await it.efforts()
      expect(await runsOf(it)).toMatchObject([
        { effort_id: efforts[1].id, args: 'b' },
        { effort_id: effort.id, args: 'a' },
      ])
      expect(foldersIn(it)).toHaveLength(2)
    })

    test('keeps its run after its task was named', async () => {
      const it = await researcherAt(world())
      await it.prompt('/study a')
      const started = await world().call('commands.effort.start', {
        dir: join(it.project, 'work'),
        skill: 'study',
        native_id: it.session,
      })
      expect(await runsOf(it)).toMatchObject([{ effort_id: started.id }])
    })

    test('gets its run folder again in a new session, with and without a plan', async () => {
      for (const name of ['study', 'research']) {
        const it = await researcherAt(world())
        await it.prompt(`/${name} a`)
        const [{ path }] = await runsOf(it)
        expect(contextOf(await it.start('compact'))).toContain(path)
        expect(foldersIn(it)).toHaveLength(1)
        expect(contextOf(await clientIn(world(), it.project).start())).not.toContain('synthesis.md')
      }
    })

    test('gets no folder if it asks for none', async () => {
      const it = await researcherAt(world())
      await it.prompt('/flow')
      await it.prompt('/plain')
      expect(existsSync(join(it.project, '.holdfast/runs'))).toBe(false)
      expect(await runsOf(it)).toEqual([])
    })
  })

  describe('a run whose folder cannot be created', () => {
    test.each<[string, (project: string) => Promise<unknown>]>([
      ['because a file is in its place', (project) => writeFile(join(project, '.holdfast'), '')],
      [
        'because a link leads out of the project',
        async (project) => {
          await mkdir(join(project, '..', 'outside'), { recursive: true })
          await symlink(join(project, '..', 'outside'), join(project, '.holdfast'))
        },
      ],
      [
        'because its folder of runs leads out of the project',
        async (project) => {
          await mkdir(join(project, '..', 'outside'), { recursive: true })
          await mkdir(join(project, '.holdfast'))
          await symlink(join(project, '..', 'outside'), join(project, '.holdfast/runs'))
        },
      ],
    ])('%s does not block the call, and is reported', async (_, spoil) => {
      const it = await researcherAt(world())
      await spoil(it.project)
      const seq = await world().lastSeq()
      const answer = await it.prompt('/research x')
      expect(answer.decision).toBe('allow')
      expect(contextOf(answer)).toContain('has no work folder')
      expect(await it.spans()).toEqual(['research active'])
      expect(await eventsSince(seq)).toMatchObject([{ event_type: 'run.failed', skill: 'research' }])
      const outside = join(it.project, '..', 'outside')
      expect(existsSync(outside) ? readdirSync(outside) : []).toEqual([])
      expect(await runsOf(it)).toEqual([])
    })
  })

  describe('a run', () => {
    const complete = async () => {
      const run = await completeRun(world())
      return await world().call('run.show', { run })
    }

    test('is complete when its synthesis exists and is not empty, and missing without its folder', async () => {
      const it = await researcherAt(world())
      await it.prompt('/research x')
      const [{ path, name }] = await runsOf(it)
      const state = async () => (await world().call('run.show', { run: name, path: it.project })).state
      await writeFile(join(path, 'synthesis.md'), '')
      expect(await state()).toBe('in-progress')
      await writeFile(join(path, 'synthesis.md'), 'x')
      expect(await state()).toBe('complete')
      await rm(path, { recursive: true })
      expect(await state()).toBe('gone')
    })

    test('is published once, and again if its report is the same', async () => {
      const { id, root, name } = await complete()
      const report = join(root, 'reports', `${name}.md`)
      for (let times = 0; times < 2; times++)
        expect(await world().call('run.publish', { run: String(id) })).toEqual({
          run: name,
          report,
          bytes: 8,
        })
      expect(readFileSync(report, 'utf8')).toBe('# Found\n')
      expect(await world().call('run.show', { run: String(id) })).toMatchObject({ report })
      expect(readdirSync(join(root, 'reports'))).toEqual([`${name}.md`])
    })

    test('does not replace a different report unless forced', async () => {
      const { id, root, name, path } = await complete()
      const run = String(id)
      await world().call('run.publish', { run })
      await writeFile(join(path, 'synthesis.md'), '# Other\n')
      expect(await failure(world().call('run.publish', { run }))).toMatchObject({
        code: 'conflict',
        hint: `holdfast run publish ${name} --force`,
      })
      const report = join(root, 'reports', `${name}.md`)
      expect(readFileSync(report, 'utf8')).toBe('# Found\n')
      await world().call('run.publish', { run, force: true })
      expect(readFileSync(report, 'utf8')).toBe('# Other\n')
    })

    test('that is incomplete, outside of the project or missing is not published', async () => {
      const it = await researcherAt(world())
      await it.prompt('/research x')
      const [{ path, id }] = await runsOf(it)
      expect(await failure(world().call('run.publish', { run: String(id) }))).toMatchObject({
        code: 'refused',
      })
      await writeFile(join(it.project, 'secret'), 'x')
      await symlink(join(it.project, 'secret'), join(path, 'synthesis.md'))
      expect(await failure(world().call('run.publish', { run: String(id) }))).toMatchObject({
        code: 'forbidden',
      })
      expect(await failure(world().call('run.publish', { run: 'none', path: it.project }))).toMatchObject({
        code: 'not-found',
        hint: 'holdfast run list',
      })
    })

    test('has a log, by default that of the newest run of the caller', async () => {
      const it = await researcherAt(world())
      await it.prompt('/research x')
      await it.prompt('/research y')
      const [{ path, name }] = await runsOf(it)
      const about = { phase: 'look', path: it.project, native_id: it.session }
      const log = (text: string) => world().call('run.log', { text, ...about })
      expect(await log('All\nread')).toMatchObject({ run: name, path: join(path, 'run.log') })
      expect(readFileSync(join(path, 'run.log'), 'utf8')).toMatch(
        /\n\[[^\]]+ UTC\] \[look\] All\\u\{a\}read\n$/,
      )
      await rm(join(path, 'run.log'))
      await symlink('context.md', join(path, 'run.log'))
      expect(await failure(log('x'))).toMatchObject({ code: 'forbidden' })
    })
  })
}
