import { describe, expect, test } from 'vitest'
import { type ClientAt, clientAt, contextOf, skillOf } from '../hook/client.contract.ts'
import type { Answer, World } from '../world.contract.ts'

const INNER = skillOf('inner', {
  one: 'consumes: [user-request]\nproduces: [a]',
  two: 'consumes: [a]\nproduces: [b]',
})
const OUTER = {
  ...skillOf('outer'),
  'holdfast.yaml':
    'pipeline:\n  - {id: prep, command: "true"}\n  - {id: sub, skill: inner, args: $ARGUMENTS}\n  - {id: last, prompt: Say goodbye.}\n',
}

/** A client whose pipeline is at the step that calls a skill, and has called it. */
async function inside(world: World) {
  const it = await clientAt(world)
  await it.add('outer', OUTER)
  const inner = await it.add('inner', INNER)
  await it.start()
  await it.prompt('/outer z')
  const [{ id: outer }] = await it.efforts()
  await world.call('step.enter', { effort_id: outer })
  await world.call('step.leave', { effort_id: outer })
  await it.use('Skill', { skill: 'inner', args: 'z' })
  const { id } = (await it.efforts()).at(-1)
  await it.read(inner('steps/one.md'))
  await it.read(inner('steps/two.md'))
  const meant = () => world.call('commands.effort.meant', { native_id: it.session, cwd: it.project })
  return { ...it, outer: Number(outer), inner: Number(id), meant }
}

const serves = async ({ windows }: Pick<ClientAt, 'windows'>): Promise<Answer> =>
  (await windows()).at(-1).effort_id

/** What a session does when a skill that another one called is over. */
export function comeBackContract(world: () => World): void {
  describe('a skill that a pipeline called', () => {
    test('gives the session back when it ends, and names the report of the step', async () => {
      const it = await inside(world())
      expect(await serves(it)).toBe(it.inner)
      const done = await world().call('step.leave', { effort_id: it.inner, step: 'two' })
      expect(done).toMatchObject({
        status: 'finished',
        next: [`holdfast step done sub --effort ${it.outer}`],
      })
      expect(await it.spans()).toEqual(['outer active', 'inner completed one,two'])
      expect(await serves(it)).toBe(it.outer)
      expect(await it.meant()).toMatchObject({ id: it.outer })
      expect(await world().call('step.leave', { effort_id: it.outer, step: 'sub' })).toMatchObject({
        current: ['last'],
      })
    })

    test('is what a compaction goes on with, not unfinished work of others', async () => {
      const it = await inside(world())
      expect(contextOf(await it.start('compact'))).not.toContain(`session continue ${it.outer}`)
      await world().call('db.effort.finish', { effort_id: it.inner })
      const told = contextOf(await it.start('compact'))
      expect(told).toContain(`tracking effort ${it.outer} of outer`)
      expect(told).not.toContain('session continue')
    })

    test('ends with the report of its step if it needs no more', async () => {
      const it = await inside(world())
      await world().call('step.leave', { effort_id: it.outer, step: 'sub' })
      expect(await it.spans()).toEqual(['outer active', 'inner completed one,two'])
      expect((await it.efforts()).map(({ lifecycle }) => lifecycle)).toEqual(['active', 'finished'])
      expect(await serves(it)).toBe(it.outer)
    })

    test('stays open if it needs more when its step fails, and the session goes back', async () => {
      const it = await inside(world())
      const other = await it.add('inner', skillOf('inner', { three: 'consumes: [b]' }))
      await it.use('Skill', { skill: 'inner', args: 'z' })
      await world().call('step.leave', { effort_id: it.outer, step: 'sub', outcome: 'fail', reason: 'no' })
      expect(await it.spans()).toEqual(['outer active', 'inner suspended one,two'])
      expect(await serves(it)).toBe(it.outer)
      await it.use('Skill', { skill: 'inner', args: 'z' })
      expect(await serves(it)).toBe(it.inner)
      expect((await it.read(other('steps/three.md'))).decision).toBe('allow')
    })
  })

  test('the span of abandoned work does not say that it was completed', async () => {
    const it = await clientAt(world())
    const other = await it.add('other', skillOf('other', { only: 'produces: [x]' }))
    await it.start()
    await it.prompt('/other')
    await it.read(other('steps/only.md'))
    const [{ id }] = await it.efforts()
    await world().call('db.effort.finish', { effort_id: id, abandon: 'gave up' })
    expect(await world().call('span.tree', { session_id: it.session })).toMatchObject([
      { state: 'ended (0 of 1 step done)' },
    ])
  })

  test('the end of a skill gives the session back to the skill that it had suspended', async () => {
    const it = await clientAt(world())
    const other = await it.add('other', skillOf('other', { only: 'produces: [x]' }))
    await it.start()
    await it.prompt('/flow')
    await it.read(it.flow('steps/look.md'))
    await it.prompt('/other')
    await it.read(other('steps/only.md'))
    const [flow, second] = await it.efforts()
    await world().call('db.effort.finish', { effort_id: second.id })
    expect(await serves(it)).toBe(flow.id)
    expect(await it.spans()).toEqual(['flow active look', 'other completed only'])
  })
}
