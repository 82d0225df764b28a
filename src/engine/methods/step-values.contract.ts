import { describe, expect, test } from 'vitest'
import { repository } from '../hook/client.contract.ts'
import { type Answer, failure, type World } from '../world.contract.ts'
import { effortOf, stateIn } from './step.contract.ts'

/** What changes the plan of an effort that has begun, and what cannot. */
export function stepValuesContract(world: () => World): void {
  describe('starting an effort that was started', () => {
    test('cannot change a plan that has begun, by a mode or by metadata', async () => {
      const { dir, put, start } = await repository(world())
      await put(
        '.claude/skills/implement/holdfast.yaml',
        `variables: {risk: high}
phases:
  - {label: "1", name: Look}
  - {label: "2", name: Audit, only: full, proof: [audited]}
  - {label: "3", name: Review, when: {risk: high}, proof: [reviewed]}
  - {label: "4", name: Ship}
`,
      )
      const { id: effort_id } = await start({ mode: 'quick' })
      const labels = async () =>
        (await world().call('step.show', { effort_id })).steps.map(({ label }: Answer) => label)
      expect(await labels()).toEqual(['1', '3', '4'])
      expect(await start({ mode: 'full' })).toMatchObject({ id: effort_id, resumed: true })
      await world().call('step.enter', { effort_id, step: '1' })
      for (const [more, field] of [
        [{ mode: 'quick' }, 'mode'],
        [{ metadata: { risk: 'low' } }, 'metadata'],
        [{ mode: 'quick', metadata: { a: 1 }, user_approved: 'Faster' }, 'mode'],
      ] as const)
        expect(await failure(start(more))).toMatchObject({
          code: 'refused',
          field,
          hint: `holdfast effort start ${dir} implement`,
        })
      expect(await labels()).toEqual(['1', '2', '3', '4'])
      expect(await start({ mode: 'general', metadata: { risk: 'high', a: 1 } })).toMatchObject({
        id: effort_id,
        mode: 'general',
        metadata: { risk: 'high', a: 1 },
      })
      expect(await labels()).toEqual(['1', '2', '3', '4'])
    })
  })

  describe('a phase whose proof decides what follows', () => {
    test('is told with the command that ends it, which works whatever the answer is', async () => {
      for (const [confidence, after] of [
        ['low', '2'],
        ['high', '3'],
      ]) {
        const { put, start } = await repository(world())
        await put(
          '.claude/skills/implement/holdfast.yaml',
          `variables: {confidence: low}
phases:
  - {label: "1", name: Diagnose, proof: [confidence]}
  - {label: "2", name: Investigate, when: {confidence: low}}
  - {label: "3", name: Fix}
`,
        )
        const { id: effort_id } = await start()
        const { next } = await world().call('step.enter', { effort_id, step: '1' })
        expect(next).toEqual([`holdfast step done 1 --effort ${effort_id} --proof '{"confidence":"____"}'`])
        const left = await world().call('step.leave', { effort_id, step: '1', proof: { confidence } })
        expect(left.current).toEqual([after])
      }
    })
  })

  describe('an effort whose plan is gone', () => {
    const stored = async (phases: readonly object[], name = world().name('skill')) => {
      await world().call('db.skills.upsert', { name, project_id: world().projectId, phases })
      return name
    }
    const PHASES = [
      { label: '1', name: 'Look' },
      { label: '2', name: 'Tell' },
    ]

    test('ends only by giving it up, once it has begun', async () => {
      const skill = await stored(PHASES)
      const { id: effort_id } = await world().effort({ skill })
      await world().call('step.enter', { effort_id, step: '1' })
      await stored([], skill)
      const refused = await failure(world().call('db.effort.finish', { effort_id }))
      expect(refused).toMatchObject({ code: 'refused', field: 'effort_id' })
      expect(refused.message).toContain('--abandon')
      const seq = await world().lastSeq()
      await world().call('db.effort.finish', { effort_id, abandon: 'The skill was removed' })
      expect((await world().since(seq)).at(-1)).toMatchObject({
        event_type: 'effort.finished',
        payload: { outcome: 'abandoned', reason: 'The skill was removed' },
      })
    })

    test('ends as ever if nothing of it was begun', async () => {
      const skill = await stored(PHASES)
      const { id: effort_id } = await world().effort({ skill })
      await stored([], skill)
      expect(await world().call('db.effort.finish', { effort_id })).toMatchObject({ lifecycle: 'finished' })
    })
  })

  describe('the values of proof', () => {
    const GUARDED = `variables: {confidence: low}
phases:
  - {label: "1", name: Diagnose, proof: [confidence]}
  - {label: "2", name: Investigate, when: {confidence: low}, proof: [confidence]}
  - {label: "3", name: Fix, when: {confidence: high}, proof: [confidence]}
  - {label: "4", name: Tell}
`
    const guarded = (more: object = {}) => effortOf(world(), { 'holdfast.yaml': GUARDED }, more)
    const labels = ({ steps }: Answer) => steps.map(({ label }: Answer) => label)

    test('open or leave out later steps, whichever command gives them', async () => {
      const done = await guarded()
      await done.go('1')
      expect(labels(await done.show())).toEqual(['1', '2', '4'])
      const left = await done.leave('1', { proof: { confidence: 'high' } })
      expect([labels(left), left.current]).toEqual([['1', '3', '4'], ['3']])
      const went = await guarded()
      await went.go('1')
      expect((await went.go('3', { proof: { confidence: 'high' } })).current).toEqual(['3'])
      expect(labels(await went.show())).toEqual(['1', '3', '4'])
      const entered = await guarded()
      await entered.go('1')
      const moved = await entered.call('db.effort.phase', { label: '3', proof: { confidence: 'high' } })
      expect(moved).toMatchObject({ current_phase: '3: Fix', next_phases: ['4: Tell'] })
    })

    test('keep a step that was started', async () => {
      const it = await guarded()
      await it.go('1')
      await it.leave('1', { proof: { confidence: 'low' } })
      const left = await it.leave('2', { proof: { confidence: 'high' } })
      expect([labels(left), left.current]).toEqual([['1', '2', '3', '4'], ['3']])
    })

    test('count when the effort is finished, too', async () => {
      const it = await effortOf(world(), {
        'holdfast.yaml':
          'phases:\n  - {label: "1", name: Look, proof: [more]}\n  - {label: "2", name: Dig, when: {more: "true"}}\n',
      })
      await it.go('1')
      expect(await failure(it.finish({ proof: { more: true } }))).toMatchObject({
        message: expect.stringContaining('is open at: "1", "2"'),
      })
      expect(await it.finish({ proof: { more: false } })).toMatchObject({ lifecycle: 'finished' })
    })

    test('are kept only by a move that is made', async () => {
      const it = await guarded()
      await it.go('1')
      await failure(it.go('4', { proof: { confidence: 'high' } }))
      expect(labels(await it.show())).toEqual(['1', '2', '4'])
    })

    const RISKY = `variables: {risk: high}
phases:
  - {label: "1", name: Look, proof: [seen]}
  - {label: "2", name: Review, when: {risk: high}, proof: [report]}
  - {label: "3", name: Tell}
`

    test('count only for the fields that the step being left asks for', async () => {
      const it = await effortOf(world(), { 'holdfast.yaml': RISKY })
      await it.go('1', { proof: { risk: 'low' } })
      await it.go('1', { proof: { risk: 'low', seen: 'all' } })
      expect(labels(await it.show())).toEqual(['1', '2', '3'])
      const said = { risk: 'low', seen: 'all' }
      for (const skipping of [
        () => it.go('3', { proof: said }),
        () => it.call('db.effort.phase', { label: '3', proof: said }),
        () => it.finish({ proof: said }),
      ])
        expect(await failure(skipping())).toMatchObject({ code: 'refused' })
      expect((await it.leave('1', { proof: said })).current).toEqual(['2'])
    })

    test('of a step that stays count for nothing', async () => {
      const it = await guarded()
      await it.go('1')
      for (const word of ['1', '1: Diagnose', undefined])
        await it.call('step.enter', { step: word, proof: { confidence: 'high' } })
      await it.call('db.effort.phase', { label: '1', proof: { confidence: 'high' } })
      expect(labels(await it.show())).toEqual(['1', '2', '4'])
      await it.leave('1', { proof: { confidence: 'low' } })
      await it.leave('1', { proof: { confidence: 'high' }, set: { confidence: 'high' } })
      expect(labels(await it.show())).toEqual(['1', '2', '4'])
    })

    test('and of the metadata decide, until a step says otherwise', async () => {
      const it = await guarded({ metadata: { confidence: 'high', other: ['x'] } })
      expect(labels(await it.show())).toEqual(['1', '3', '4'])
      await it.go('1')
      expect((await it.leave('1', { proof: { confidence: 'low' } })).current).toEqual(['2'])
    })

    test('of a claim do not count where the plan demands a run', async () => {
      const it = await effortOf(world(), {
        'holdfast.yaml':
          'phases:\n  - {label: "1", name: Look, proof: {safe: {command: "true", covers: [src/**]}}}\n  - {label: "2", name: Dig, when: {safe: "no"}}\n  - {label: "3", name: Tell}\n',
      })
      await it.go('1')
      await failure(it.leave('1', { proof: { safe: 'no' } }))
      expect(await failure(it.leave('1', { outcome: 'skip', set: { safe: 'no' } }))).toMatchObject({
        code: 'refused',
        field: 'set',
        hint: `holdfast prove safe --effort ${it.id}`,
      })
      expect(labels(await it.show())).toEqual(['1', '3'])
    })

    test('decide about steps in files, by their artifacts', async () => {
      const it = await effortOf(world(), {
        'steps/a.md': '---\nconsumes: [user-request]\nproduces: [x]\n---\n# A\n\nDo a.\n',
        'holdfast.yaml': 'proof: {a: [depth]}\n',
        'steps/b.md': '---\nconsumes: [x]\nproduces: [y]\nwhen: {depth: 2}\n---\n# B\n\nDo b.\n',
        'steps/c.md': '---\nconsumes: [x]\nproduces: [z]\n---\n# C\n\nDo c.\n',
      })
      await it.go('a')
      expect(labels(await it.show())).toEqual(['a', 'c'])
      expect(stateIn(await it.leave('a', { proof: { depth: 2 } }))).toEqual([
        'a completed',
        'b ready',
        'c ready',
      ])
    })
  })
}
