import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyString } from '../../../test/any-string.ts'
import { advance, begin } from '../../model/plan/advance.ts'
import { trustHint } from '../../model/diagnostic.ts'
import type { LoadedModule } from '../../model/plan/definition.ts'
import { readSkill } from '../skill-md.ts'

interface Given {
  readonly source?: string
  readonly body?: string
  readonly others?: Readonly<Record<string, string>>
}

/** A skill with a module and its result; without a result the module was not run. */
function read(loaded: LoadedModule | undefined, { source = '', body = '', others = {} }: Given = {}) {
  return readSkill({
    kind: 'skill',
    id: 'x',
    folder: 'skills/x',
    file: 'skills/x/SKILL.md',
    text: `---\nname: x\ndescription: d\n---\n\n${body}`,
    others: new Map(Object.entries({ 'workflow.ts': source, ...others })),
    modules: new Map(loaded === undefined ? [] : [['workflow.ts', loaded]]),
  })
}

const workflow = (...steps: readonly unknown[]): LoadedModule => ({ exported: { name: 'x', steps } })
const step = (id: string, more: object = {}) => ({ id, title: id.toUpperCase(), ...more })
const codes = (loaded: LoadedModule | undefined, given?: Given) =>
  read(loaded, given).diagnostics.map(({ code }) => code)
const HEADINGS = '## Phase 1: a\n\n## Phase 2: b\n'

describe('a plan from a module', () => {
  test('is not replaced by phases that stand beside it, once its module was run', () => {
    const others = { 'holdfast.yaml': 'phases: [{label: "1", name: Nothing}]\n' }
    const trusted = read(workflow(step('work')), { others })
    expect(trusted.definition.plan).toMatchObject({ notation: 'workflow', steps: [{ id: 'work' }] })
    expect(trusted.diagnostics.map(({ code }) => code)).toContain('HF210')
    for (const loaded of [undefined, { error: 'It throws.' }, { exported: { name: 'x' } }])
      expect(read(loaded, { others }).definition.plan).toMatchObject({ notation: 'phases' })
  })

  test('is explicit, requires what steps produce, and has every field of the module', () => {
    const { definition, diagnostics } = read(
      workflow(
        step('work', {
          phase: 'Build',
          actions: ['Do it.\nAll of it.'],
          produces: ['change'],
          limit: 3,
          next: { ok: 'review', _default: ['review', 'work'] },
        }),
        step('review', {
          consumes: ['change'],
          proof: ['passed'],
          optional: true,
          onError: 'work',
          next: { ok: null },
        }),
      ),
    )
    expect(diagnostics).toEqual([])
    expect(definition.plan).toMatchObject({
      notation: 'workflow',
      explicit: true,
      gate: 'produced',
      entry: ['work'],
      steps: [
        {
          id: 'work',
          title: 'WORK',
          phase: 'Build',
          actions: ['Do it.\nAll of it.'],
          produces: ['change'],
          limit: 3,
          next: { ok: ['review'], _default: ['review', 'work'] },
        },
        { consumes: ['change'], proof: ['passed'], optional: true, onError: 'work', next: { ok: [] } },
      ],
    })
  })

  test('ends with null even behind a step that is called end', () => {
    const { definition, diagnostics } = read(
      workflow(step('a', { next: 'end' }), step('end', { next: null }), step('c', { next: { ok: 'a' } })),
    )
    expect(diagnostics.map(({ code }) => code)).toEqual(['HF304'])
    expect(definition.plan?.steps.map(({ next }) => next)).toEqual([
      { ok: ['end'] },
      { ok: [] },
      { ok: ['a'] },
    ])
  })

  test('starts at its entry', () => {
    const steps = [step('a', { next: { ok: null } }), step('b', { next: { ok: 'a' } })]
    expect(read({ exported: { name: 'x', entry: 'b', steps } }).definition.plan?.entry).toEqual(['b'])
  })

  test('ends at a last step without `next`, after success and never after a failure', () => {
    const { plan } = read(workflow(step('only'))).definition
    if (plan === undefined) throw new Error('There is no plan.')
    const entered = advance(plan, begin(plan), { kind: 'enter', step: 'only' })
    if (!entered.ok) throw new Error(entered.why)
    const leave = (outcome: string) =>
      advance(plan, entered.progress, { kind: 'leave', step: 'only', outcome })
    expect(leave('ok')).toMatchObject({ progress: { status: 'completed' } })
    expect(leave('fail')).toMatchObject({ progress: { status: 'running', open: ['only'] } })
    expect(leave('skip')).toMatchObject({ ok: false })
    const optional = read(workflow(step('only', { optional: true }))).definition.plan
    expect(optional?.steps[0]?.next).toEqual({ ok: [], skip: [] })
  })

  test('comes before every other notation, and a title is one line', () => {
    const steps = { 'steps/a.md': '---\nconsumes: []\nproduces: [y]\n---\n' }
    const { plan } = read(workflow(step('a', { title: ' A\n  b\u001B ' })), {
      body: HEADINGS,
      others: steps,
    }).definition
    expect(plan).toMatchObject({ notation: 'workflow', steps: [{ title: 'A b' }] })
  })

  test('gets the gate of the sidecar', () => {
    const others = { 'holdfast.yaml': 'gate: visited\n' }
    expect(read(workflow(step('a')), { others }).definition.plan?.gate).toBe('visited')
  })
})

describe('the validator reports', () => {
  test.each([
    ['HF301', [step('a', { next: { ok: 'a' } }), step('a')]],
    ['HF302', [step('a', { next: { ok: 'b' } }), step('c')]],
    ['HF302', [step('a', { onError: 'b' })]],
    ['HF303', [step('a'), step('b')]],
    ['HF303', [step('a', { next: {} })]],
    ['HF304', [step('a', { next: { ok: null } }), step('b')]],
    ['HF305', [step('a', { next: { ok: 'a' }, limit: 2 })]],
    ['HF306', [step('a', { next: { ok: null, fail: 'a' } })]],
    ['HF307', [step('a', { consumes: ['nothing'] })]],
  ])('%s %j', (code, steps) => expect(codes(workflow(...steps))).toContain(code))

  test('an entry that does not exist', () =>
    expect(codes({ exported: { name: 'x', entry: 'z', steps: [step('a')] } })).toContain('HF302'))

  test('a duplicate id at the line of each', () => {
    const source = `export const workflow = {
  name: 'x',
  steps: [
    { "id": "a", title: 'A' },
    { title: 'B', id: 'a' },
  ],
}`
    expect(read(workflow(step('a'), step('a')), { source }).diagnostics).toMatchObject([
      { code: 'HF301', file: 'skills/x/workflow.ts', line: 5, column: 19 },
    ])
  })
})

describe('a workflow of the wrong shape gets a diagnostic and no plan', () => {
  test.each([
    [undefined, 'must be an object, not nothing'],
    [null, 'must be an object, not null'],
    [[], 'must be an object, not an empty list'],
    ['text', 'must be an object, not "text"'],
    [7, 'must be an object, not 7'],
    [{ steps: [step('a')] }, 'has no name'],
    [{ name: 'x' }, 'has no steps'],
    [{ name: 'x', steps: [] }, 'steps must be a list of 1 to 500 steps, not an empty list'],
    [{ name: 'x', steps: { a: 1 } }, 'not an object'],
    [{ name: 'x', steps: Array.from({ length: 501 }, (_, index) => step(`s${index}`)) }, 'of 1 to 500'],
    [{ name: 'x', entry: null, steps: [step('a')] }, 'entry must be'],
  ])('%j', (exported, sentence) => {
    const { definition, diagnostics } = read({ exported }, { body: HEADINGS })
    expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toContainEqual(
      expect.stringMatching(new RegExp(`^HF207 The workflow.*${sentence}`)),
    )
    expect(definition.plan).toBeUndefined()
  })

  test.each([
    [null, 'Step 1 of the list must be an object'],
    [{ title: 'A' }, 'Step 1 of the list has no id'],
    [{ id: 'a' }, 'Step a has no title'],
    [step('a b'), 'Step 1 of the list: id must be a string without spaces'],
    [step('a', { id: 'x'.repeat(201) }), 'id must be'],
    [step('a', { title: 1 }), 'title must be a non-empty string, not 1'],
    [step('a', { phase: '' }), 'phase must be a non-empty string, not an empty string'],
    [step('a', { actions: 'do' }), 'actions must be a list of texts and blocks, not "do"'],
    [step('a', { next: true }), 'next must be a step, a list of steps, or outcomes'],
    [step('a', { next: [null] }), 'next must be'],
    [step('a', { next: { ok: [] } }), 'next must be'],
    [step('a', { next: { ok: true } }), 'next must be'],
    [step('a', { next: { '': 'b' } }), 'next must be'],
    [step('a', { onError: null }), 'onError must be'],
    [step('a', { limit: 0 }), 'limit must be a whole number above 0'],
    [step('a', { limit: 1.5 }), 'limit must be'],
    [step('a', { optional: 'maybe' }), 'optional must be true or false'],
    [step('a', { onLimit: [] }), 'onLimit must be a step, or park'],
    [step('a', { writes: ['../x'] }), 'writes must be a list of patterns inside the project'],
    [step('a', { dispatch: { count: 2, join: 3 } }), 'with a join of at most the count'],
    [step('a', { when: 'high' }), 'when must be values of variables'],
    [step('a', { only: 'slow' }), 'only must be full or quick'],
    [step('a', { consumes: 'plan' }), 'consumes must be a list of strings without spaces, not "plan"'],
    [step('a', { produces: ['a b'] }), 'produces must be'],
    [step('a', { proof: { tests: {} } }), 'proof must be'],
  ])('a step %j', (one, sentence) => {
    const { definition, diagnostics } = read(workflow(one))
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ code: 'HF207', message: expect.stringContaining(sentence) }),
    )
    expect(definition.plan).toBeUndefined()
  })

  test('an unknown field is a warning, and the plan stays', () => {
    const { definition, diagnostics } = read(workflow(step('a', { limt: 2 })))
    expect(diagnostics).toMatchObject([
      {
        code: 'HF209',
        severity: 'warning',
        message: 'Step a has an unknown field limt; did you mean limit?',
      },
    ])
    expect(definition.plan?.steps).toHaveLength(1)
  })
})

describe('a module', () => {
  test('that was not run gets a note, and the skill has no plan', () => {
    const { definition, diagnostics } = read(undefined, { body: HEADINGS, source: '// a\nexport default 1' })
    const hint = trustHint('x')
    expect(diagnostics).toMatchObject([{ code: 'HF208', severity: 'info', line: 2, hint }])
    expect(definition.plan).toBeUndefined()
  })

  test('that could not be loaded gets a diagnostic at its line', () => {
    const source = 'a\nb\nc'
    const at = (line?: number) => read({ error: 'It broke.', line }, { source }).diagnostics
    expect(at(2)).toMatchObject([{ code: 'HF206', line: 2, message: expect.stringContaining('It broke.') }])
    for (const [line, shown] of [
      [99, 1],
      [-1, 1],
      [Number.NaN, 1],
      [undefined, 1],
    ] as const)
      expect(at(line)).toMatchObject([{ code: 'HF206', line: shown }])
  })

  test('beside another one gets a diagnostic', () =>
    expect(codes(workflow(step('a')), { others: { 'workflow.mjs': '' } })).toEqual(['HF210']))

  test('does not count if the sidecar has the phases', () => {
    const others = { 'holdfast.yaml': 'phases:\n  - {label: "1", name: Plan}\n' }
    expect(read(undefined, { others }).definition.plan).toMatchObject({ notation: 'phases' })
  })
})

describe('for any export', () => {
  const runs = Number(process.env['HOLDFAST_RUNS'] ?? 300)
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
    key: fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'id', 'next', 'ok', 'steps')),
  })
  const word = fc.oneof(fc.constantFrom('a', 'b', 'ok', '__proto__', 'constructor'), anything)
  const steps = fc.array(
    fc.record(
      {
        id: word,
        title: word,
        phase: word,
        actions: anything,
        next: fc.oneof(fc.dictionary(fc.string(), fc.oneof(word, fc.array(word))), anything),
        onError: word,
        limit: fc.oneof(fc.integer(), anything),
        optional: anything,
        proof: fc.array(word),
        consumes: fc.array(word),
        produces: anything,
      },
      { requiredKeys: [] },
    ),
  )
  const nearly = fc.record(
    { name: word, entry: word, steps: fc.oneof(steps, anything) },
    { requiredKeys: ['steps'] },
  )

  test('the front end never throws, and without an error there is a plan', () => {
    fc.assert(
      fc.property(fc.oneof(nearly, anything), anyString(), (exported, source) => {
        const { definition, diagnostics } = read({ exported }, { source })
        const failed = diagnostics.some(({ code }) => code === 'HF207')
        expect(definition.plan === undefined).toBe(failed)
      }),
      { numRuns: runs },
    )
  })
})
