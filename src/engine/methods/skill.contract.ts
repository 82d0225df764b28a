import { describe, expect, test } from 'vitest'
import { failure, type Answer, type World } from '../world.contract.ts'

/** What the stored definitions of skills promise. */
export function skillContract(world: () => World): void {
  const key = (name: string) => ({ name, project_id: world().projectId })
  const upsert = (name: string, more: object = {}) =>
    world().call('db.skills.upsert', { ...key(name), ...more })

  describe('a skill', () => {
    test('keeps values that are not given and replaces the others', async () => {
      const name = world().name('skill')
      const given = {
        phases: [{ label: '1', name: 'One', proof: ['a'], gate: false, extra: { kept: [0, false, null] } }],
        modes: { tdd: { x: 1 } },
        templates: { plan: 'p.md' },
        cmd_dependencies: ['c'],
        next_skills: ['test'],
        directives: ['d'],
      }
      const stored = await upsert(name, given)
      expect(stored).toMatchObject({ ...key(name), ...given })
      const { updated_at: _then, ...before } = stored
      const { updated_at: _now, ...after } = await upsert(name, { modes: {}, next_skills: [] })
      expect(after).toEqual({ ...before, modes: {}, next_skills: [] })
      expect(await world().call('db.skills.get', key(name))).toMatchObject(after)
    })

    test('is recorded in the ledger only when it changes', async () => {
      const name = world().name('skill')
      const seq = await world().lastSeq()
      for (const more of [{ modes: { a: 1 } }, { modes: { a: 1 } }, {}, { modes: { a: 2 } }])
        await upsert(name, more)
      expect(await world().call('db.skills.delete', key(name))).toEqual({ deleted: true })
      expect(await world().call('db.skills.delete', key(name))).toEqual({ deleted: false })
      expect((await world().since(seq)).map(({ event_type }) => event_type)).toEqual([
        'skill.changed',
        'skill.changed',
        'skill.deleted',
      ])
    })

    test('that is deleted leaves its efforts', async () => {
      const name = world().name('skill')
      await upsert(name)
      const effort = await world().effort({ skill: name })
      await world().call('db.skills.delete', key(name))
      expect(await world().call('db.effort.get', { effort_id: effort.id })).toMatchObject({ skill: name })
    })

    test('that does not exist is an error that lists similar names', async () => {
      const name = world().name('brainstorm')
      await upsert(name)
      expect(await failure(world().call('db.skills.get', key(name.replace('brain', 'brian'))))).toMatchObject(
        {
          code: 'not-found',
          message: expect.stringContaining(name),
        },
      )
      const nowhere = { name, project_id: 999_999_999 }
      for (const [method, params] of [
        ['get', nowhere],
        ['upsert', nowhere],
        ['list', { project_id: nowhere.project_id }],
      ] as const)
        expect(await failure(world().call(`db.skills.${method}`, params))).toMatchObject({
          code: 'not-found',
          field: 'project_id',
        })
    })

    test('is listed by name and found by its words', async () => {
      const [b, a] = [world().name('zz-b'), world().name('zz-a')]
      await upsert(b, { phases: [{ label: '1', name: 'Needle Work' }] })
      await upsert(a, { modes: { Haystack: {} } })
      const names = (skills: Answer[]) => skills.map(({ name }) => String(name))
      const listed = names(await world().call('db.skills.list', { project_id: world().projectId }))
      expect(listed).toEqual(listed.toSorted())
      const find = async (query: string, more: object = {}) =>
        names(await world().call('db.skills.find', { query, ...more }))
      expect(await find('needle work')).toEqual([b])
      expect(await find('haystack', { project_id: world().projectId })).toEqual([a])
      expect(await find('needle haystack')).toEqual([])
      expect(await find('zz-', { project_id: 999_999_999 })).toEqual([])
    })

    test.each<[string, unknown, string]>([
      ['a phase twice', [{ label: '1' }, { label: '1' }], 'phases'],
      ['an invalid label', [{ label: '1' }, { label: 'x' }], 'phases.1.label'],
      ['an invalid major number', [{ major: { toString: 1 } }], 'phases.0.label'],
      ['a proof that is not a list', [{ label: '1', proof: 'mode' }], 'phases.0.proof'],
    ])('cannot declare %s', async (_, phases, field) => {
      expect(await failure(upsert(world().name('skill'), { phases }))).toMatchObject({
        code: 'invalid',
        field,
      })
    })

    test('may number its phases in the old way', async () => {
      const phases = [{ major: 0, minor: 0, name: 'Setup' }, { major: 1, minor: 2 }, { major: 2 }]
      const stored = await upsert(world().name('skill'), { phases })
      expect(stored.phases.map(({ label }: Answer) => label)).toEqual(['0', '1.2', '2'])
    })
  })
}
