import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Answer, failure, type World } from '../world.contract.ts'

const SHIP = `pipeline:
  - {id: branch, command: git switch -c work, optional: true}
  - {id: explore, skill: look, args: $ARGUMENTS, verify: {file: plan.md}}
  - {id: build, skill: make, args: "the plan of $ARGUMENTS", verify: the tests pass, limit: 3}
  - {id: commit, prompt: Commit it.}
`

/** A pipeline of three steps without requirements. */
export const THREE = 'pipeline: [{id: a, prompt: do a}, {id: b, prompt: do b}, {id: c, prompt: do c}]\n'

/** A skill that is a pipeline. */
async function writePipeline(world: World, skill: string, yaml: string): Promise<void> {
  const folder = join(world.project, '.claude', 'skills', skill)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'SKILL.md'), `---\nname: ${skill}\ndescription: Runs.\n---\n`)
  await writeFile(join(folder, 'holdfast.yaml'), yaml)
}

/** The effort of a started pipeline of two prompts. */
export async function pipeline(world: World): Promise<number> {
  const params = { task_id: await world.task(), skill: await pipelineSkill(world) }
  return (await world.call('pipeline.start', params)).effort_id
}

/** A new skill with a pipeline of two prompts. */
export async function pipelineSkill(world: World): Promise<string> {
  const skill = world.name('pipeline')
  await writePipeline(world, skill, 'pipeline: [{id: a, prompt: do a}, {id: b, prompt: do b}]\n')
  return skill
}

/** A started pipeline. */
export async function startedPipeline(world: World, yaml = SHIP, args = 'dark mode') {
  const [skill, task_id] = [world.name('ship'), await world.task()]
  await writePipeline(world, skill, yaml)
  await mkdir(task_id)
  const { effort_id } = await world.call('pipeline.start', { task_id, skill, args })
  const call = (verb: string, more: object = {}): Promise<Answer> =>
    world.call(`pipeline.${verb}`, { effort_id, ...more })
  return {
    skill,
    task_id,
    effort_id: Number(effort_id),
    next: () => call('next'),
    goOn: () => world.call('pipeline.continue', { task_id }),
    done: (step: string, more: object = {}) => call('done', { step, ...more }),
    fail: (step: string, reason = 'it broke') => call('fail', { step, reason }),
    status: () => call('status'),
    states: async () => (await call('status')).steps.map(({ step, state }: Answer) => `${step} ${state}`),
    approve: (subject: string) =>
      world.call('db.effort.approve', { effort_id, subject, reason: 'the user says so' }),
  }
}

/** A repeated call leaves only its key behind. */
export const without = (all: Record<string, unknown>) => ({ ...all, idempotency_keys: undefined })

/** What pipelines promise, on any database. */
export function pipelineContract(world: () => World): void {
  const write = (skill: string, yaml: string) => writePipeline(world(), skill, yaml)
  const started = (yaml?: string, args?: string) => startedPipeline(world(), yaml, args)

  describe('a pipeline', () => {
    test('gives each step with its exact call, its condition and how to report', async () => {
      const it = await started()
      const seq = await world().lastSeq()
      const branch = await it.next()
      expect(branch).toMatchObject({
        status: 'running',
        offer: {
          step: 'branch',
          position: '[1/4]',
          kind: 'command',
          call: 'git switch -c work',
          verify: null,
          attempt: 1,
          limit: 2,
          resumed: false,
          report: { done: `holdfast step done branch --effort ${it.effort_id}` },
        },
      })
      await it.done('branch', { skip: 'not on main' })
      expect((await it.next()).offer).toMatchObject({
        call: '/look dark mode',
        verify: `the file ${it.task_id}/plan.md exists`,
      })
      await writeFile(join(it.task_id, 'plan.md'), 'The plan.')
      await it.done('explore')
      const build = (await it.next()).offer
      expect(build).toMatchObject({
        call: '/make the plan of dark mode',
        verify: 'the tests pass',
        report: { done: `holdfast step done build --effort ${it.effort_id} --verified '____'` },
      })
      await it.done('build', { verified: '12 passed' })
      await it.next()
      expect(await it.done('commit')).toMatchObject({ status: 'completed', next: [] })
      expect(await it.states()).toEqual([
        'branch skipped',
        'explore completed',
        'build completed',
        'commit completed',
      ])
      expect(await world().call('db.effort.get', { effort_id: it.effort_id })).toMatchObject({
        lifecycle: 'finished',
      })
      const events = (await world().since(seq)).map(({ event_type, phase }) =>
        `${event_type} ${phase}`.trim(),
      )
      expect(events).toEqual([
        'step.started branch',
        'step.completed branch',
        'step.started explore',
        'step.completed explore',
        'step.started build',
        'step.completed build',
        'step.started commit',
        'step.completed commit',
        'effort.finished',
      ])
    })

    // Defect 2 of the originals: a crashed step counted as done.
    test('repeats a started step until its outcome is reported, and never skips it', async () => {
      const it = await started(THREE)
      await it.next()
      await it.done('a')
      const first = await it.next()
      const before = await world().everything()
      for (const again of [await it.next(), await it.goOn(), await it.goOn()])
        expect(again.offer).toEqual({ ...first.offer, resumed: true })
      expect(without(await world().everything())).toEqual(without(before))
      expect(await it.states()).toEqual(['a completed', 'b started', 'c waiting'])
      expect(await failure(it.done('c'))).toMatchObject({ code: 'refused', field: 'step' })
    })

    // Defect 3 of the originals: the context counted the attempts, and not from the first.
    test('stores started and completed separately, and counts attempts from the first', async () => {
      const it = await started(THREE)
      await it.next()
      const begun = (await it.status()).steps[0]
      expect(begun).toMatchObject({ attempts: 1, started_at: expect.any(String), completed_at: null })
      world().advance(1000)
      await it.fail('a')
      const failed = (await it.status()).steps[0]
      expect(failed).toMatchObject({ attempts: 1, state: 'ready', started_at: begun.started_at })
      expect(failed.completed_at > begun.started_at).toBe(true)
      world().advance(1000)
      expect((await it.next()).offer).toMatchObject({ step: 'a', attempt: 2, limit: 2, resumed: false })
      const again = (await it.status()).steps[0]
      expect(again).toMatchObject({ attempts: 2, state: 'started', completed_at: null })
      expect(again.started_at > failed.completed_at).toBe(true)
    })
  })

  describe('continuing', () => {
    test("finds the caller's own pipeline in any folder, else the only one of the project", async () => {
      const project = join(world().project, world().name('repo'))
      await mkdir(join(project, '.git'), { recursive: true })
      const at = (name: string) => join(project, '.claude/skills/vibe', name)
      await mkdir(at('.'), { recursive: true })
      await writeFile(at('SKILL.md'), '---\nname: vibe\ndescription: Runs.\n---\n')
      await writeFile(at('holdfast.yaml'), THREE)
      const native_id = world().name('native')
      const begin = (task: string, more: object = {}) =>
        world().call('pipeline.start', { task_id: join(project, task), skill: 'vibe', cwd: project, ...more })
      const goOn = (more: object = {}) => world().call('pipeline.continue', { cwd: project, ...more })
      const mine = await begin('one', { native_id, client: 'claude-code' })
      expect(await world().call('db.session.find', { native_id, open: true })).toMatchObject([
        { effort_id: mine.effort_id },
      ])
      expect(await goOn()).toMatchObject({ effort_id: mine.effort_id })
      // A start that is meant to continue, or that repeats the caller's own, starts no second one.
      for (const more of [{ args: '--continue' }, { native_id }])
        expect(await failure(begin('two', more))).toMatchObject({
          code: 'conflict',
          hint: `holdfast step go --effort ${mine.effort_id}`,
        })
      expect(await failure(goOn({ native_id: world().name('native') }))).toMatchObject({ code: 'conflict' })
      const other = await begin('two')
      expect(await goOn({ native_id })).toMatchObject({ effort_id: mine.effort_id })
      expect(await failure(goOn())).toMatchObject({ code: 'conflict' })
      const none = { task_id: join(project, 'three') }
      expect(await failure(goOn(none))).toMatchObject({
        code: 'not-found',
        hint: `holdfast step go --effort ${other.effort_id}`,
      })
    })

    test('without a pipeline by a start that is meant to continue starts none', async () => {
      const [skill, task_id] = [world().name('ship'), await world().task()]
      await write(skill, THREE)
      const begin = world().call('pipeline.start', { task_id, skill, args: 'on --continue' })
      expect(await failure(begin)).toMatchObject({ code: 'not-found', field: 'args' })
    })

    test('finds the pipeline of the task, and several are an error', async () => {
      const task = await world().task()
      expect(await failure(world().call('pipeline.continue', { task_id: task }))).toMatchObject({
        code: 'not-found',
      })
      const it = await started(THREE)
      await world().effort({ task_id: it.task_id })
      expect((await it.goOn()).offer).toMatchObject({ step: 'a', resumed: false })
      const other = world().name('ship')
      await write(other, THREE)
      await world().call('pipeline.start', { task_id: it.task_id, skill: other })
      expect(await failure(it.goOn())).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(other),
      })
    })

    test.each([
      ['', ''],
      ['even if reading is enough for other steps', 'gate: visited\n'],
    ])('keeps the results and the attempts when the file changes meanwhile %s', async (_, gate) => {
      const it = await started(`${gate}${THREE}`)
      await it.next()
      await it.done('a')
      await it.next()
      await it.fail('b')
      await write(
        it.skill,
        `${gate}pipeline: [{id: a, prompt: new a}, {id: b, prompt: new b}, {id: d, prompt: do d}]\n`,
      )
      await world().call('agent.skills.list', { project_id: world().projectId })
      expect((await it.next()).offer).toMatchObject({
        step: 'b',
        call: 'new b',
        attempt: 2,
        position: '[2/3]',
      })
      expect(await it.fail('b')).toMatchObject({ status: 'blocked' })
      expect(await it.states()).toEqual(['a completed', 'b failed', 'd blocked'])
    })
  })

  describe('starting', () => {
    test('creates the task, its folder and its project like an effort, and nothing if it is refused', async () => {
      const project = join(world().project, '..', world().name('unknown'))
      const [folder, task_id] = [join(project, '.claude/skills/ship'), join(project, 'tasks', 'new')]
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'SKILL.md'), '---\nname: ship\ndescription: Runs.\n---\n')
      await writeFile(join(folder, 'holdfast.yaml'), THREE)
      const start = (skill: string) => world().call('pipeline.start', { task_id, skill, cwd: project })
      expect((await failure(start('shop'))).message).toContain('did you mean ship?')
      expect(existsSync(join(project, 'tasks'))).toBe(false)
      expect(await start('ship')).toMatchObject({ skill: 'ship', status: 'running' })
      expect(existsSync(task_id)).toBe(true)
      const [effort] = await world().call('db.effort.list', { task_id })
      expect(effort).toMatchObject({ skill: 'ship', ordinal: 1 })
    })

    test('on a known task looks for the skill in its project, wherever the caller works', async () => {
      const [skill, inner] = [world().name('ship'), join(world().project, world().name('inner'))]
      const [folder, task_id] = [join(inner, '.claude/skills', skill), join(inner, 'task')]
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'SKILL.md'), `---\nname: ${skill}\ndescription: Runs.\n---\n`)
      await writeFile(join(folder, 'holdfast.yaml'), THREE)
      await world().call('db.project.upsert', { path: inner })
      await world().call('db.task.upsert', { dir_path: task_id })
      const cwd = world().project
      const { effort_id } = await world().call('pipeline.start', { task_id, skill, cwd })
      expect(await world().call('pipeline.next', { effort_id })).toMatchObject({ offer: { step: 'a' } })
    })

    test.each([
      ['is known', true],
      ['is new', false],
    ])('concurrently on a task that %s starts it once, and its folder stays', async (_, isKnown) => {
      const [skill, task_id] = [world().name('ship'), join(world().project, world().name('many'))]
      await write(skill, THREE)
      if (isKnown) await world().call('db.task.upsert', { dir_path: task_id })
      const start = () => world().call('pipeline.start', { task_id, skill })
      const all = await Promise.allSettled(Array.from({ length: 8 }, start))
      const codes = all.map((one) => (one.status === 'fulfilled' ? 'begun' : one.reason.code))
      expect(codes.filter((code) => code === 'begun')).toHaveLength(1)
      expect(codes.filter((code) => code === 'conflict')).toHaveLength(7)
      expect(existsSync(task_id)).toBe(true)
    })

    test('requires a skill with a valid pipeline that is not running', async () => {
      const { call, name } = world()
      const task_id = await world().task()
      const start = (skill: string) => failure(call('pipeline.start', { task_id, skill }))
      expect(await start('implement')).toMatchObject({ code: 'conflict', field: 'skill' })
      expect(await start('implemnt')).toMatchObject({
        code: 'not-found',
        message: expect.stringContaining('implement'),
      })
      const broken = name('broken')
      await write(broken, 'pipeline: [{id: a}]\n')
      expect(await start(broken)).toMatchObject({ code: 'conflict', hint: `holdfast skill show ${broken}` })
      const it = await started(THREE)
      expect(await failure(call('pipeline.start', { task_id: it.task_id, skill: it.skill }))).toMatchObject({
        code: 'conflict',
        hint: `holdfast step go --effort ${it.effort_id}`,
      })
    })
  })
}
