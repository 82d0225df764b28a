import { describe, expect, test } from 'vitest'
import type { Plan } from '../../model/plan/plan.ts'
import { call } from '../call/call.ts'
import { failure, type World } from '../world.contract.ts'
import { begunWorkflow, planOf, putWorkflow, TOPIC, type Written } from './workflow.contract.ts'

const NOBODY = { notify: () => Promise.resolve(), gone: new AbortController().signal }

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
        { code: 'refused', hint: command.replace(`'confidence=low|high'`, 'confidence=low') },
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

  describe('a last step that needs two values and was given one', () => {
    const text = { type: 'text', required: true } as const
    const STATE = { state: { verdict: text, report: text } } as const
    const END = [{ id: 'judge', next: { ok: [], later: [] } }]

    test('is refused with the command that keeps the given one, whatever its outcome', async () => {
      const it = await begun(END, STATE)
      await it.enter()
      for (const outcome of ['ok', 'later']) {
        const flag = outcome === 'ok' ? '' : ' --outcome later'
        const command = `holdfast step done judge --effort ${it.id} --visit 1${flag}`
        expect(await failure(it.leave('judge', 1, { outcome, set: { report: 'a b.md' } }))).toMatchObject({
          code: 'refused',
          hint: `${command} --set verdict=____ --set 'report=a b.md'`,
        })
      }
      const set = { verdict: 'pass', report: 'a b.md' }
      expect(await it.leave('judge', 1, { set })).toMatchObject({ status: 'finished' })
    })
  })

  describe('a template of what every workflow knows', () => {
    test('names the folder of its task and its effort, unless the workflow declares the name', async () => {
      const step = {
        id: 'look',
        title: 'In {{effort}}',
        actions: ['Write {{task}}/{{effort}}.md.'],
        next: { ok: [] },
      }
      const it = await begun([step])
      const { task_id } = await it.call('db.effort.get')
      expect((await it.enter()).view).toMatchObject({
        title: `In ${it.id}`,
        actions: [`Write ${task_id}/${it.id}.md.`],
      })
      const own = await begun([step], { params: { task: { type: 'text', default: 'logs' } } })
      expect((await own.enter()).view.actions).toEqual([`Write logs/${own.id}.md.`])
    })
  })

  describe('a field of proof with the name of a value', () => {
    const STATE = {
      params: { topic: { type: 'text', default: 'logs' } },
      state: { sure: { type: 'choice', choices: ['low', 'high'] } },
    } as const
    const STEPS = [
      { id: 'look', proof: ['sure', 'topic'], next: { ok: ['tell'] } },
      { id: 'tell', actions: ['{{topic}}, {{sure}}'], next: { ok: [] } },
    ]

    test('sets the state that fits, and never a param', async () => {
      const it = await begun(STEPS, STATE)
      await it.enter()
      expect(await failure(it.leave('look', 1, { proof: { sure: 'so so', topic: 'x' } }))).toMatchObject({
        code: 'invalid',
        field: 'proof',
        message: 'sure must be one of low, high, not "so so".',
      })
      expect(await failure(it.call('db.effort.finish', { proof: { sure: '?', topic: 'x' } }))).toMatchObject({
        field: 'proof',
      })
      const { view } = await it.leave('look', 1, { proof: { sure: 'high', topic: 'x' } })
      expect(view.actions).toEqual(['logs, high'])
    })
  })

  describe('a workflow that was begun without what it needs', () => {
    test('is refused by every way to start its first step', async () => {
      const skill = await putWorkflow(world(), planOf([{ id: 'plan', next: { ok: [] } }], TOPIC))
      const { id: effort_id } = await world().call('db.effort.start', {
        task_id: await world().task(),
        skill,
      })
      const starts = [
        () => world().call('step.enter', { effort_id }),
        () => world().call('db.effort.phase', { effort_id, label: 'plan' }),
      ]
      for (const start of starts)
        expect(await failure(start())).toMatchObject({ code: 'invalid', field: 'params' })
      expect(await world().call('step.show', { effort_id })).toMatchObject({ current: [] })
    })
  })

  describe('a step that is a command', () => {
    const CHECK = [
      { id: 'check', run: 'make check', next: { ok: ['tell'], fail: ['mend'] }, limit: 3 },
      { id: 'mend', next: { ok: ['check'] }, limit: 3 },
      { id: 'tell', next: { ok: [] } },
    ]
    const STATE = { state: { found: { type: 'number' } }, ...TOPIC } as const
    const atCheck = async () => {
      const it = await begun(CHECK, STATE, { params: { topic: 'x' } })
      return {
        ...it,
        entered: await it.enter(),
        run: (more: object = {}) => it.call('step.run', { step: 'check', ...more }),
      }
    }

    test('says what to run, and only its own result ends it, once', async () => {
      const it = await atCheck()
      expect(it.entered).toMatchObject({ runs: true, view: { step: 'check' } })
      const hint = `holdfast step --effort ${it.id}`
      expect(await failure(it.leave('check', 1))).toMatchObject({ code: 'refused', hint })
      expect(await failure(it.leave('check', 1, { outcome: 'fail', reason: 'no' }))).toMatchObject({ hint })
      expect(await failure(it.leave('check', 1, { token: 'made-up' }))).toMatchObject({ hint })
      const { command, folder, input, token } = await it.run()
      expect([command, folder]).toEqual(['make check', world().project])
      expect(input).toMatchObject({
        effort: it.id,
        step: 'check',
        visit: 1,
        params: { topic: 'x' },
        state: { found: '' },
      })
      const done = await it.leave('check', 1, { token, set: { found: '3' } })
      expect(done).toMatchObject({ runs: false, view: { step: 'tell' } })
      expect(await it.leave('check', 1, { token })).toMatchObject({ past: true, view: { step: 'tell' } })
    })

    test('keeps its token when its result is refused, and a later run replaces an earlier one', async () => {
      const it = await atCheck()
      const first = await it.run()
      const { token } = await it.run()
      expect(await failure(it.leave('check', 1, { token: first.token }))).toMatchObject({ code: 'refused' })
      expect(await failure(it.leave('check', 1, { token, set: { found: 'many' } }))).toMatchObject({
        code: 'invalid',
      })
      const mended = await it.leave('check', 1, { token, outcome: 'fail', reason: 'two are red' })
      expect(mended).toMatchObject({
        view: { step: 'mend' },
        failures: [expect.stringContaining('two are red')],
      })
      expect(await failure(it.run())).toMatchObject({ code: 'conflict' })
    })

    test('that failed is printed with its command and the reason, and ends nothing', async () => {
      const it = await begun([
        { id: 'check', run: 'make check', next: { ok: ['tell'] } },
        { id: 'tell', next: { ok: [] } },
      ])
      expect((await it.enter()).view.run).toEqual({ command: 'make check', failed: null })
      const { token } = await it.call('step.run', { step: 'check' })
      const { view } = await it.leave('check', 1, { token, outcome: 'fail', reason: 'two are red' })
      expect(view).toMatchObject({ run: { failed: 'two are red' }, next: [{ to: 'tell' }] })
    })

    test('runs once at a time, as long as the process that runs it lives', async () => {
      const it = await atCheck()
      const self = { id: '4711:1', began: 0 }
      await it.run({ processes: [self] })
      expect(await failure(it.run({ processes: [{ id: '4712:1', began: 0 }] }))).toMatchObject({
        code: 'conflict',
      })
      const machine = { ...world().context.machine, isRunning: () => false }
      const gone = { ...world().context, machine }
      expect(await call(gone, 'step.run', { effort_id: it.id, step: 'check' }, NOBODY)).toMatchObject({
        visit: 1,
      })
    })

    test('is not held up by a process of another machine that has the same number', async () => {
      const it = await atCheck()
      await it.run({ processes: [{ id: '4711:1', began: 0 }] })
      const machine = { ...world().context.machine, machine_id: 'another' }
      const there = { ...world().context, machine }
      expect(await call(there, 'step.run', { effort_id: it.id, step: 'check' }, NOBODY)).toMatchObject({
        visit: 1,
      })
    })
  })

  describe('a started step', () => {
    test('is not ended by starting another one, or by its artifacts', async () => {
      const it = await begun([
        { id: 'a', produces: ['x'], next: { ok: ['b'] } },
        { id: 'b', next: { ok: [] } },
      ])
      await it.enter()
      expect(await failure(it.call('step.enter', { step: 'b' }))).toMatchObject({
        code: 'refused',
        hint: `holdfast step done a --effort ${it.id} --visit 1`,
      })
      await it.call('artifact.put', { name: 'x' })
      expect((await it.show()).current).toEqual(['a'])
      expect(await failure(it.call('step.enter', { step: 'b' }))).toMatchObject({
        code: 'refused',
        hint: `holdfast step --effort ${it.id}`,
      })
      expect(await it.call('step.enter', { step: 'b', reason: 'The user says so' })).toMatchObject({
        view: { step: 'b' },
      })
    })
  })

  describe('defect 23: an outcome that is not mapped', () => {
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
