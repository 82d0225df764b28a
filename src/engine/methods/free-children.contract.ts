import { describe, expect, test } from 'vitest'
import { failure, type World } from '../world.contract.ts'
import { familyOf, familyPlan } from './family.contract.ts'

/** What sub-agents without a workflow of their own promise. */
export function freeChildrenContract(world: () => World): void {
  describe('a step that sub-agents do freely', () => {
    const free = (returns: readonly string[] = ['result']) =>
      familyOf(world(), familyPlan({ workflow: undefined, vars: {}, returns }))

    test('is reported by hand, once for each, with what it returned', async () => {
      const it = await free()
      const { dispatch } = (await it.show()).view
      expect(dispatch.children[0]).toMatchObject({
        command: null,
        report: { done: `holdfast step done split --effort ${it.id} --child 1 --visit 1 --set result=____` },
      })
      const report = (child: number, said: object = {}) => it.move(it.id, 'split', { child, ...said })
      expect(await failure(report(1, { set: { result: 'maybe' } }))).toMatchObject({
        code: 'invalid',
        field: 'set',
      })
      expect(await failure(report(1, { set: { other: 'x' } }))).toMatchObject({
        code: 'invalid',
        field: 'set',
      })
      expect(await failure(report(1, { outcome: 'skip' }))).toMatchObject({
        code: 'invalid',
        field: 'outcome',
      })
      await Promise.all([1, 1, 1].map((child) => report(child, { set: { result: 'pass' } })))
      expect(await it.show()).toMatchObject({ view: { step: 'split' } })
      expect(await report(2)).toMatchObject({ entry: 'tell' })
      expect(await report(2)).toMatchObject({ entry: 'tell' })
      expect((await it.enter()).view.results).toEqual([
        { child: 1, outcome: 'ok', values: { result: 'pass' } },
        { child: 2, outcome: 'ok', values: { result: '' } },
      ])
    })

    test('cannot be left by its caller while they are out', async () => {
      const it = await free()
      expect((await failure(it.move(it.id, 'split'))).code).toBe('refused')
    })
  })
}
