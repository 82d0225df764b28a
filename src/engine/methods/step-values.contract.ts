import { describe, expect, test } from 'vitest'
import { type Answer, failure, type World } from '../world.contract.ts'
import { effortOf, stateIn } from './step.contract.ts'

/** What is given as proof also sets variables, which open or leave out later steps. */
export function stepValuesContract(world: () => World): void {
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
        message: expect.stringContaining('is open at: "2"'),
      })
      expect(await it.finish({ proof: { more: false } })).toMatchObject({ lifecycle: 'finished' })
    })

    test('are kept only by a move that is made', async () => {
      const it = await guarded()
      await it.go('1')
      await failure(it.go('4', { proof: { confidence: 'high' } }))
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
      expect(labels(await it.show())).toEqual(['1', '3'])
    })

    test('decide about steps in files, by their artifacts', async () => {
      const it = await effortOf(world(), {
        'steps/a.md': '---\nconsumes: [user-request]\nproduces: [x]\nproof: [depth]\n---\n# A\n\nDo a.\n',
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
