import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CATEGORIES, FAILURES } from '../../model/runbook/failure.ts'
import { failure, type World } from '../world.contract.ts'
import { compiledRunbook, runbookOf } from './runbook.contract.ts'

/** What an orchestrator of a runbook may rely on, on any database. */
export function runbookContract(world: () => World): void {
  const made = (text?: string) => compiledRunbook(world(), text === undefined ? {} : { text })
  /** Hands out the next step and reports it as done. */
  const doNext = async (it: Awaited<ReturnType<typeof made>>) => {
    const { step } = await it.next()
    return await it.done(step)
  }

  describe('the next step of a runbook', () => {
    test('is told whole, and says nothing of the other steps', async () => {
      const it = await made()
      const hand = await it.next()
      const effort = Number(hand.effort)
      expect(hand).toMatchObject({
        status: 'running',
        step: 'step-1-1',
        title: 'Do part 1.1',
        agent: `${it.name}-task`,
        model: 'haiku',
        max_turns: 30,
        report_path: `plans/${it.name}/reports/step-1-1.md`,
        command_done: `holdfast runbook report step-1-1 done --visit 1 --effort ${effort}`,
        command_error: expect.stringContaining(
          `holdfast runbook report step-1-1 error --visit 1 --effort ${effort} --category CATEGORY`,
        ),
        attempt: 1,
        limit: 3,
        resumed: false,
      })
      expect(hand.prompt).toContain(`Work in ${it.root}`)
      expect(hand.prompt).toContain(`Read plans/${it.name}/steps/step-1-1.md`)
      expect(hand.prompt).not.toMatch(/step-1-2|Do part|s1\.1/)
      for (const category of CATEGORIES) expect(hand.prompt).toContain(category)
    })

    test('is the same until it is reported, and asking is no try', async () => {
      const it = await made()
      const first = await it.next()
      for (let time = 0; time < 3; time++)
        expect(await it.next()).toEqual({ ...first, resumed: true, notes: [], prompt: expect.any(String) })
      expect((await it.status()).steps[0]).toMatchObject({ attempts: 1, state: 'started' })
      await it.done('step-1-1')
      expect(await it.next()).toMatchObject({ step: 'step-1-2', model: 'sonnet', attempt: 1, limit: 2 })
    })

    test('begins one effort on the folder of the runbook, whoever asks first', async () => {
      const it = await made()
      const both = await Promise.all([it.next(), it.next()])
      expect(new Set(both.map(({ effort }) => effort)).size).toBe(1)
      const { effort } = both[0]
      expect(await world().call('db.effort.get', { effort_id: effort })).toMatchObject({
        skill: 'orchestrate',
        task_id: it.folder,
        request: it.name,
        lifecycle: 'active',
      })
      expect((await world().call('runbook.next', { effort_id: effort })).step).toBe('step-1-1')
      expect((await it.next({ runbook: join(it.folder, 'runbook.md') })).effort).toBe(effort)
    })

    test('is told of two runbooks apart', async () => {
      const it = await made()
      const other = await compiledRunbook(world(), { project: it.root, text: runbookOf({ '1': 'opus' }) })
      expect((await it.next()).step).toBe('step-1-1')
      expect((await other.next()).step).toBe('step-1')
      await it.done('step-1-1')
      expect(await other.states()).toEqual([
        'step-1 started',
        'fix-final-review waiting',
        'final-review waiting',
      ])
      const status = ({ folder }: typeof it) => `holdfast runbook status ${folder}`
      for (const method of ['status', 'next']) {
        const refused = await failure(world().call(`runbook.${method}`, { cwd: it.root }))
        expect(refused).toMatchObject({ code: 'conflict', hint: status(other) })
        for (const one of [it, other]) expect(refused?.message).toContain(status(one))
      }
    })
  })

  describe('a failed step', () => {
    test('goes up one model for each failure, then to the user, who may let it go on', async () => {
      const it = await made()
      for (const [at, model] of ['haiku', 'sonnet', 'opus'].entries()) {
        expect(await it.next()).toMatchObject({ step: 'step-1-1', model, attempt: at + 1 })
        await it.error('step-1-1', 'execution', { visit: at + 1 })
      }
      const parked = await it.next()
      expect(parked).toMatchObject({
        status: 'parked',
        step: null,
        next: [expect.stringContaining(`holdfast effort approve ${parked.effort} step-1-1`)],
      })
      expect(await it.approve('step-1-1')).toMatchObject({
        next: [`holdfast runbook next --effort ${parked.effort}`],
      })
      expect(await it.next()).toMatchObject({ step: 'step-1-1', model: 'opus', attempt: 4, limit: 3 })
      await it.error('step-1-1', 'unexpected')
      expect(await it.next()).toMatchObject({ status: 'parked' })
      await it.approve('step-1-2')
      expect(await it.next()).toMatchObject({ step: 'step-1-2', model: 'sonnet' })
      expect((await it.states())[0]).toBe('step-1-1 waived')
    })

    test.each(CATEGORIES)('of category %s goes where the table says', async (category) => {
      const it = await made()
      await it.next()
      const seq = await world().lastSeq()
      const told = await it.error('step-1-1', category)
      const isUsers = FAILURES[category].by === 'user'
      expect(told).toMatchObject({ status: isUsers ? 'parked' : 'running' })
      expect(await it.next()).toMatchObject(isUsers ? { step: null } : { model: 'sonnet', attempt: 2 })
      const entry = (await world().since(seq)).find(({ event_type }) => event_type === 'step.failed')
      expect(entry?.payload).toMatchObject({ category, reason: `${category}: it broke` })
    })

    test('that the user settled is told with the words of the user, also to a stronger model', async () => {
      const it = await made()
      await it.next()
      await it.error('step-1-1', 'ambiguity')
      await it.approve('step-1-1')
      const said = 'An earlier try failed: ambiguity: it broke\nThe user let it go on: the user says so\n'
      expect((await it.next()).prompt).toContain(said)
      await it.error('step-1-1', 'execution')
      expect((await it.next()).prompt).toContain('The user let it go on: the user says so\n')
      await it.error('step-1-1', 'ambiguity')
      await it.approve('step-1-2')
      expect((await it.next()).prompt).not.toContain('The user')
    })

    test('tells the next model why it failed before', async () => {
      const it = await made()
      await it.next()
      await it.error('step-1-1', 'execution')
      expect((await it.next()).prompt).toContain('An earlier try failed: execution: it broke')
    })

    test('of the orchestrator itself is for the user at once', async () => {
      const it = await made(
        '---\nmodel: haiku\n---\n\n### Phase 1: Notes (type: inline)\n\nWrite the notes.\n',
      )
      const own = await it.next()
      expect(own).toMatchObject({ step: 'inline-1', agent: null, model: null, limit: 1 })
      expect(own.prompt).toContain('Write the notes.')
      expect(await it.error('inline-1', 'execution')).toMatchObject({ status: 'parked' })
    })
  })

  describe('a review', () => {
    const reviewed = async () => {
      const it = await made(runbookOf({ '1': 'opus' }))
      await doNext(it)
      return it
    }

    test('leads to a fix and back, until nothing is found or the user decides', async () => {
      const it = await reviewed()
      expect(await it.next()).toMatchObject({ step: 'final-review', agent: 'vet', position: '[2/2]' })
      expect(await it.error('final-review', 'findings')).toMatchObject({ status: 'running' })
      const fix = await it.next()
      expect(fix).toMatchObject({
        step: 'fix-final-review',
        agent: 'refactor',
        model: 'sonnet',
        position: '[2/2]',
      })
      expect(fix.prompt).toContain(`plans/${it.name}/reports/final-review.md`)
      await it.done('fix-final-review')
      expect(await it.next()).toMatchObject({ step: 'final-review', attempt: 2 })
      await it.error('final-review', 'findings')
      expect(await it.next()).toMatchObject({ step: 'fix-final-review', model: 'opus' })
      await it.done('fix-final-review')
      await it.next()
      expect(await it.error('final-review', 'findings')).toMatchObject({
        status: 'parked',
        notes: [
          'The user approves fix-final-review to have the findings fixed once more, or final-review to repeat only the review.',
        ],
      })
    })

    test('that could not be done is done again, and one that must ask stops', async () => {
      const it = await reviewed()
      await it.next()
      await it.error('final-review', 'execution')
      expect(await it.next()).toMatchObject({ step: 'final-review', attempt: 2 })
      expect(await it.error('final-review', 'ambiguity')).toMatchObject({ status: 'parked' })
    })

    test('names the commit before the first step of its phase, and the final one that of the first', async () => {
      const it = await made(runbookOf({ '1.1': 'opus', '2.1': 'opus' }))
      const head = (digit: string) => ({ tree: { top: it.root, changed: [], head: digit.repeat(40) } })
      const asked: string[] = []
      for (const digit of ['a', 'b', 'c', 'd', 'e']) {
        const { step, prompt } = await it.next(head(digit))
        asked.push(`${step} ${/git diff (.)/.exec(prompt)?.[1] ?? ''}`.trim())
        // Somebody asks again after further commits.
        expect((await it.next(head('0'))).step).toBe(step)
        await it.done(step)
      }
      expect(asked).toEqual(['step-1-1', 'checkpoint-1 a', 'step-2-1', 'checkpoint-2 c', 'final-review a'])
    })

    test('is a fresh one each time', async () => {
      const it = await reviewed()
      const first = await it.next()
      await it.error('final-review', 'findings')
      await doNext(it)
      expect((await it.next()).prompt).toBe(first.prompt)
    })

    test('names the files of its phase, and asks for no commit', async () => {
      const it = await made()
      for (let step = 0; step < 3; step++) await doNext(it)
      const review = await it.next()
      expect(review).toMatchObject({ step: 'checkpoint-1', agent: 'vet', model: 'sonnet' })
      expect(review.prompt).toContain(`plans/${it.name}/steps/step-1-2.md`)
      expect(review.prompt).not.toContain('step-2-1')
      expect(review.prompt).not.toContain('Commit what you changed')
      expect(review.prompt).toContain('findings')
    })
  })

  describe('a runbook that is carried out', () => {
    test('is finished with its last review, and begins anew only if somebody says so', async () => {
      const it = await made(runbookOf({ '1': 'opus' }))
      await doNext(it)
      const { effort } = await it.next()
      expect(await it.done('final-review')).toMatchObject({ status: 'finished', moved: true, next: [] })
      expect(await it.done('final-review')).toMatchObject({ status: 'finished', moved: false })
      expect(await it.next()).toMatchObject({
        effort,
        status: 'finished',
        step: null,
        notes: ['Every step of the runbook is done.', expect.stringContaining('--again')],
      })
      expect(await world().call('runbook.next', { effort_id: effort })).toMatchObject({ status: 'finished' })
      const again = await it.next({ again: true })
      expect(again).toMatchObject({ step: 'step-1', attempt: 1 })
      expect(again.effort).not.toBe(effort)
      expect((await it.next({ again: true })).effort).toBe(again.effort)
    })
  })

  test('somebody who carries out none hears how to begin', async () => {
    const { root } = await made()
    for (const method of ['next', 'status'])
      expect(await failure(world().call(`runbook.${method}`, { cwd: root }))).toMatchObject({
        code: 'not-found',
        hint: 'holdfast runbook next NAME',
      })
  })

  test('an effort of another plan is no runbook', async () => {
    const { id } = await world().effort()
    for (const method of ['next', 'status'])
      expect(await failure(world().call(`runbook.${method}`, { effort_id: id }))).toMatchObject({
        code: 'conflict',
      })
  })
}
