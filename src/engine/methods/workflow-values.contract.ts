import { describe, expect, test } from 'vitest'
import type { Plan } from '../../model/plan/plan.ts'
import { failure, type World } from '../world.contract.ts'
import { begunWorkflow, TOPIC, type Written } from './workflow.contract.ts'

/** What values of a workflow decide, and what its outcomes lead to. */
export function workflowValuesContract(world: () => World): void {
  const begun = (...given: readonly [readonly Written[], Partial<Plan>?, object?]) =>
    begunWorkflow(world(), ...given)

  describe('an outcome that values decide', () => {
    const CONFIDENCE = ['low', 'high'] as const
    const LOOP = [
      {
        id: 'look',
        next: { ok: ['tell'], iterate: ['look'] },
        limit: 3,
        onLimit: 'tell',
        decides: [{ when: { confidence: 'high' }, outcome: 'ok' }, { outcome: 'iterate' }],
      },
      { id: 'tell', next: { ok: [] } },
    ]
    const STATE = { state: { confidence: { type: 'choice', choices: CONFIDENCE } } } as const

    test('asks for the values in its only command, and takes no other outcome', async () => {
      const it = await begun(LOOP, STATE)
      const { view } = await it.enter()
      const command = `holdfast step done look --effort ${it.id} --visit 1 --set 'confidence=low|high'`
      expect(view.next).toEqual([{ outcome: 'iterate', command, to: 'tell' }])
      expect(await failure(it.leave('look', 1))).toMatchObject({
        code: 'refused',
        field: 'set',
        hint: command,
      })
      expect(await failure(it.leave('look', 1, { set: { confidence: 'low|high' } }))).toMatchObject({
        code: 'invalid',
        field: 'set',
      })
      expect(await failure(it.leave('look', 1, { outcome: 'ok', set: { confidence: 'low' } }))).toMatchObject(
        { code: 'refused', hint: command },
      )
      const low = await it.leave('look', 1, { set: { confidence: 'low' } })
      expect(low.view).toMatchObject({ step: 'look', visit: 2, limit: 3 })
      const high = await it.leave('look', 2, { set: { confidence: 'high' }, outcome: 'ok' })
      expect(high.view).toMatchObject({ step: 'tell', visit: 1 })
    })

    test('counts its rounds in the store, and goes on at the limit', async () => {
      const it = await begun(LOOP, STATE)
      await it.enter()
      for (const visit of [1, 2]) await it.leave('look', visit, { set: { confidence: 'low' } })
      const last = await it.leave('look', 3, { set: { confidence: 'low' } })
      expect(last.view).toMatchObject({ step: 'tell' })
    })

    test('keeps a refused value out of the store', async () => {
      const it = await begun(LOOP, STATE)
      await it.enter()
      await failure(it.leave('look', 1, { outcome: 'ok', set: { confidence: 'low' } }))
      expect((await failure(it.leave('look', 1))).code).toBe('refused')
    })
  })

  describe('an outcome that is not mapped', () => {
    test('is an error and completes nothing, also beside one that ends the plan', async () => {
      const it = await begun([{ id: 'a', next: { ok: [], again: ['a'] }, limit: 2 }])
      await it.enter()
      expect(await failure(it.leave('a', 1, { outcome: 'maybe' }))).toMatchObject({ code: 'refused' })
      expect(await it.show()).toMatchObject({ status: 'running', view: { visit: 1 } })
    })

    test('that is mapped to the end ends the plan, and does not fall through to the default', async () => {
      const it = await begun([
        { id: 'a', next: { done: [], _default: ['b'] } },
        { id: 'b', next: { ok: [] } },
      ])
      await it.enter()
      expect(await it.leave('a', 1, { outcome: 'done' })).toMatchObject({ status: 'finished' })
    })
  })

  describe('what a workflow keeps', () => {
    const STATE = {
      state: { result: { type: 'choice', choices: ['pass', 'fail'], required: true } },
    } as const

    test('must be said before it ends, and the command asks for it', async () => {
      const it = await begun([{ id: 'a', next: { ok: [] } }], STATE)
      const { view } = await it.enter()
      const command = `holdfast step done a --effort ${it.id} --visit 1 --set 'result=pass|fail'`
      expect(view.next).toEqual([{ outcome: 'ok', command, to: null }])
      expect(await failure(it.leave('a', 1))).toMatchObject({ code: 'refused', hint: command })
      expect(await it.leave('a', 1, { set: { result: 'pass' } })).toMatchObject({ status: 'finished' })
    })

    test('is only what it declares, and never what it was given or a review says', async () => {
      const it = await begun(
        [
          {
            id: 'check',
            next: { ok: [] },
            dispatch: { count: 1, join: 1, returns: ['result'] },
            review: { name: 'R', gate: 'g' },
          },
        ],
        { ...STATE, ...TOPIC },
        { params: { topic: 'x' } },
      )
      await it.enter()
      for (const set of [{ result: 'pass' }, { topic: 'y' }, { nothing: '1' }])
        expect(await failure(it.leave('check', 1, { set }))).toMatchObject({ code: 'invalid', field: 'set' })
    })
  })
}
