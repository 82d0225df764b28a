import { describe, expect, test } from 'vitest'
import { failure, type World } from '../world.contract.ts'
import { effortOf, RUNBOOK } from './step.contract.ts'

/** Each refusal of a move names an action that leads on. */
export function stepRefusalContract(world: () => World): void {
  describe('a blocked plan', () => {
    const files = {
      'holdfast.yaml':
        'phases:\n  - {label: "1", name: Draft, limit: 1}\n  - {label: "2", name: Review, next: {again: "1"}, proof: [verdict]}\n',
    }

    test('says so in every refusal, and names the approval that unblocks it', async () => {
      const it = await effortOf(world(), files)
      const hint = `holdfast effort approve ${it.id} 1 --reason '____'`
      await it.go('1')
      await it.go('2')
      await it.leave('2', { outcome: 'again' })
      const moves = [() => it.finish(), () => it.go('2'), () => it.call('db.effort.phase', { label: '2' })]
      for (const move of moves)
        expect(await failure(move())).toMatchObject({
          message: expect.stringContaining('Limit reached for step "1".'),
          hint,
        })
    })

    test('continues at the step that the user approves, which uses the approval up', async () => {
      const it = await effortOf(world(), files)
      await it.go('1')
      await it.go('2')
      await it.leave('2', { outcome: 'again' })
      const approval = await it.call('db.effort.approve', { subject: '1', reason: 'once more' })
      expect(approval.used_at).toEqual(expect.any(String))
      expect(await failure(it.finish())).toMatchObject({
        hint: `holdfast step go '1: Draft' --effort ${it.id}`,
      })
      expect((await it.go('1')).current).toEqual(['1'])
    })
  })

  describe('a step for sub-agents', () => {
    test('that has not started is refused with the command that starts it', async () => {
      const steps = 'steps: {Step 1: {dispatch: 2}}\n'
      const it = await effortOf(world(), { 'RUNBOOK.md': RUNBOOK, 'holdfast.yaml': steps })
      expect(await failure(it.leave())).toMatchObject({
        hint: `holdfast step go 'Step 1' --effort ${it.id}`,
      })
    })

    test('with a condition is refused for its sub-agents first', async () => {
      const it = await effortOf(world(), {
        'holdfast.yaml': 'pipeline:\n  - {id: a, prompt: Do it., dispatch: 2, verify: it works}\n',
      })
      expect(await failure(it.leave('a'))).toMatchObject({ hint: `holdfast step go a --effort ${it.id}` })
      await it.go('a')
      expect(await failure(it.leave('a'))).toMatchObject({ message: expect.stringContaining('waits for 2') })
    })
  })

  describe('finishing an effort', () => {
    test('is refused while a step of a pipeline is not reported', async () => {
      const it = await effortOf(world(), {
        'holdfast.yaml': 'pipeline:\n  - {id: a, prompt: Do it., verify: it works}\n',
      })
      await it.go('a')
      expect(await failure(it.finish())).toMatchObject({
        message: expect.stringContaining('is open at: "a".'),
      })
    })

    test('and a report of its state agree on the alternatives and sub-phases that are required', async () => {
      const labels = ['1', '2.A', '2.B', '3', '3.1', '3.2']
      const it = await effortOf(world(), {
        'holdfast.yaml': `phases:\n${labels.map((label) => `  - {label: "${label}", name: Do}\n`).join('')}`,
      })
      const isEntered = async () => (await it.call('db.effort.validate')).checks[0]
      for (const label of ['2.B', '3']) expect((await failure(it.go(label))).code).toBe('refused')
      for (const label of ['1', '2.B', '3', '3.1']) {
        await it.go(label)
        expect(await isEntered()).toMatchObject({ check: 'phases-entered', pass: false })
        expect(await failure(it.finish())).toMatchObject({ code: 'refused' })
      }
      await it.go('3.2')
      expect(await isEntered()).toMatchObject({ check: 'phases-entered', pass: true })
      expect(await it.finish()).toMatchObject({ lifecycle: 'finished' })
    })

    test('is refused with the proof that the last phase owes, also by a phase that is over', async () => {
      const it = await effortOf(world(), {
        'holdfast.yaml':
          'phases:\n  - {label: "1", name: One}\n  - {label: "2", name: Two, proof: [tests]}\n',
      })
      await it.go('1')
      await it.go('2')
      expect(await failure(it.call('db.effort.phase', { label: '1' }))).toMatchObject({
        hint: `holdfast step done 2 --effort ${it.id} --proof '{"tests":"____"}'`,
      })
    })
  })
}
