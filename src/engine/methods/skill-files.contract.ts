import { mkdir, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { failure, type Answer, type World, writeFiles } from '../world.contract.ts'

const skill = (name: string, body = 'Do it.') =>
  `---\nname: ${name}\ndescription: Does ${name}.\n---\n\n${body}\n`
const PHASES = 'phases:\n  - {label: "1", name: Plan, proof: [plan_written]}\n  - {label: "2", name: Build}\n'

/** What the stored skills promise about the files that they come from. */
export function skillFilesContract(world: () => World): void {
  const project = async () => {
    const path = join(world().project, world().name('project'))
    await mkdir(path)
    const { id } = await world().call('db.project.upsert', { path })
    return { id: Number(id), path, skills: join(path, '.claude', 'skills') }
  }
  const list = (id: number) => world().call('agent.skills.list', { project_id: id })
  const get = (id: number, name: string) => world().call('db.skills.get', { project_id: id, name })

  describe('phases that come from files', () => {
    const effortOf = async (files: Readonly<Record<string, string>>) => {
      const { id, path, skills } = await project()
      await writeFiles(
        Object.fromEntries(Object.entries(files).map(([name, text]) => [join(skills, 'go', name), text])),
      )
      await list(id)
      await world().call('db.task.upsert', { dir_path: join(path, 'task') })
      const effort = await world().effort({ task_id: join(path, 'task'), skill: 'go' })
      return (label: string, proof: object = {}): Promise<Answer> =>
        world().call('db.effort.phase', { effort_id: effort.id, label, proof })
    }
    const HEADINGS = skill('go', '## Phase 1: Plan\n\nx\n\n## Phase 2: Build\n\nx\n\n## Phase 3: Close\n\nx')

    test('are enforced in order, with the proof that the sidecar adds', async () => {
      const enter = await effortOf({
        'SKILL.md': skill('go'),
        'holdfast.yaml': `${PHASES}proof: {"2": [tests_pass]}\n`,
      })
      expect(await failure(enter('2'))).toMatchObject({ code: 'refused' })
      expect(await enter('1')).toMatchObject({ proof_to_leave: ['plan_written'], next_phases: ['2: Build'] })
      expect(await enter('2', { plan_written: true })).toMatchObject({ proof_to_leave: ['tests_pass'] })
      expect(await failure(enter('2.1: More'))).toMatchObject({ code: 'refused', field: 'proof' })
      expect(await enter('2.1: More', { tests_pass: false })).toMatchObject({ entered: true })
    })

    test('keep their position while their file is broken, and are enforced again when it is fixed', async () => {
      const { id, path, skills } = await project()
      const sidecar = join(skills, 'go/holdfast.yaml')
      await writeFiles({ [join(skills, 'go/SKILL.md')]: skill('go'), [sidecar]: PHASES })
      await list(id)
      await world().call('db.task.upsert', { dir_path: join(path, 'task') })
      const { id: effort_id } = await world().effort({ task_id: join(path, 'task'), skill: 'go' })
      const enter = (label: string, proof: object = {}) =>
        world().call('db.effort.phase', { effort_id, label, proof })
      await enter('1')
      await writeFiles({ [sidecar]: 'phases: [' })
      await list(id)
      expect(await world().call('db.effort.get', { effort_id })).toMatchObject({ current_phase: '1: Plan' })
      await writeFiles({ [sidecar]: PHASES })
      await list(id)
      expect(await failure(enter('2'))).toMatchObject({ code: 'refused', field: 'proof' })
      expect(await enter('2', { plan_written: true })).toMatchObject({ current_phase: '2: Build' })
    })

    test('are only advice if they were inferred from headings', async () => {
      const enter = await effortOf({ 'SKILL.md': HEADINGS })
      expect(await enter('3')).toMatchObject({ entered: true, next_phases: [] })
      expect(await enter('1: Plan')).toMatchObject({ entered: true })
    })

    test('are enforced in order if the author made the headings a contract', async () => {
      const enter = await effortOf({
        'SKILL.md': HEADINGS,
        'holdfast.yaml': 'steps: {"1": {produces: [plan]}}\n',
      })
      expect(await failure(enter('3'))).toMatchObject({
        code: 'refused',
        message: expect.stringContaining('"1: Plan"'),
      })
      expect(await enter('1')).toMatchObject({ current_phase: '1: Plan', next_phases: ['2: Build'] })
      expect(await failure(enter('3'))).toMatchObject({ code: 'refused' })
      expect(await enter('2')).toMatchObject({ entered: true, next_phases: ['3: Close'] })
    })
  })

  describe('the skills of a project', () => {
    test('are those that clients find: its own, the personal ones and those of plugins', async () => {
      const [{ own }, { user }] = [world(), world().context]
      const { id, path } = await project()
      const plugin = join(own, 'plugins', 'cache', 'tools')
      const off = join(own, 'plugins', 'cache', 'off')
      await writeFiles({
        [join(path, '.claude/skills/review/SKILL.md')]: skill('review'),
        [join(path, '.claude/commands/ship.md')]: 'Ship it.',
        [join(path, '.agents/skills/test/SKILL.md')]: skill('test'),
        [join(own, 'skills/mine/SKILL.md')]: skill('mine'),
        [join(user.home, '.agents/skills/shared/SKILL.md')]: skill('shared'),
        [join(plugin, 'skills/lint/SKILL.md')]: skill('lint'),
        [join(off, 'skills/never/SKILL.md')]: skill('never'),
        [join(own, 'plugins/installed_plugins.json')]: JSON.stringify({
          version: 2,
          plugins: {
            'tools@market': [{ scope: 'user', installPath: plugin }],
            'off@market': [{ scope: 'user', installPath: off }],
          },
        }),
        [join(own, 'settings.json')]: JSON.stringify({ enabledPlugins: { 'off@market': false } }),
      })
      const { skills, changed, problems } = await list(id)
      await rm(user.home, { recursive: true })
      expect(problems).toEqual([])
      expect(skills.map(({ name, kind, scope }: Answer) => [name, kind, scope])).toEqual([
        ['mine', 'skill', 'personal'],
        ['review', 'skill', 'project'],
        ['shared', 'skill', 'personal'],
        ['ship', 'command', 'project'],
        ['test', 'skill', 'project'],
        ['tools:lint', 'skill', 'plugin'],
      ])
      expect(changed.toSorted()).toEqual(skills.map(({ name }: Answer) => name))
      expect((await list(id)).deleted).toEqual(['mine', 'shared', 'tools:lint'])
    })

    test('are stored with their plan, and an explicit plan can refuse', async () => {
      const { id, path, skills } = await project()
      await writeFiles({
        [join(skills, 'build/SKILL.md')]: skill('build'),
        [join(skills, 'build/holdfast.yaml')]: PHASES,
        [join(skills, 'loose/SKILL.md')]: skill('loose', '## Phase 1: Look\n\n## Phase 2: Leap'),
        [join(skills, 'broken/SKILL.md')]: skill('broken'),
        [join(skills, 'broken/holdfast.yaml')]: `${PHASES}proof: {typo: [a]}\n`,
      })
      await list(id)
      const build = await get(id, 'build')
      expect(build).toMatchObject({
        description: 'Does build.',
        file: join(skills, 'build/SKILL.md'),
        phases: [{ label: '1', name: 'Plan', proof: ['plan_written'] }, { label: '2' }],
        plan: { notation: 'phases', explicit: true, steps: [{ title: 'Plan' }, { title: 'Build' }] },
        details: { enforceable: true, steps: 2, errors: 0 },
        diagnostics: [],
      })
      expect(await get(id, 'loose')).toMatchObject({
        phases: [],
        plan: { explicit: false },
        details: { enforceable: false, notation: 'phases' },
      })
      expect(await get(id, 'broken')).toMatchObject({
        phases: [],
        details: { enforceable: false, errors: 1 },
        diagnostics: [{ code: 'HF311', file: join(skills, 'broken/holdfast.yaml') }],
      })
      await world().call('db.task.upsert', { dir_path: join(path, 'task') })
      const effort = await world().effort({ task_id: join(path, 'task'), skill: 'build' })
      const enter = (label: string) => world().call('db.effort.phase', { effort_id: effort.id, label })
      await enter('1')
      expect(await failure(enter('2'))).toMatchObject({ code: 'refused', field: 'proof' })
    })

    test('follow their files: changes are read, removed skills are deleted, nothing else is touched', async () => {
      const { id, skills } = await project()
      const steps = join(skills, 'flow/steps')
      await writeFiles({
        [join(skills, 'flow/SKILL.md')]: skill('flow'),
        [join(steps, 'a.md')]: '---\nproduces: [x]\n---\n',
        [join(skills, 'other/SKILL.md')]: skill('other'),
      })
      await world().call('db.skills.upsert', { project_id: id, name: 'by-hand' })
      expect((await list(id)).changed.toSorted()).toEqual(['flow', 'other'])
      const seq = await world().lastSeq()
      expect(await list(id)).toMatchObject({ changed: [], deleted: [] })
      expect(await world().since(seq)).toEqual([])
      await writeFiles({ [join(steps, 'b.md')]: '---\nconsumes: [x]\n---\n' })
      expect(await list(id)).toMatchObject({ changed: ['flow'], deleted: [] })
      expect((await get(id, 'flow')).plan.steps).toHaveLength(2)
      await rm(join(skills, 'flow'), { recursive: true })
      await rename(join(skills, 'other'), join(skills, 'renamed'))
      expect(await list(id)).toMatchObject({ changed: ['renamed'], deleted: ['flow', 'other'] })
      expect((await world().since(seq)).map(({ event_type, skill: name }) => [event_type, name])).toEqual([
        ['skill.changed', 'flow'],
        ['skill.changed', 'renamed'],
        ['skill.deleted', 'flow'],
        ['skill.deleted', 'other'],
      ])
      const { skills: left } = await list(id)
      expect(left.map(({ name }: Answer) => name)).toEqual(['by-hand', 'renamed'])
    })

    test('match their files, whatever was stored over them', async () => {
      const { id, skills } = await project()
      await writeFiles({
        [join(skills, 'a/SKILL.md')]: skill('a'),
        [join(skills, 'a/holdfast.yaml')]: PHASES,
      })
      await list(id)
      await world().call('db.skills.upsert', { project_id: id, name: 'a', phases: [{ label: '9' }] })
      expect(await list(id)).toMatchObject({ changed: ['a'] })
      expect((await get(id, 'a')).phases.map(({ label }: Answer) => label)).toEqual(['1', '2'])
    })

    test('are found once through links, and link cycles end', async () => {
      const { id, path, skills } = await project()
      await writeFiles({ [join(path, '.agents/skills/one/SKILL.md')]: skill('one') })
      await mkdir(skills, { recursive: true })
      await symlink(join(path, '.agents/skills/one'), join(skills, 'one'))
      await symlink(skills, join(skills, 'circle'))
      await symlink(join(skills, 'nowhere'), join(skills, 'nowhere'))
      const found = await list(id)
      expect(found.problems).toEqual([])
      expect(found.skills).toMatchObject([{ name: 'one', file: join(skills, 'one/SKILL.md') }])
    })

    test('of the same name count once, and the other is reported', async () => {
      const { id, path, skills } = await project()
      await writeFiles({
        [join(skills, 'same/SKILL.md')]: skill('same', 'first'),
        [join(path, '.agents/skills/same/SKILL.md')]: skill('same', 'second'),
      })
      const found = await list(id)
      expect(found.skills).toMatchObject([{ name: 'same', file: join(skills, 'same/SKILL.md') }])
      expect(found.problems).toMatchObject([
        {
          file: join(path, '.agents/skills/same/SKILL.md'),
          message: expect.stringContaining('also the name'),
        },
      ])
    })

    // Defect 9 of the originals: old skills were deleted before all new ones were read.
    test('are replaced completely or not at all', async () => {
      const { id, skills } = await project()
      await writeFiles({ [join(skills, 'a/SKILL.md')]: skill('a'), [join(skills, 'b/SKILL.md')]: skill('b') })
      await list(id)
      const before = [await get(id, 'a'), await get(id, 'b')]
      await writeFiles({
        [join(skills, 'a/holdfast.yaml')]: PHASES,
        [join(skills, 'c/SKILL.md')]: skill('c'),
      })
      await rm(join(skills, 'b'), { recursive: true })
      for (const failOn of [/^insert into "skills"/, /^delete from "skills"/, /^insert into "life_event"/]) {
        world().watch.failOn = failOn
        await expect(list(id)).rejects.toThrow('made to fail')
        world().watch.failOn = undefined
        expect([await get(id, 'a'), await get(id, 'b')]).toEqual(before)
      }
      expect(await list(id)).toMatchObject({ changed: ['a', 'c'], deleted: ['b'] })
    })

    test('are kept if their folder cannot be read', async () => {
      const { id, skills } = await project()
      await writeFiles({ [join(skills, 'a/SKILL.md')]: skill('a') })
      await list(id)
      await rename(skills, `${skills}.away`)
      // A link to itself is neither readable nor missing.
      await symlink(skills, skills)
      expect(await list(id)).toMatchObject({ deleted: [], skills: [{ name: 'a' }] })
      await rm(skills)
      expect(await list(id)).toMatchObject({ deleted: ['a'], skills: [] })
    })

    test('are stored once by concurrent calls', async () => {
      const { id, skills } = await project()
      await writeFiles({ [join(skills, 'a/SKILL.md')]: skill('a') })
      const answers = await Promise.all(Array.from({ length: 5 }, () => list(id)))
      expect(answers.flatMap(({ changed }) => changed)).toEqual(['a'])
    })

    test('belong to an existing project', async () => {
      expect(await failure(list(999_999_999))).toMatchObject({ code: 'not-found', field: 'project_id' })
    })
  })

  describe('parsing a skill', () => {
    const parse = (path: string) => world().call('agent.skills.parse', { path })

    test('returns its definition and its problems, from its folder or its file', async () => {
      const { skills, id } = await project()
      const folder = join(skills, 'flow')
      await writeFiles({
        [join(folder, 'SKILL.md')]: '---\nname: other\ndescription: Flows.\n---\n',
        [join(folder, 'steps/a.md')]: '---\nconsumes: [nothing-makes-it]\n---\n',
      })
      const parsed = await parse(folder)
      expect(parsed).toMatchObject({
        definition: { id: 'flow', name: 'other', plan: { steps: [{ id: 'a' }] } },
        diagnostics: [{ code: 'HF106' }, { code: 'HF307', file: join(folder, 'steps/a.md') }],
      })
      expect(await parse(join(folder, 'SKILL.md'))).toEqual(parsed)
      expect(await world().call('db.skills.list', { project_id: id })).toEqual([])
    })

    test('is allowed in the personal folders of clients, and otherwise only inside of projects', async () => {
      const [{ own }, { user }] = [world(), world().context]
      await writeFiles({ [join(own, 'skills/mine/SKILL.md')]: skill('mine') })
      await writeFiles({ [join(user.home, 'elsewhere/SKILL.md')]: skill('elsewhere') })
      expect(await parse(join(own, 'skills/mine'))).toMatchObject({ definition: { id: 'mine' } })
      await symlink(join(user.home, 'elsewhere'), join(own, 'skills/way-out'))
      for (const path of [join(user.home, 'elsewhere'), join(own, 'skills/way-out'), '/etc'])
        expect(await failure(parse(path))).toMatchObject({ code: 'forbidden' })
      await rm(user.home, { recursive: true })
    })

    test('runs a workflow module only on request', async () => {
      const { skills } = await project()
      const folder = join(skills, 'flow')
      await writeFiles({
        [join(folder, 'SKILL.md')]: skill('flow'),
        [join(folder, 'workflow.mjs')]:
          `export const workflow = { name: 'flow', steps: [{ id: 'a', title: 'A' }] }\n`,
      })
      expect((await parse(folder)).diagnostics).toMatchObject([{ code: 'HF208' }])
      expect(await world().call('agent.skills.parse', { path: folder, run_modules: true })).toMatchObject({
        definition: { plan: { notation: 'workflow', steps: [{ id: 'a' }] } },
        diagnostics: [],
      })
    })

    test('reports a missing skill', async () => {
      const { path } = await project()
      expect(await failure(parse(path))).toMatchObject({ code: 'not-found', hint: 'holdfast skill list' })
      expect(await failure(parse(join(path, 'missing')))).toMatchObject({ code: 'not-found', field: 'path' })
    })
  })
}
