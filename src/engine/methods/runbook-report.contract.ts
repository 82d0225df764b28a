import { describe, expect, test } from 'vitest'
import { failure, type World } from '../world.contract.ts'
import { compiledRunbook, runbookOf } from './runbook.contract.ts'

/** One step for the orchestrator, and the review behind it. */
const INLINE = '---\nmodel: haiku\n---\n\n### Phase 1: Notes (type: inline)\n\nWrite the notes.\n'

/** How the steps of a runbook are reported, on any database. */
export function runbookReportContract(world: () => World): void {
  const made = (text?: string) => compiledRunbook(world(), text === undefined ? {} : { text })
  /** Hands out the next step and reports it as done. */
  const doNext = async (it: Awaited<ReturnType<typeof made>>) => {
    const { step } = await it.next()
    return await it.done(step)
  }

  describe('a report', () => {
    test('may come twice, and late', async () => {
      const it = await made()
      await it.next()
      expect(await it.error('step-1-1', 'execution', { visit: 1 })).toMatchObject({ moved: true })
      expect(await it.error('step-1-1', 'execution', { visit: 1 })).toMatchObject({ moved: false })
      await it.next()
      // The reply to the first report was lost, and the second try runs already.
      expect(await it.error('step-1-1', 'execution', { visit: 1 })).toMatchObject({ moved: false })
      expect(await it.next()).toMatchObject({ step: 'step-1-1', attempt: 2 })
      expect(await it.done('step-1-1', { visit: 2 })).toMatchObject({ moved: true })
      expect(await it.done('step-1-1', { visit: 2 })).toMatchObject({ moved: false })
      expect(await it.done('step-1-1')).toMatchObject({ moved: false })
      expect(await it.next()).toMatchObject({ step: 'step-1-2', attempt: 1 })
    })

    test.each([
      ['of a step that was not handed out', 'step-1-2', 'done', {}, 'conflict'],
      ['of a try that was not made', 'step-1-1', 'done', { visit: 2 }, 'conflict'],
      ['of a step that does not exist', 'step-9', 'done', {}, 'not-found'],
      ['with an unknown category', 'step-1-1', 'error', { category: 'mood' }, 'invalid'],
      ['with findings of no review', 'step-1-1', 'error', { category: 'findings' }, 'invalid'],
    ] as const)('%s is refused and changes nothing', async (_, step, outcome, more, code) => {
      const it = await made()
      await it.next()
      const refused = await failure(it.report(step, outcome, more))
      expect(refused).toMatchObject({ code, hint: expect.stringContaining('holdfast ') })
      expect((await it.states())[0]).toBe('step-1-1 started')
    })

    const ABSENT = [
      ['is missing', async () => undefined],
      ['is empty', async (it: Awaited<ReturnType<typeof made>>) => await it.writeReport('step-1-1', '')],
      ['is empty', async (it: Awaited<ReturnType<typeof made>>) => await it.writeReport('step-1-1', ' \n\n')],
    ] as const
    test.each(ABSENT)(
      'of a step whose report file %s is refused with the ways out',
      async (what, prepare) => {
        const it = await made()
        const { effort, report_path } = await it.next()
        await prepare(it)
        const seq = await world().lastSeq()
        const refused = await failure(it.report('step-1-1', 'done', { visit: 1 }))
        expect(refused).toMatchObject({
          code: 'refused',
          message: expect.stringContaining(`${report_path} ${what}`),
          hint: `holdfast runbook report step-1-1 error --visit 1 --effort ${effort} --category unexpected --reason 'it wrote no report'`,
        })
        expect(refused?.message).toContain(
          `holdfast runbook report step-1-1 done --visit 1 --effort ${effort}`,
        )
        expect(await world().since(seq)).toMatchObject([{ event_type: 'step.refused', phase: 'step-1-1' }])
        expect((await it.states())[0]).toBe('step-1-1 started')
        expect(await it.done('step-1-1', { visit: 1 })).toMatchObject({ moved: true })
        // Reports may be tidied away afterwards.
        await it.remove('reports')
        expect(await it.report('step-1-1', 'done', { visit: 1 })).toMatchObject({ moved: false })
      },
    )

    test('of a step needs a file that was written since the step was handed out', async () => {
      const it = await made(runbookOf({ '1': 'sonnet' }))
      const refused = async (step: string) => (await failure(it.report(step, 'done')))?.message
      await it.next()
      await it.writeReport('step-1', 'It did not go well.')
      await it.error('step-1', 'execution')
      await it.next()
      expect(await refused('step-1')).toContain('reports/step-1.md is from before this try')
      await it.done('step-1')
      await it.next()
      await it.writeReport('final-review', 'One thing must be fixed.')
      await it.error('final-review', 'findings')
      await it.next()
      await it.done('fix-final-review')
      await it.next()
      expect(await refused('final-review')).toContain('is from before this try')
      await it.writeReport('final-review', 'All is well.')
      // Asking again is no try, so what was written meanwhile counts.
      await it.next()
      expect(await it.report('final-review', 'done')).toMatchObject({ status: 'finished' })
      await it.next({ again: true })
      expect(await refused('step-1')).toContain('is from before this try')
      expect(await it.done('step-1')).toMatchObject({ moved: true })
    })

    test('of findings without the file that lists them is refused, because the fix reads it', async () => {
      const it = await made(INLINE)
      await it.next()
      await it.report('inline-1', 'done')
      const { effort, step, report_path } = await it.next()
      const found = { category: 'findings', reason: "it's two", visit: 1 }
      const again = `holdfast runbook report final-review error --visit 1 --effort ${effort} --category findings --reason 'it'\\''s two'`
      expect(await failure(it.report(step, 'error', found))).toMatchObject({
        code: 'refused',
        message: expect.stringContaining(
          `${report_path} is missing. Start its agent once more to write the report, then repeat: ${again}.`,
        ),
      })
      await it.writeReport(step)
      expect(await it.report(step, 'error', found)).toMatchObject({ moved: true, status: 'running' })
    })

    test('needs no file after an error, and for what the orchestrator does itself', async () => {
      const it = await made(INLINE)
      await it.next()
      expect(await it.report('inline-1', 'done')).toMatchObject({ moved: true })
      await it.next()
      expect(await it.error('final-review', 'execution')).toMatchObject({ moved: true })
    })

    test('that contradicts an earlier one is refused', async () => {
      const it = await made()
      await doNext(it)
      for (const which of [{}, { visit: 1 }])
        expect(await failure(it.error('step-1-1', 'execution', which))).toMatchObject({
          code: 'conflict',
          message: expect.stringContaining('reported before, as done'),
        })
    })

    test('reads the category from the answer where nobody named it', async () => {
      const it = await made()
      await it.next()
      const told = await it.report('step-1-1', 'error', { reason: 'error: ambiguity: two names fit' })
      expect(told).toMatchObject({
        status: 'parked',
        failures: [expect.stringContaining('ambiguity: two names fit')],
      })
    })

    test('without any word counts as a failure that a stronger model may settle', async () => {
      const it = await made()
      await it.next()
      expect(await it.report('step-1-1', 'error')).toMatchObject({ status: 'running' })
      expect(await it.next()).toMatchObject({
        model: 'sonnet',
        prompt: expect.stringContaining('no reason was given'),
      })
    })
  })
}
