import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startedPipeline, THREE, without } from './pipeline.contract.ts'
import { failure, type World } from '../world.contract.ts'

/** What reports of the steps of a pipeline promise, on any database. */
export function pipelineReportContract(world: () => World): void {
  const started = (yaml?: string, args?: string) => startedPipeline(world(), yaml, args)

  describe('a step that finally fails', () => {
    // Defect 4 of the originals: the dependent steps stayed pending.
    test('blocks the later steps, which do not wait forever', async () => {
      const it = await started(THREE)
      await it.next()
      await it.fail('a')
      await it.next()
      const seq = await world().lastSeq()
      const blocked = await it.fail('a', 'broken again')
      expect(blocked).toMatchObject({
        status: 'blocked',
        reason: 'Limit reached for step "a".',
        next: [`holdfast effort approve ${it.effort_id} a --reason '____'`],
      })
      expect(await it.states()).toEqual(['a failed', 'b blocked', 'c blocked'])
      expect(await it.next()).toMatchObject({ status: 'blocked', offer: null })
      expect(await world().since(seq)).toMatchObject([
        { event_type: 'step.failed', phase: 'a', payload: { reason: 'broken again', attempt: 2 } },
        { event_type: 'plan.parked', payload: { reason: 'Limit reached for step "a".' } },
      ])
    })

    test('continues at an approved step, once', async () => {
      const it = await started(THREE)
      for (const _ of [1, 2]) {
        await it.next()
        await it.fail('a')
      }
      await it.approve('a')
      expect((await it.next()).offer).toMatchObject({ step: 'a', attempt: 3, resumed: false })
      expect(await it.fail('a')).toMatchObject({ status: 'blocked' })
      expect(await it.next()).toMatchObject({ offer: null })
      await it.approve('b')
      expect((await it.next()).offer).toMatchObject({ step: 'b', attempt: 1 })
      expect(await it.done('b')).toMatchObject({ status: 'running' })
      expect(await it.states()).toEqual(['a waived', 'b completed', 'c ready'])
    })

    test('continues at the target of the author when its limit is reached, and not before', async () => {
      const it = await started(
        'pipeline: [{id: a, prompt: a, limit: 1, onError: c}, {id: b, prompt: b}, {id: c, prompt: c}]\n',
      )
      await it.next()
      expect(await it.fail('a')).toMatchObject({ status: 'running' })
      expect((await it.next()).offer).toMatchObject({ step: 'c' })
      expect(await it.done('c')).toMatchObject({ status: 'completed' })
      expect(await it.states()).toEqual(['a failed', 'b left out', 'c completed'])
    })

    // Defect 1 of the originals: a counter that one step handed to the next got lost.
    test('loops back only as often as the limits of all rounds allow', async () => {
      const it = await started(
        'pipeline: [{id: write, prompt: w, limit: 3}, {id: review, prompt: r, limit: 2, onError: write}]\n',
      )
      await it.next()
      await it.done('write')
      for (const attempt of [1, 2]) {
        expect((await it.goOn()).offer).toMatchObject({ step: 'review', attempt, resumed: false })
        await it.fail('review')
      }
      expect((await it.goOn()).offer).toMatchObject({ step: 'write', attempt: 2, limit: 3 })
      expect(await it.done('write')).toMatchObject({
        status: 'blocked',
        reason: 'Limit reached for step "review".',
      })
    })

    test('is skipped if it is optional', async () => {
      const it = await started(
        'pipeline: [{id: a, prompt: a, limit: 1, optional: true}, {id: b, prompt: b}]\n',
      )
      await it.next()
      await it.fail('a')
      expect((await it.next()).offer).toMatchObject({ step: 'b' })
    })
  })

  describe('a report', () => {
    test('that comes twice changes nothing, even after the last step', async () => {
      const it = await started('pipeline: [{id: a, prompt: a}, {id: b, prompt: b}]\n')
      await it.next()
      const failed = await it.fail('a')
      const before = await world().everything()
      expect(await it.fail('a')).toEqual(failed)
      expect(without(await world().everything())).toEqual(without(before))
      await it.next()
      const done = await it.done('a')
      expect(await it.done('a')).toEqual(done)
      await it.next()
      const last = await it.done('b')
      expect(await it.done('b')).toEqual(last)
      expect(await failure(it.fail('b'))).toMatchObject({ code: 'conflict' })
    })

    test('requires what the step promises: a file with content, or a text about the result', async () => {
      const it = await started()
      await it.next()
      await it.done('branch')
      await it.next()
      const seq = await world().lastSeq()
      const missing = await failure(it.done('explore'))
      expect(missing).toMatchObject({ code: 'refused', field: 'verified' })
      expect(missing.message).toContain('plan.md')
      for (const blank of ['', ' \n\t\n', '\uFEFF\u200B\n']) {
        await writeFile(join(it.task_id, 'plan.md'), blank)
        expect(await failure(it.done('explore'))).toMatchObject({ code: 'refused' })
      }
      expect(await world().since(seq)).toMatchObject(
        Array.from({ length: 4 }, () => ({ event_type: 'step.refused', phase: 'explore' })),
      )
      await writeFile(join(it.task_id, 'plan.md'), 'The plan.')
      await it.done('explore')
      await it.next()
      for (const verified of [undefined, '', '  ', '____', '\u200B'])
        expect(await failure(it.done('build', { verified }))).toMatchObject({
          code: 'refused',
          hint: `holdfast step done build --effort ${it.effort_id} --verified '____'`,
        })
      expect(await failure(it.done('build', { skip: 'no time' }))).toMatchObject({ code: 'refused' })
      expect(await it.done('build', { verified: 'all 12 pass' })).toMatchObject({ status: 'running' })
    })

    test('of a step that was not started or does not exist is refused', async () => {
      const it = await started(THREE)
      expect(await failure(it.done('a'))).toMatchObject({
        code: 'refused',
        hint: `holdfast step go a --effort ${it.effort_id}`,
      })
      expect(await failure(it.fail('b'))).toMatchObject({ code: 'refused' })
      expect(await failure(it.done('zzz'))).toMatchObject({ code: 'not-found', field: 'step' })
    })

    test('is needed for the last step too, before the effort can be finished', async () => {
      const it = await started('pipeline: [{id: a, prompt: a, verify: the tests pass}]\n')
      await it.next()
      const about = { effort_id: it.effort_id }
      expect((await world().call('db.effort.validate', about)).checks[2]).toMatchObject({
        check: 'steps-done',
        pass: false,
        detail: 'Not done: a.',
      })
      expect(await failure(world().call('db.effort.finish', about))).toMatchObject({
        code: 'refused',
        hint: `holdfast step --effort ${it.effort_id}`,
      })
      const seq = await world().lastSeq()
      await world().call('db.effort.finish', { ...about, abandon: 'no longer wanted' })
      expect((await world().since(seq)).at(-1)).toMatchObject({
        event_type: 'effort.finished',
        payload: { outcome: 'abandoned', steps_left: ['a'] },
      })
    })

    test('counts once, even with concurrent calls', async () => {
      const it = await started(THREE)
      await it.next()
      const seq = await world().lastSeq()
      await Promise.all(Array.from({ length: 8 }, () => it.fail('a')))
      expect(await world().since(seq)).toMatchObject([{ event_type: 'step.failed' }])
      const offers = await Promise.all(Array.from({ length: 8 }, () => it.next()))
      expect(new Set(offers.map(({ offer }) => offer.attempt))).toEqual(new Set([2]))
    })
  })
}
