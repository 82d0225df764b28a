import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { clientAt, contextOf, reasonOf } from './client.contract.ts'
import { type Answer, failure, type World } from './world.contract.ts'

const SKILL = '---\nname: build\ndescription: Builds.\n---\n\nBuild it.\n'
const PHASES = `phases:
  - {label: "1", name: Build, proof: {tests: {command: npm test, covers: [src/**]}, blocks: how many}}
  - {label: "2", name: Ship}
`

/** An effort in a project of its own whose plan wants its tests proved, with what its tests are about. */
export async function effortToProve(world: World, sidecar = PHASES) {
  const root = join(world.project, world.name('proving'))
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  await write('src/a.ts', 'a')
  await write('.claude/skills/build/SKILL.md', SKILL)
  const { id: project_id } = await world.call('db.project.upsert', { path: root })
  const teach = async (text: string) => {
    await write('.claude/skills/build/holdfast.yaml', text)
    return await world.call('agent.skills.list', { project_id })
  }
  await teach(sidecar)
  await world.call('db.task.upsert', { dir_path: root })
  const { id } = await world.call('db.effort.start', { task_id: root, skill: 'build' })
  const begin = (): Promise<Answer> => world.call('evidence.begin', { effort_id: id, name: 'tests' })
  const finish = (token: string, exit_code = 0): Promise<Answer> =>
    world.call('evidence.finish', { token, exit_code, duration_ms: 5, tail: 'done' })
  const prove = async (exitCode = 0) => await finish((await begin()).token, exitCode)
  const phase = (label: string, more: object = {}): Promise<Answer> =>
    world.call('db.effort.phase', { effort_id: id, label, ...more })
  const list = (): Promise<Answer[]> => world.call('artifact.list', { effort_id: id })
  return { id: id as number, root, write, teach, begin, finish, prove, phase, list }
}

/** What artifacts and evidence promise, on any database. */
export function evidenceContract(world: () => World): void {
  const put = (params: object): Promise<Answer> => world().call('artifact.put', params)

  describe('an artifact', () => {
    test('is recorded once for each rank, with its file, and the ledger says so', async () => {
      const it = await effortToProve(world())
      await it.write('plan.md', 'one')
      const seq = await world().lastSeq()
      const given = {
        effort_id: it.id,
        name: 'plan',
        path: join(it.root, 'plan.md'),
        evidence: { read: false },
      }
      const first = await put(given)
      expect(first).toMatchObject({ name: 'plan', rank: 'claimed', stale: false, counts: true })
      expect(await world().since(seq)).toMatchObject([
        { event_type: 'artifact.recorded', effort_id: it.id, payload: { name: 'plan', rank: 'claimed' } },
      ])
      await it.write('plan.md', 'two')
      expect(await put(given)).toMatchObject({ id: first.id, stale: false })
      expect(await it.list()).toMatchObject([
        { id: first.id, path: join(it.root, 'plan.md'), evidence: { claim: { read: false } }, stale: false },
      ])
    })

    test.each<[string, (it: Awaited<ReturnType<typeof effortToProve>>) => Promise<unknown>]>([
      ['has changed', (it) => it.write('[plan].md', 'two')],
      ['is gone', (it) => rm(join(it.root, '[plan].md'))],
      ['has another name', (it) => rename(join(it.root, '[plan].md'), join(it.root, 'p.md'))],
    ])('is stale when its file %s', async (_, change) => {
      const it = await effortToProve(world())
      await it.write('[plan].md', 'one')
      await put({ effort_id: it.id, name: 'plan', path: join(it.root, '[plan].md') })
      await it.write('other.md', 'x')
      expect(await it.list()).toMatchObject([{ stale: false }])
      await change(it)
      expect(await it.list()).toMatchObject([{ stale: true }])
    })

    test.each<[string, string, object]>([
      ['that is not there', 'not-found', { path: 'nothing.md' }],
      ['that is a folder', 'forbidden', { path: 'src' }],
      ['of another project', 'forbidden', { path: '../other.md' }],
      ['outside', 'forbidden', { path: '/etc/hostname' }],
    ])('has no file %s', async (_, code, { path }: { path?: string }) => {
      const it = await effortToProve(world())
      await writeFile(join(it.root, '../other.md'), '')
      const params = {
        effort_id: it.id,
        name: 'plan',
        path: join(path?.startsWith('/') === true ? '' : it.root, path ?? ''),
      }
      expect(await failure(put(params))).toMatchObject({ code, field: 'path' })
    })

    test('belongs to an effort that goes on, to its spans and to steps of its plan', async () => {
      const it = await effortToProve(world())
      const given = { effort_id: it.id, name: 'plan' }
      expect(await failure(put({ ...given, step: '3' }))).toMatchObject({ code: 'not-found', field: 'step' })
      expect(await failure(put({ ...given, span_id: 'x' }))).toMatchObject({
        code: 'not-found',
        field: 'span_id',
      })
      const [adHoc] = await world().call('db.effort.list', { task_id: it.root, ad_hoc: true })
      expect(await failure(put({ ...given, effort_id: adHoc.id }))).toMatchObject({ code: 'conflict' })
      await world().call('db.effort.finish', { effort_id: it.id })
      expect(await failure(put(given))).toMatchObject({ code: 'conflict', field: 'effort_id' })
      expect(await failure(put({ ...given, effort_id: 2 ** 40 }))).toMatchObject({ code: 'not-found' })
    })

    test('cannot be said to be proved', async () => {
      const it = await effortToProve(world())
      expect(await failure(put({ effort_id: it.id, name: 'tests', rank: 'proved' }))).toMatchObject({
        code: 'invalid',
        field: 'rank',
      })
      const claimed = await put({
        effort_id: it.id,
        name: 'tests',
        evidence: { rank: 'proved', exit_code: 0 },
      })
      expect(claimed).toMatchObject({
        rank: 'claimed',
        counts: false,
        to_record: [`holdfast prove tests --effort ${it.id}`],
      })
    })
  })

  describe('a run of the command that a plan names', () => {
    test('says what to run and where, and ends once', async () => {
      const it = await effortToProve(world())
      const begun = await it.begin()
      expect(begun).toMatchObject({ command: 'npm test', folder: it.root, covers: ['src/**'], files: 1 })
      expect(await it.finish(begun.token)).toMatchObject({
        proved: true,
        rank: 'proved',
        stale: false,
        counts: true,
      })
      expect(await failure(it.finish(begun.token))).toMatchObject({ code: 'not-found', field: 'token' })
      expect(await failure(it.finish('made-up'))).toMatchObject({ code: 'not-found', field: 'token' })
      expect(await it.list()).toMatchObject([
        { name: 'tests', rank: 'proved', evidence: { command: 'npm test', exit_code: 0, tail: 'done' } },
      ])
    })

    test('that failed is in the ledger, and takes back what was proved before', async () => {
      const it = await effortToProve(world())
      await it.prove()
      const seq = await world().lastSeq()
      expect(await it.prove(3)).toEqual({ proved: false, effort_id: it.id, name: 'tests', exit_code: 3 })
      expect(await world().since(seq)).toMatchObject([
        { event_type: 'evidence.begun' },
        { event_type: 'evidence.failed', effort_id: it.id, payload: { exit_code: 3, command: 'npm test' } },
      ])
      expect(await it.list()).toEqual([])
    })

    test('is worth nothing when what it covers changes, meanwhile or afterwards', async () => {
      const it = await effortToProve(world())
      const { token } = await it.begin()
      await it.write('src/a.ts', 'changed meanwhile')
      expect(await it.finish(token)).toMatchObject({ stale: true, counts: false })
      expect(await it.prove()).toMatchObject({ stale: false, counts: true })
      await it.write('src/deep/new.ts', '')
      expect(await it.list()).toMatchObject([{ stale: true }])
    })

    test('that nobody ended is forgotten after a week, and cannot be ended any more', async () => {
      const it = await effortToProve(world())
      const { token } = await it.begin()
      world().advance(8 * 24 * 60 * 60 * 1000)
      await it.prove()
      expect(await failure(it.finish(token))).toMatchObject({ code: 'not-found' })
    })

    test('is only of what the plan names, and of files that are there', async () => {
      const it = await effortToProve(world())
      const begin = (params: object) => failure(world().call('evidence.begin', params))
      expect(await begin({ effort_id: it.id, name: 'test' })).toMatchObject({
        code: 'not-found',
        message: `The plan of effort ${it.id} names no command for test; there is one for tests.`,
      })
      expect(await begin({ name: 'tests' })).toMatchObject({ code: 'invalid', field: 'effort_id' })
      await rm(join(it.root, 'src'), { recursive: true })
      expect(await begin({ effort_id: it.id, name: 'tests' })).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('src/**'),
      })
    })

    test('is of the one effort of the project that asks for it, else somebody must say which', async () => {
      const it = await effortToProve(world())
      const here = { name: 'tests', path: join(it.root, 'src') }
      expect(await world().call('evidence.begin', here)).toMatchObject({ effort_id: it.id })
      const other = await world().call('db.effort.start', { task_id: it.root, skill: 'build' })
      expect(await failure(world().call('evidence.begin', here))).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(String(other.id)),
        hint: expect.stringContaining('holdfast prove tests --effort '),
      })
      await world().call('db.effort.finish', { effort_id: other.id })
      await world().call('db.effort.finish', { effort_id: it.id })
      expect(await failure(world().call('evidence.begin', here))).toMatchObject({ code: 'not-found' })
    })
  })

  describe('a phase that wants evidence', () => {
    test('is not left by a word, and the refusal says what to run', async () => {
      const it = await effortToProve(world())
      await it.phase('1')
      for (const tests of [true, 'all pass', { rank: 'proved', exit_code: 0 }, 0]) {
        const refused = await failure(it.phase('2', { proof: { tests, blocks: 0 } }))
        expect(refused).toMatchObject({ code: 'refused', field: 'proof' })
        expect(refused.message).toContain('A word is not enough for tests: the plan wants npm test run.')
        expect(refused.hint).toBe(
          `holdfast prove tests --effort ${it.id} && holdfast effort phase ${it.id} '2: Ship' --proof '{"blocks":0}'`,
        )
      }
      await put({ effort_id: it.id, name: 'tests' })
      await failure(it.phase('2', { proof: { tests: true, blocks: 0 } }))
    })

    test('is left with what was proved, and other fields are answered as ever', async () => {
      const it = await effortToProve(world())
      await it.phase('1')
      await it.prove()
      expect(await failure(it.phase('2'))).toMatchObject({
        hint: `holdfast effort phase ${it.id} '2: Ship' --proof '{"blocks":"____"}'`,
      })
      expect(await it.phase('2', { proof: { blocks: false } })).toMatchObject({ entered: true })
      const { phase_history } = await world().call('db.effort.get', { effort_id: it.id })
      expect(phase_history[1].proof).toMatchObject({
        blocks: false,
        tests: { rank: 'proved', command: 'npm test' },
      })
      expect(await world().call('db.effort.validate', { effort_id: it.id })).toMatchObject({ valid: true })
    })

    test('is not left with what has gone stale, has failed since, or was another command', async () => {
      const it = await effortToProve(world())
      const leave = () => it.phase('2', { proof: { blocks: 0 } })
      await it.phase('1')
      await it.prove()
      await it.write('src/a.ts', 'changed')
      expect((await failure(leave())).message).toContain('covers have changed since it was proved')
      await it.prove()
      await it.prove(1)
      await failure(leave())
      await it.prove()
      await it.teach(PHASES.replace('npm test', 'npm run check'))
      await failure(leave())
      await it.teach(PHASES)
      expect(await leave()).toMatchObject({ entered: true })
    })

    test('says so to whoever begins and goes on with it', async () => {
      const it = await clientAt(world())
      await it.add('build', { 'SKILL.md': SKILL, 'holdfast.yaml': PHASES })
      await mkdir(join(it.project, 'src'))
      await writeFile(join(it.project, 'src/a.ts'), '')
      await it.start()
      await it.prompt('/build')
      const [{ id }] = await it.rows(`select id from efforts where task_id = '${it.project}' and ordinal > 0`)
      await world().call('db.effort.phase', { effort_id: id, label: '1' })
      const told = contextOf(await it.start('compact'))
      expect(told).toContain(`Not by your word, but by running: holdfast prove tests --effort ${id}`)
      expect(told).toContain(`holdfast effort phase ${id} '2: Ship' --proof '{"blocks":"____"}'`)
      const { token } = await world().call('evidence.begin', { effort_id: id, name: 'tests' })
      await world().call('evidence.finish', { token, exit_code: 0, duration_ms: 1 })
      world().advance(3000)
      expect(contextOf(await it.start('compact'))).not.toContain('holdfast prove')
    })

    test('is left without where the user allows it, with the reason', async () => {
      const it = await effortToProve(world())
      await it.phase('1')
      expect(await it.phase('2', { proof: { blocks: 0 }, reason: 'a hotfix' })).toMatchObject({
        entered: true,
      })
    })

    test('is left with an approval that waited, once, and what comes next says what to run', async () => {
      const it = await effortToProve(world())
      const get = () => world().call('db.effort.get', { effort_id: it.id })
      await it.phase('1')
      const run = `holdfast prove tests --effort ${it.id} && `
      const enter = `holdfast effort phase ${it.id} '2: Ship' --proof '{"blocks":"____"}'`
      expect(await get()).toMatchObject({ next: [`${run}${enter}`] })
      await it.prove()
      expect(await get()).toMatchObject({ next: [enter], artifacts: [{ name: 'tests', rank: 'proved' }] })
      await it.write('src/a.ts', 'changed')
      expect(await get()).toMatchObject({ next: [`${run}${enter}`] })
      await world().call('db.effort.approve', { effort_id: it.id, subject: '2', reason: 'a hotfix' })
      expect(await it.phase('2')).toMatchObject({ entered: true })
      const { approvals } = await get()
      expect(approvals).toMatchObject([{ reason: 'a hotfix', used_at: expect.any(String) as string }])
    })
  })

  describe('a plan whose steps must produce', () => {
    const GATED = 'gate: produced\nartifacts:\n  result: {command: make result, covers: [out]}\n'
    const gated = async (sidecar = GATED) => {
      const it = await clientAt(world())
      await it.add('flow', { 'holdfast.yaml': sidecar })
      await writeFile(join(it.project, 'view.md'), 'view')
      await writeFile(join(it.project, 'out'), 'out')
      await it.start()
      const called = await it.prompt('/flow')
      const [effort] = await it.rows(`select id from efforts where task_id = '${it.project}' and ordinal > 0`)
      const id = Number(effort.id)
      const record = (name: string, path?: string) =>
        put({ effort_id: id, name, ...(path !== undefined && { path: join(it.project, path) }) })
      const step = (name: string) => it.read(it.flow(`steps/${name}.md`))
      const visits = async () =>
        await it.rows(`select step, outcome from step_visits where effort_id = ${id} order by id`)
      return { ...it, id, called, record, step, visits }
    }

    test('goes on when they are recorded, not when they are read', async () => {
      const it = await gated()
      expect((await it.step('look')).decision).toBe('allow')
      const refused = await it.step('think')
      expect(refused.decision).toBe('block')
      expect(reasonOf(refused)).toBe(
        `Step think needs view (from look). When that is done, run holdfast artifact put ${it.id} view --path FILE, then read ${it.flow('steps/think.md')} again.`,
      )
      expect(await it.record('view', 'view.md')).toMatchObject({
        counts: true,
        completed_steps: ['look'],
        next_steps: ['think'],
        to_record: [],
      })
      expect(await it.visits()).toEqual([{ step: 'look', outcome: 'ok' }])
      expect((await it.step('think')).decision).toBe('allow')
      expect(await it.visits()).toEqual([
        { step: 'look', outcome: 'ok' },
        { step: 'think', outcome: null },
      ])
      expect((await it.step('do')).decision).toBe('block')
    })

    test('lets a step be read once where the user allows it, though nothing is recorded', async () => {
      const it = await gated()
      const get = () => world().call('db.effort.get', { effort_id: it.id })
      await it.step('look')
      expect(await get()).toMatchObject({ next: [`holdfast artifact put ${it.id} view --path FILE`] })
      expect((await it.step('think')).decision).toBe('block')
      await world().call('db.effort.approve', { effort_id: it.id, subject: 'think', reason: 'in a hurry' })
      expect((await it.step('think')).decision).toBe('allow')
      expect(await it.visits()).toEqual([
        { step: 'look', outcome: null },
        { step: 'think', outcome: null },
      ])
      expect((await get()).approvals).toMatchObject([{ used_at: expect.any(String) as string }])
    })

    test('needs both: what is recorded before its step was begun does not begin it', async () => {
      const it = await gated()
      await it.record('view', 'view.md')
      const refused = await it.step('think')
      expect(refused.decision).toBe('block')
      expect(reasonOf(refused)).toContain(`read ${it.flow('steps/look.md')}`)
      await it.step('look')
      expect((await it.step('think')).decision).toBe('allow')
    })

    test('does not take a sub-agent that was sent for one that has come back', async () => {
      const it = await gated()
      await it.use('Task', { prompt: `Read ${it.flow('steps/look.md')} and do it.`, subagent_type: 'x' })
      await it.read(it.flow('steps/look.md'), { agent_id: 'sub', agent_type: 'x' })
      expect(await it.visits()).toEqual([])
      expect((await it.step('think')).decision).toBe('block')
    })

    test('refuses what consumes an artifact that has changed since', async () => {
      const it = await gated()
      await it.step('look')
      await it.record('view', 'view.md')
      await writeFile(join(it.project, 'view.md'), 'another view')
      const refused = await it.step('think')
      expect(refused.decision).toBe('block')
      expect(reasonOf(refused)).toContain('changed since it was recorded')
      expect(reasonOf(refused)).toContain(`holdfast artifact put ${it.id} view --path FILE`)
      await it.record('view', 'view.md')
      expect((await it.step('think')).decision).toBe('allow')
    })

    test('is over when the last of them is as good as the plan asks for', async () => {
      const it = await gated()
      for (const [step, artifact] of [
        ['look', 'view'],
        ['think', 'idea'],
      ] as const) {
        await it.step(step)
        await it.record(artifact)
      }
      await it.step('do')
      const command = `holdfast prove result --effort ${it.id}`
      expect(await it.record('result', 'out')).toMatchObject({ counts: false, to_record: [command] })
      expect(contextOf(await it.start('compact'))).toContain(command)
      const { token } = await world().call('evidence.begin', { effort_id: it.id, name: 'result' })
      const ended = { token, exit_code: 0, duration_ms: 1 }
      expect(await world().call('evidence.finish', ended)).toMatchObject({ completed_steps: ['do'] })
      const again = await it.prompt('/flow once more')
      expect(contextOf(again)).toContain('Holdfast tracks the skill flow as effort')
      expect(contextOf(again)).not.toContain(`effort ${it.id} in`)
    })

    test('takes what a hook saw where the plan says that this is enough', async () => {
      const it = await gated(`${GATED}  view: {command: make view, covers: [view.md], rank: observed}\n`)
      const run = (command: string, response: object, more: object = {}) =>
        it.fire('PostToolUse', {
          tool_name: 'Bash',
          tool_input: { command, ...more },
          tool_use_id: world().name('call'),
          tool_response: response,
        })
      const ended = { stdout: '', stderr: '', interrupted: false }
      const ranks = async () =>
        (await world().call('artifact.list', { effort_id: it.id })).map(({ name, rank, stale }: Answer) => [
          name,
          rank,
          stale,
        ])
      await it.step('look')
      await it.record('view', 'view.md')
      expect((await it.step('think')).decision).toBe('block')
      await run('make', ended)
      await run('make view; true', ended)
      await run('make view', ended, { run_in_background: true })
      await run('make view', { ...ended, backgroundTaskId: 'b1' })
      await run('make view', { ...ended, interrupted: true })
      await run('make view', {})
      await it.fire('PostToolUse', {
        tool_name: 'Bash',
        tool_input: { command: 'make view' },
        tool_response: ended,
        agent_id: 'sub',
        agent_type: 'x',
      })
      expect(await ranks()).toEqual([['view', 'claimed', false]])
      await run('make view', ended)
      expect(await ranks()).toEqual([
        ['view', 'claimed', false],
        ['view', 'observed', false],
      ])
      expect(await it.visits()).toEqual([{ step: 'look', outcome: 'ok' }])
      await writeFile(join(it.project, 'view.md'), 'another view')
      expect((await it.step('think')).decision).toBe('block')
      await run('make view', ended)
      const failed = { tool_name: 'Bash', tool_input: { command: 'make view' }, error: 'Exit code 2' }
      await it.fire('PostToolUseFailure', { ...failed, is_interrupt: true })
      expect((await it.step('think')).decision).toBe('allow')
      await it.fire('PostToolUseFailure', failed)
      expect(await ranks()).toEqual([['view', 'claimed', true]])
    })

    test('carries what was recorded over to a plan that has changed', async () => {
      const it = await gated()
      await it.step('look')
      await it.record('view')
      await it.add('flow', {
        'steps/think.md': '---\nconsumes: [view]\nproduces: [idea]\n---\nThink well.\n',
      })
      await it.prompt('/flow')
      expect((await it.step('think')).decision).toBe('allow')
    })
  })
}
