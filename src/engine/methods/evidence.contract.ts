import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { clientAt, contextOf } from '../hook/client.contract.ts'
import { type Answer, failure, type World, writeFiles } from '../world.contract.ts'

const SKILL = '---\nname: build\ndescription: Builds.\n---\n\nBuild it.\n'
const PHASES = `phases:
  - {label: "1", name: Build, proof: {tests: {command: npm test, covers: [src/**]}, blocks: how many}}
  - {label: "2", name: Ship}
`

/** An effort in its own project whose plan requires proved tests, with the files they cover. */
export async function effortToProve(world: World, sidecar = PHASES) {
  const root = join(world.project, world.name('proving'))
  const write = (path: string, text: string) => writeFiles({ [path]: text }, root)
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

/** What evidence promises, on any database. */
export function evidenceContract(world: () => World): void {
  describe('a run of a demanded command', () => {
    test('returns what to run and where, and finishes once', async () => {
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

    test('that failed is in the ledger, and invalidates the earlier proof', async () => {
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

    test('becomes stale when its files change, during the run or afterwards', async () => {
      const it = await effortToProve(world())
      const { token } = await it.begin()
      await it.write('src/a.ts', 'changed meanwhile')
      expect(await it.finish(token)).toMatchObject({ stale: true, counts: false })
      expect(await it.prove()).toMatchObject({ stale: false, counts: true })
      await it.write('src/deep/new.ts', '')
      expect(await it.list()).toMatchObject([{ stale: true }])
    })

    test('is stale if a file was swapped during the run and put back', async () => {
      const it = await effortToProve(world())
      for (const swap of [
        async () => {
          await it.write('src/a.ts', 'passes')
          await it.write('src/a.ts', 'a')
        },
        async () => {
          await rename(join(it.root, 'src/a.ts'), join(it.root, 'aside'))
          await it.write('src/a.ts', 'passes')
          await rename(join(it.root, 'aside'), join(it.root, 'src/a.ts'))
        },
      ]) {
        const { token } = await it.begin()
        await swap()
        expect(await it.finish(token)).toMatchObject({ stale: true, counts: false })
        expect(await it.list()).toMatchObject([{ stale: true }])
        expect(await it.prove()).toMatchObject({ stale: false, counts: true })
      }
    })

    test('that must fail is proved by any code but 0, and 0 takes it back', async () => {
      const red = PHASES.replace('covers:', 'expect: fail, covers:')
      const it = await effortToProve(world(), red)
      expect(await it.prove(0)).toMatchObject({ proved: false, exit_code: 0 })
      expect(await it.prove(1)).toMatchObject({ proved: true, rank: 'proved', counts: true })
      expect(await it.list()).toMatchObject([{ name: 'tests', evidence: { exit_code: 1, expect: 'fail' } }])
      await it.phase('1')
      await it.teach(PHASES)
      await failure(it.phase('2', { proof: { blocks: 0 } }))
      await it.teach(red)
      expect(await it.phase('2', { proof: { blocks: 0 } })).toMatchObject({ entered: true })
      await it.prove(0)
      expect(await it.list()).toEqual([])
    })

    test('has the values of the variables in its command and its files', async () => {
      const it = await effortToProve(
        world(),
        `variables: {package: src}\nphases:\n  - label: "1"\n    name: Build\n    proof:\n      tests:\n        command: make \${package}\n        covers: ["\${package}/**"]\n  - {label: "2", name: Ship}\n`,
      )
      expect(await it.begin()).toMatchObject({ command: 'make src', covers: ['src/**'], files: 1 })
      expect(await it.prove()).toMatchObject({ proved: true, counts: true })
      await it.phase('1')
      expect(await it.phase('2')).toMatchObject({ entered: true })
    })

    test('takes back what another name says about the same command', async () => {
      const demand = (more: string) => `{command: npm test, covers: [src/**]${more}}`
      const it = await effortToProve(
        world(),
        `phases:\n  - {label: "1", name: Red, proof: {red: ${demand(', expect: fail')}}}\n  - {label: "2", name: Green, proof: {tests: ${demand('')}}}\n`,
      )
      const { token } = await world().call('evidence.begin', { effort_id: it.id, name: 'red' })
      await it.finish(token, 1)
      expect(await it.list()).toMatchObject([{ name: 'red' }])
      expect(await it.prove(0)).toMatchObject({ proved: true })
      expect(await it.list()).toMatchObject([{ name: 'tests' }])
    })

    test('that was never finished expires after a week', async () => {
      const it = await effortToProve(world())
      const { token } = await it.begin()
      world().advance(8 * 24 * 60 * 60 * 1000)
      await it.prove()
      expect(await failure(it.finish(token))).toMatchObject({ code: 'not-found' })
    })

    test('requires a demand of the plan and existing files', async () => {
      const it = await effortToProve(world())
      const begin = (params: object) => failure(world().call('evidence.begin', params))
      expect(await begin({ effort_id: it.id, name: 'test' })).toMatchObject({
        code: 'not-found',
        field: 'name',
        message: expect.stringMatching(new RegExp(`effort ${it.id} .* for test\\..*: tests\\.$`)),
      })
      expect(await begin({ name: 'tests' })).toMatchObject({ code: 'invalid', field: 'effort_id' })
      await rm(join(it.root, 'src'), { recursive: true })
      expect(await begin({ effort_id: it.id, name: 'tests' })).toMatchObject({
        code: 'conflict',
        message: expect.stringMatching(
          /covers src\/\*\*, .* Write the files first, or correct "covers" of tests /,
        ),
        hint: `holdfast prove tests --effort ${it.id}`,
      })
    })

    test('belongs to the only effort of the project that needs it, and several are an error', async () => {
      const it = await effortToProve(world())
      const here = { name: 'tests', path: join(it.root, 'src') }
      expect(await world().call('evidence.begin', here)).toMatchObject({ effort_id: it.id })
      const other = await world().call('db.effort.start', { task_id: it.root, skill: 'build' })
      expect(await failure(world().call('evidence.begin', here))).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(String(other.id)),
        hint: expect.stringContaining('holdfast prove tests --effort '),
      })
      await world().call('db.effort.finish', { effort_id: other.id, abandon: 'no longer needed' })
      await world().call('db.effort.finish', { effort_id: it.id, abandon: 'no longer needed' })
      expect(await failure(world().call('evidence.begin', here))).toMatchObject({ code: 'not-found' })
    })
  })

  describe('a phase that demands evidence', () => {
    test('is not left with a claim, and the refusal names the command', async () => {
      const it = await effortToProve(world())
      await it.phase('1')
      for (const tests of [true, 'all pass', { rank: 'proved', exit_code: 0 }, 0]) {
        const refused = await failure(it.phase('2', { proof: { tests, blocks: 0 } }))
        expect(refused).toMatchObject({ code: 'refused', field: 'proof' })
        expect(refused.message).toContain('"tests": the plan requires a run of npm test.')
        expect(refused.hint).toBe(
          `holdfast prove tests --effort ${it.id} && holdfast step go '2: Ship' --effort ${it.id} --proof '{"blocks":0}'`,
        )
      }
      await world().call('artifact.put', { effort_id: it.id, name: 'tests' })
      await failure(it.phase('2', { proof: { tests: true, blocks: 0 } }))
    })

    test('is left with proof, and other fields are given as usual', async () => {
      const it = await effortToProve(world())
      await it.phase('1')
      await it.prove()
      expect(await failure(it.phase('2'))).toMatchObject({
        hint: `holdfast step go '2: Ship' --effort ${it.id} --proof '{"blocks":"____"}'`,
      })
      expect(await it.phase('2', { proof: { blocks: false } })).toMatchObject({ entered: true })
      const { phase_history } = await world().call('db.effort.get', { effort_id: it.id })
      expect(phase_history[1].proof).toMatchObject({
        blocks: false,
        tests: { rank: 'proved', command: 'npm test' },
      })
      expect(await world().call('db.effort.validate', { effort_id: it.id })).toMatchObject({ valid: true })
    })

    test('is not left with a record that is stale, has failed since, or is of another command', async () => {
      const it = await effortToProve(world())
      const leave = () => it.phase('2', { proof: { blocks: 0 } })
      await it.phase('1')
      await it.prove()
      await it.write('src/a.ts', 'changed')
      expect((await failure(leave())).message).toContain('changed after it was proved')
      await it.prove()
      await it.prove(1)
      await failure(leave())
      await it.prove()
      await it.teach(PHASES.replace('npm test', 'npm run check'))
      await failure(leave())
      await it.teach(PHASES)
      expect(await leave()).toMatchObject({ entered: true })
    })

    test('names the demand when its effort is started and resumed', async () => {
      const it = await clientAt(world())
      await it.add('build', { 'SKILL.md': SKILL, 'holdfast.yaml': PHASES })
      await mkdir(join(it.project, 'src'))
      await writeFile(join(it.project, 'src/a.ts'), '')
      await it.start()
      await it.prompt('/build')
      const [{ id }] = await it.rows(
        `select id from efforts where task_id like '${it.project}%' and ordinal > 0`,
      )
      await world().call('db.effort.phase', { effort_id: id, label: '1' })
      const told = contextOf(await it.start('compact'))
      expect(told).toContain(`run: holdfast prove tests --effort ${id}`)
      expect(told).toContain(`holdfast step go '2: Ship' --effort ${id} --proof '{"blocks":"____"}'`)
      const { token } = await world().call('evidence.begin', { effort_id: id, name: 'tests' })
      await world().call('evidence.finish', { token, exit_code: 0, duration_ms: 1 })
      world().advance(3000)
      expect(contextOf(await it.start('compact'))).not.toContain('holdfast prove')
    })

    test('is not left without proof because of a reason, which only changes the order', async () => {
      const it = await effortToProve(world())
      await it.phase('1')
      expect(await failure(it.phase('2', { proof: { blocks: 0 }, reason: 'a hotfix' }))).toMatchObject({
        code: 'refused',
        field: 'proof',
      })
    })

    test('is left without it once the user waived it, and the next demand names its command', async () => {
      const it = await effortToProve(world())
      const get = () => world().call('db.effort.get', { effort_id: it.id })
      await it.phase('1')
      const run = `holdfast prove tests --effort ${it.id} && `
      const enter = `holdfast step go '2: Ship' --effort ${it.id} --proof '{"blocks":"____"}'`
      expect(await get()).toMatchObject({ next: [`${run}${enter}`] })
      await it.prove()
      expect(await get()).toMatchObject({ next: [enter], artifacts: [{ name: 'tests', rank: 'proved' }] })
      await it.write('src/a.ts', 'changed')
      expect(await get()).toMatchObject({ next: [`${run}${enter}`] })
      await world().call('db.effort.approve', { effort_id: it.id, subject: 'tests', reason: 'a hotfix' })
      expect(await it.phase('2', { proof: { blocks: 0 } })).toMatchObject({ entered: true })
      const { approvals } = await get()
      expect(approvals).toMatchObject([{ reason: 'a hotfix', used_at: expect.any(String) as string }])
    })
  })
}
