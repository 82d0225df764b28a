import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Answer, failure, type World } from './world.contract.ts'

const SHIP = `pipeline:
  - {id: branch, command: git switch -c work, optional: true}
  - {id: explore, skill: look, args: $ARGUMENTS, verify: {file: plan.md}}
  - {id: build, skill: make, args: "the plan of $ARGUMENTS", verify: the tests pass, limit: 3}
  - {id: commit, prompt: Commit it.}
`

/** What pipelines promise, on any database. */
export function pipelineContract(world: () => World): void {
  const write = async (skill: string, yaml: string) => {
    const folder = join(world().project, '.claude', 'skills', skill)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'SKILL.md'), `---\nname: ${skill}\ndescription: Runs.\n---\n`)
    await writeFile(join(folder, 'holdfast.yaml'), yaml)
  }
  const started = async (yaml = SHIP, args = 'dark mode') => {
    const [skill, task_id] = [world().name('ship'), await world().task()]
    await write(skill, yaml)
    await mkdir(task_id)
    const { effort_id } = await world().call('pipeline.start', { task_id, skill, args })
    const call = (verb: string, more: object = {}): Promise<Answer> =>
      world().call(`pipeline.${verb}`, { effort_id, ...more })
    return {
      skill,
      task_id,
      effort_id: Number(effort_id),
      next: () => call('next'),
      goOn: () => world().call('pipeline.continue', { task_id }),
      done: (step: string, more: object = {}) => call('done', { step, ...more }),
      fail: (step: string, reason = 'it broke') => call('fail', { step, reason }),
      status: () => call('status'),
      states: async () => (await call('status')).steps.map(({ step, state }: Answer) => `${step} ${state}`),
      approve: (subject: string) =>
        world().call('db.effort.approve', { effort_id, subject, reason: 'the user says so' }),
    }
  }
  const TWO = 'pipeline: [{id: a, prompt: do a}, {id: b, prompt: do b}, {id: c, prompt: do c}]\n'

  describe('a pipeline', () => {
    test('is led step by step: the exact call, the condition, and how to report', async () => {
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
          report: { done: `holdfast pipeline done ${it.effort_id} branch` },
        },
      })
      await it.done('branch', { skip: 'not on main' })
      expect((await it.next()).offer).toMatchObject({
        call: '/look dark mode',
        verify: 'there is a file plan.md',
      })
      await writeFile(join(it.task_id, 'plan.md'), 'The plan.')
      await it.done('explore')
      const build = (await it.next()).offer
      expect(build).toMatchObject({
        call: '/make the plan of dark mode',
        verify: 'the tests pass',
        report: { done: `holdfast pipeline done ${it.effort_id} build --verified '____'` },
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

    // Defect 2 of the originals: a step that had crashed was taken for done.
    test('asks for what was begun again until somebody says how it ended, and never skips it', async () => {
      const it = await started(TWO)
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

    // Defect 3 of the originals: attempts were counted in the context, and not from the first.
    test('has started and completed as two facts, and attempts that count from the first', async () => {
      const it = await started(TWO)
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

  describe('a step that fails for good', () => {
    // Defect 4 of the originals: what depended on it stayed pending.
    test('blocks what comes after it, which never waits for ever', async () => {
      const it = await started(TWO)
      await it.next()
      await it.fail('a')
      await it.next()
      const seq = await world().lastSeq()
      const blocked = await it.fail('a', 'broken again')
      expect(blocked).toMatchObject({
        status: 'blocked',
        reason: 'The limit of a is reached.',
        next: [`holdfast effort approve ${it.effort_id} a --reason WHY`],
      })
      expect(await it.states()).toEqual(['a failed', 'b blocked', 'c blocked'])
      expect(await it.next()).toMatchObject({ status: 'blocked', offer: null })
      expect(await world().since(seq)).toMatchObject([
        { event_type: 'step.failed', phase: 'a', payload: { reason: 'broken again', attempt: 2 } },
        { event_type: 'plan.parked', payload: { reason: 'The limit of a is reached.' } },
      ])
    })

    test('goes on where the user lets it, once', async () => {
      const it = await started(TWO)
      for (const _ of [1, 2]) {
        await it.next()
        await it.fail('a')
      }
      await it.approve('a')
      expect((await it.next()).offer).toMatchObject({ step: 'a', attempt: 3, resumed: false })
      expect(await it.fail('a')).toMatchObject({ status: 'blocked' })
      expect(await it.next()).toMatchObject({ offer: null })
      await it.approve('b')
      expect((await it.next()).offer).toMatchObject({ step: 'b', attempt: 1 })
      expect(await it.done('b')).toMatchObject({ status: 'running' })
      expect(await it.states()).toEqual(['a failed', 'b completed', 'c ready'])
    })

    test('leads to where the author says, when its limit is reached and not before', async () => {
      const it = await started(
        'pipeline: [{id: a, prompt: a, limit: 1, onError: c}, {id: b, prompt: b}, {id: c, prompt: c}]\n',
      )
      await it.next()
      expect(await it.fail('a')).toMatchObject({ status: 'running' })
      expect((await it.next()).offer).toMatchObject({ step: 'c' })
      expect(await it.done('c')).toMatchObject({ status: 'completed' })
      expect(await it.states()).toEqual(['a failed', 'b left out', 'c completed'])
    })

    // Defect 1 of the originals: a counter that was handed on from step to step was lost on the way.
    test('leads back only so often as the limits of all the rounds allow, whoever goes them', async () => {
      const it = await started(
        'pipeline: [{id: write, prompt: w, limit: 3}, {id: review, prompt: r, limit: 2, onError: write}]\n',
      )
      await it.next()
      await it.done('write')
      for (const attempt of [1, 2]) {
        expect((await it.goOn()).offer).toMatchObject({ step: 'review', attempt, resumed: false })
        await it.fail('review')
      }
      expect((await it.goOn()).offer).toMatchObject({ step: 'write', attempt: 2, limit: 3 })
      expect(await it.done('write')).toMatchObject({
        status: 'blocked',
        reason: 'The limit of review is reached.',
      })
    })

    test('is passed by where it is optional', async () => {
      const it = await started(
        'pipeline: [{id: a, prompt: a, limit: 1, optional: true}, {id: b, prompt: b}]\n',
      )
      await it.next()
      await it.fail('a')
      expect((await it.next()).offer).toMatchObject({ step: 'b' })
    })
  })

  describe('a report', () => {
    test('that comes twice changes nothing, also after the last step', async () => {
      const it = await started('pipeline: [{id: a, prompt: a}, {id: b, prompt: b}]\n')
      await it.next()
      const failed = await it.fail('a')
      const before = await world().everything()
      expect(await it.fail('a')).toEqual(failed)
      expect(without(await world().everything())).toEqual(without(before))
      await it.next()
      const done = await it.done('a')
      expect(await it.done('a')).toEqual(done)
      await it.next()
      const last = await it.done('b')
      expect(await it.done('b')).toEqual(last)
      expect(await failure(it.fail('b'))).toMatchObject({ code: 'conflict' })
    })

    test('needs what the step promises: a file that holds something, or words about what was seen', async () => {
      const it = await started()
      await it.next()
      await it.done('branch')
      await it.next()
      const seq = await world().lastSeq()
      const missing = await failure(it.done('explore'))
      expect(missing).toMatchObject({ code: 'refused', field: 'verified' })
      expect(missing.message).toContain('plan.md')
      await writeFile(join(it.task_id, 'plan.md'), '')
      expect(await failure(it.done('explore'))).toMatchObject({ code: 'refused' })
      expect(await world().since(seq)).toMatchObject([
        { event_type: 'step.refused', phase: 'explore' },
        { event_type: 'step.refused', phase: 'explore' },
      ])
      await writeFile(join(it.task_id, 'plan.md'), 'The plan.')
      await it.done('explore')
      await it.next()
      for (const verified of [undefined, '', '  ', '____'])
        expect(await failure(it.done('build', { verified }))).toMatchObject({
          code: 'refused',
          hint: `holdfast pipeline done ${it.effort_id} build --verified '____'`,
        })
      expect(await failure(it.done('build', { skip: 'no time' }))).toMatchObject({ code: 'refused' })
      expect(await it.done('build', { verified: 'all 12 pass' })).toMatchObject({ status: 'running' })
    })

    test('of a step that was not begun, or that there is not, is refused', async () => {
      const it = await started(TWO)
      expect(await failure(it.done('a'))).toMatchObject({
        code: 'refused',
        hint: `holdfast pipeline next ${it.effort_id}`,
      })
      expect(await failure(it.fail('b'))).toMatchObject({ code: 'refused' })
      expect(await failure(it.done('zzz'))).toMatchObject({ code: 'not-found', field: 'step' })
    })

    test('is taken once, however many come at the same moment', async () => {
      const it = await started(TWO)
      await it.next()
      const seq = await world().lastSeq()
      await Promise.all(Array.from({ length: 8 }, () => it.fail('a')))
      expect(await world().since(seq)).toMatchObject([{ event_type: 'step.failed' }])
      const offers = await Promise.all(Array.from({ length: 8 }, () => it.next()))
      expect(new Set(offers.map(({ offer }) => offer.attempt))).toEqual(new Set([2]))
    })
  })

  describe('going on', () => {
    test('finds the pipeline of the task, and wants to be told which where there are several', async () => {
      const task = await world().task()
      expect(await failure(world().call('pipeline.continue', { task_id: task }))).toMatchObject({
        code: 'not-found',
      })
      const it = await started(TWO)
      await world().effort({ task_id: it.task_id })
      expect((await it.goOn()).offer).toMatchObject({ step: 'a', resumed: false })
      const other = world().name('ship')
      await write(other, TWO)
      await world().call('pipeline.start', { task_id: it.task_id, skill: other })
      expect(await failure(it.goOn())).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(other),
      })
    })

    test.each([
      ['', ''],
      ['also where reading is enough for other steps', 'gate: visited\n'],
    ])(
      'keeps what was done and how often it was tried when the file changes meanwhile %s',
      async (_, gate) => {
        const it = await started(`${gate}${TWO}`)
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
      },
    )
  })

  describe('starting', () => {
    test('makes the task, its folder and its project as an effort does, and leaves nothing where it is refused', async () => {
      const project = join(world().project, '..', world().name('unknown'))
      const [folder, task_id] = [join(project, '.claude/skills/ship'), join(project, 'tasks', 'new')]
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'SKILL.md'), '---\nname: ship\ndescription: Runs.\n---\n')
      await writeFile(join(folder, 'holdfast.yaml'), TWO)
      const start = (skill: string) => world().call('pipeline.start', { task_id, skill, cwd: project })
      expect((await failure(start('shop'))).message).toContain('did you mean ship?')
      expect(existsSync(join(project, 'tasks'))).toBe(false)
      expect(await start('ship')).toMatchObject({ skill: 'ship', status: 'running' })
      expect(existsSync(task_id)).toBe(true)
      const [effort] = await world().call('db.effort.list', { task_id })
      expect(effort).toMatchObject({ skill: 'ship', ordinal: 1 })
    })

    test('of a task that is known looks for the skill in its own project, wherever the caller works', async () => {
      const [skill, inner] = [world().name('ship'), join(world().project, world().name('inner'))]
      const [folder, task_id] = [join(inner, '.claude/skills', skill), join(inner, 'task')]
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'SKILL.md'), `---\nname: ${skill}\ndescription: Runs.\n---\n`)
      await writeFile(join(folder, 'holdfast.yaml'), TWO)
      await world().call('db.project.upsert', { path: inner })
      await world().call('db.task.upsert', { dir_path: task_id })
      const cwd = world().project
      const { effort_id } = await world().call('pipeline.start', { task_id, skill, cwd })
      expect(await world().call('pipeline.next', { effort_id })).toMatchObject({ offer: { step: 'a' } })
    })

    test.each([
      ['is known', true],
      ['is new', false],
    ])('by many at once on a task that %s begins it once, and its folder stays', async (_, isKnown) => {
      const [skill, task_id] = [world().name('ship'), join(world().project, world().name('many'))]
      await write(skill, TWO)
      if (isKnown) await world().call('db.task.upsert', { dir_path: task_id })
      const start = () => world().call('pipeline.start', { task_id, skill })
      const all = await Promise.allSettled(Array.from({ length: 8 }, start))
      expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(existsSync(task_id)).toBe(true)
    })

    test('wants a skill with a sound pipeline, and not one that is under way', async () => {
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
      expect(await start(broken)).toMatchObject({ code: 'conflict', hint: 'holdfast skill check' })
      const it = await started(TWO)
      expect(await failure(call('pipeline.start', { task_id: it.task_id, skill: it.skill }))).toMatchObject({
        code: 'conflict',
        hint: expect.stringContaining('holdfast pipeline --continue'),
      })
    })
  })
}

/** A repeated call leaves its key behind, and nothing else. */
const without = (all: Record<string, unknown>) => ({ ...all, idempotency_keys: undefined })
