import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startCommand } from '../../model/task.ts'
import { clientIn, FLOW, repository } from '../hook/client.contract.ts'
import { type Answer, failure, type World } from '../world.contract.ts'

type Ask = (wish: object) => Promise<Answer>

/** How every method finds the effort that a caller means. */
export function meantContract(world: () => World): void {
  const strict: readonly (readonly [string, Ask])[] = [
    ['commands.effort.meant', async (wish) => (await world().call('commands.effort.meant', wish)).id],
    [
      'commands.log.append',
      async (wish) => (await world().call('commands.log.append', { ...wish, text: 'x' })).effort_id,
    ],
    [
      'db.effort.dehydrate',
      async ({ cwd: path, ...wish }: { cwd?: string }) =>
        (await world().call('db.effort.dehydrate', { ...wish, ...(path && { path }), payload: {} }))
          .effort_id,
    ],
  ]
  const goOn: Ask = async (wish) => (await world().call('commands.session.continue', wish)).id
  const ways = [...strict, ['commands.session.continue', goOn] as const]

  describe.each(ways)('the effort that %s means', (_, ask) => {
    test('is the one with the given id, whoever owns it', async () => {
      const { start } = await repository(world())
      const { id } = await start()
      await start({ skill: 'brainstorm' })
      expect(await ask({ effort_id: id })).toBe(id)
      expect(await failure(ask({ effort_id: 999_999_999 }))).toMatchObject({ code: 'not-found' })
    })

    test("is the caller's own, by its agent or its session, before the efforts of others", async () => {
      const { dir, native, start } = await repository(world())
      const agent_id = await world().agent()
      const [mine, theirs] = [await start({ native_id: native }), await start({ agent_id })]
      expect(await ask({ dir, native_id: native })).toBe(mine.id)
      expect(await ask({ native_id: native })).toBe(mine.id)
      expect(await ask({ dir, agent_id })).toBe(theirs.id)
    })

    test('is otherwise the only one of the task', async () => {
      const { dir, start } = await repository(world())
      const { id } = await start()
      expect(await ask({ dir })).toBe(id)
    })

    test('is an error if there is none, with the command that starts one', async () => {
      const { dir, project, start } = await repository(world())
      const { id } = await start()
      await world().call('db.effort.finish', { effort_id: id, abandon: 'no longer needed' })
      const none = { code: 'not-found', field: 'dir', hint: `holdfast effort start ${dir} implement` }
      expect(await failure(ask({ cwd: project }))).toMatchObject(none)
    })

    test('requires a known agent', async () => {
      const { dir, start } = await repository(world())
      await start()
      const agent_id = world().name('agent')
      expect(await failure(ask({ dir, agent_id }))).toMatchObject({ code: 'not-found', field: 'agent_id' })
    })
  })

  // Clients send the folder unchanged, and agents run our commands in it.
  test.each(['a\nb', 'a\u{202E}b', 'a\u{7}b'])('a caller may work in a folder named %j', async (name) => {
    const project = join(world().project, world().name('odd'), name)
    await mkdir(join(project, '.git'), { recursive: true })
    const it = clientIn(world(), project)
    await it.add('flow', FLOW)
    await it.start()
    await it.prompt('/flow')
    const own = { native_id: it.session, cwd: project }
    const { id, markdown } = await world().call('commands.session.continue', own)
    expect(markdown).not.toContain(project)
    for (const [, ask] of strict) expect(await ask(own)).toBe(id)
    const recap = { native_id: it.session, path: project }
    expect((await world().call('db.effort.recap', recap)).effort_id).toBe(id)
    await world().call('db.effort.finish', { effort_id: id, abandon: 'no longer needed' })
    const none = await failure(world().call('commands.effort.meant', { cwd: project }))
    expect(none.message).not.toContain(project)
    expect(await failure(world().call('commands.effort.meant', { cwd: '/a\0b' }))).toMatchObject({
      field: 'cwd',
    })
  })

  describe('the effort of a skill', () => {
    const meant = (wish: object) => world().call('commands.effort.meant', wish)

    test("is the caller's own, else the only one that nobody else has", async () => {
      const { project, native, start } = await repository(world())
      const [build, think] = [await start(), await start({ skill: 'brainstorm', native_id: native })]
      expect((await meant({ native_id: native, skill: 'brainstorm' })).id).toBe(think.id)
      expect((await meant({ cwd: project, native_id: native, skill: 'implement' })).id).toBe(build.id)
    })

    test('that has none is an error, with the command that starts one', async () => {
      const { project, native, start } = await repository(world())
      await start({ native_id: native })
      expect(await failure(meant({ cwd: project, native_id: native, skill: 'brainstorm' }))).toMatchObject({
        code: 'not-found',
        field: 'skill',
        message: 'You have no effort of skill brainstorm here.',
        hint: startCommand('brainstorm', project),
      })
    })

    test('is not the one that somebody else has', async () => {
      const { project, native, start } = await repository(world())
      await start({ native_id: world().name('native') })
      expect(await failure(meant({ cwd: project, native_id: native, skill: 'implement' }))).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('Others have'),
      })
    })
  })

  describe('a recap and a continue', () => {
    test('choose the same of several efforts, in every folder', async () => {
      const { dir, project, start } = await repository(world())
      const inRoot = join(project, '.holdfast/tasks/first')
      await start({ dir: inRoot, native_id: world().name('native') })
      const [one, other] = [await start(), await start({ dir: join(project, 'other') })]
      const told = async (path: string) => (await world().call('db.effort.recap', { path })).effort_id
      for (const [cwd, id] of [
        [project, other.id],
        [join(dir, 'deep'), one.id],
        [join(project, 'other'), other.id],
      ] as const)
        expect([await told(cwd), await goOn({ cwd })]).toEqual([id, id])
    })

    test('leave the work of others alone', async () => {
      const { project, start } = await repository(world())
      await start({ native_id: world().name('native') })
      const agent_id = await world().agent()
      const { effort_id } = await world().call('db.effort.recap', { path: project, agent_id })
      expect(effort_id).toBeNull()
      expect(await failure(goOn({ cwd: project, agent_id }))).toMatchObject({ code: 'not-found' })
    })
  })

  describe.each(strict)('the effort that %s means if several are active', (_, ask) => {
    test('is the one of the innermost task around the caller', async () => {
      const { dir, project, start } = await repository(world())
      const [one, other] = [await start(), await start({ dir: join(project, 'other') })]
      expect(await ask({ cwd: join(dir, 'deep') })).toBe(one.id)
      expect(await ask({ cwd: join(project, 'other') })).toBe(other.id)
    })

    test('is an error instead of a guess', async () => {
      const { dir, project, start } = await repository(world())
      const [one, two] = [await start(), await start({ skill: 'brainstorm' })]
      for (const wish of [{ dir }, { cwd: project }]) {
        const several = await failure(ask(wish))
        expect(several).toMatchObject({ code: 'conflict', field: 'effort_id' })
        for (const { id } of [one, two]) expect(several.message).toContain(`${id} (`)
      }
      const third = await start({ dir: `${dir}-other`, native_id: world().name('native') })
      const asked = await failure(ask({ cwd: project, native_id: world().name('native') }))
      expect(asked.message).toContain(`Others have: ${third.id} (`)
    })
  })

  test('resumes the newest of several active efforts that is not in use', async () => {
    const { dir, start } = await repository(world())
    await start()
    const { id } = await start({ skill: 'brainstorm' })
    expect(await goOn({ dir })).toBe(id)
  })
}
