import { describe, expect, test } from 'vitest'
import type { Plan } from '../../../model/plan/plan.ts'
import { textPlaces, textsNamed } from '../../../model/workflow/texts.ts'
import * as door from '../../../workflow/index.ts'
import { readSkill } from '../../skill-md.ts'

const { convention, dispatch, gate, param, resource, step, workflow } = door

interface Given {
  readonly source?: string
  /** The files that exist besides, if the disk is known. */
  readonly files?: readonly string[]
}

/** A skill whose module exported this. */
function read(exported: unknown, { source = '', files }: Given = {}) {
  return readSkill({
    kind: 'skill',
    id: 'x',
    folder: 'skills/x',
    file: 'skills/x/SKILL.md',
    text: '---\nname: x\ndescription: d\n---\n',
    others: new Map([['workflow.ts', source]]),
    // As plain data, like the answer of the realm.
    modules: new Map([['workflow.ts', { exported: JSON.parse(JSON.stringify(exported)) as unknown }]]),
    disk:
      files === undefined
        ? undefined
        : {
            exists: (path) => files.includes(path),
            isUtf8: () => true,
            textFolders: ['/user', '/package'],
            above: 1,
          },
  })
}

const told = (exported: unknown, given?: Given) =>
  read(exported, given).diagnostics.map(({ code, message }) => `${code} ${message}`)
const a = (more: object = {}) => ({ id: 'a', title: 'A', next: null, ...more })
const of = (...steps: readonly object[]) => ({ name: 'x', format: 'xml', steps })

describe('a workflow of the door', () => {
  const inner = workflow('review', [step({ id: 'look', title: 'Look at {{about}}', next: null })], {
    params: { about: param.text({ required: true }) },
    state: { result: param.choice(['pass', 'fail']), report: param.text() },
  })
  const whole = workflow(
    'release',
    [
      step({
        id: 'build',
        title: 'Build {{version}}',
        phase: 'Work',
        actions: ['Build it.', '', convention('temporal'), resource('notes', 'what to say')],
        when: { deep: true },
        next: 'qr',
      }),
      ...gate({
        id: 'qr',
        name: 'Release',
        work: 'build',
        pass: 'ship',
        review: dispatch('quality-reviewer', { workflow: 'review', vars: { about: 'release {{version}}' } }),
      }),
      step({
        id: 'ship',
        title: 'Ship',
        run: 'npm publish',
        decides: [{ when: { sure: ['high', 'certain'] }, outcome: 'ok' }, { outcome: 'fail' }],
        next: { ok: null, fail: 'build' },
        limit: 3,
      }),
    ],
    {
      activate: 'first',
      params: { version: param.text({ required: true }), deep: param.boolean({ default: true }) },
      state: {
        sure: param.choice(door.CONFIDENCE, { default: 'low' }),
        tries: param.number({ min: 0, default: 0 }),
      },
      workflows: { review: inner },
    },
  )

  test('becomes a plan with every field, and is printed', () => {
    const { definition, diagnostics } = read(whole)
    expect(diagnostics).toEqual([])
    expect(definition.plan).toMatchObject({
      notation: 'workflow',
      format: 'xml',
      activate: 'first',
      entry: ['build'],
      params: { version: { type: 'text', required: true }, deep: { type: 'boolean', default: 'true' } },
      state: { result: { type: 'choice', choices: ['pass', 'fail'] }, report: {}, sure: { default: 'low' } },
      variables: { version: '', deep: 'true', result: '', report: '', sure: 'low', tries: '0' },
      steps: [
        {
          id: 'build',
          when: { deep: 'true' },
          limit: 5,
          actions: ['Build it.', '', { block: 'convention', name: 'temporal' }, { block: 'resource' }],
        },
        {
          id: 'qr',
          review: { name: 'Release', gate: 'qr-gate' },
          dispatch: {
            count: 1,
            join: 1,
            agent: 'quality-reviewer',
            workflow: 'review',
            vars: { about: 'release {{version}}' },
            returns: ['result', 'report'],
          },
          next: { ok: ['qr-gate'] },
        },
        {
          id: 'qr-gate',
          gate: { name: 'Release', review: 'qr', work: 'build', message: 'Release passed.', fix: 'self' },
          decides: [{ when: { result: 'pass' }, outcome: 'pass' }, { outcome: 'fail' }],
          next: { pass: ['ship'], fail: ['build'] },
        },
        { id: 'ship', run: 'npm publish', decides: [{ when: { sure: ['high', 'certain'] } }, {}] },
      ],
      workflows: { review: { format: 'xml', entry: ['look'], steps: [{ id: 'look', next: { ok: [] } }] } },
    })
  })

  test('names its texts once, and says where they may be, best first', () => {
    const { plan } = read(whole).definition
    expect(textsNamed(plan as Plan)).toEqual([
      { kind: 'convention', name: 'temporal' },
      { kind: 'resource', name: 'notes' },
    ])
    expect(textPlaces({ kind: 'resource', name: 'notes' }, ['/skill', '/project/.holdfast'])).toEqual([
      '/skill/resources/notes.md',
      '/project/.holdfast/resources/notes.md',
    ])
  })

  test.each([
    ['the skill', 'skills/x/conventions/temporal.md'],
    ['the project', '.holdfast/conventions/temporal.md'],
    ['a folder above', '../.holdfast/conventions/temporal.md'],
    ['the user', '/user/conventions/temporal.md'],
    ['the package', '/package/conventions/temporal.md'],
  ])('may have a text in %s; one that is nowhere is an error', (_, path) => {
    expect(told(whole, { files: [path] })).toEqual([
      'HF331 Step build names the resource notes, which does not exist.',
    ])
  })

  test('of 500 steps is read as one of three', () => {
    const ids = Array.from({ length: 500 }, (_, index) => `s${index}`)
    const steps = ids.map((id, index) => step({ id, title: id, next: ids[index + 1] ?? null }))
    const { definition, diagnostics } = read({ name: 'long', format: 'xml', steps })
    expect(diagnostics).toEqual([])
    expect(definition.plan?.steps).toHaveLength(500)
  })
})

describe('the place of a problem', () => {
  const source = `import { gate, param, step, workflow } from 'holdfast/workflow'
const inner = workflow('inner', [
  step({ id: 'a', title: 'A' }),
])
export default workflow('outer', [
  step({ id: 'a', title: 'A' }),
  ...gate({ id: 'qr', name: 'Q', work: 'a' }),
], {
  params: { size: param.number({ default: 1 }) },
})`

  test('is the line of the step in its own workflow, of the gate, or of the value', () => {
    const exported = {
      name: 'outer',
      format: 'xml',
      params: { size: { type: 'number', default: 'big' } },
      steps: [a({ limit: 0 }), { id: 'qr-gate', title: 'Q', next: null, limit: 0 }],
      workflows: { inner: { name: 'inner', steps: [a({ limit: 0 })] } },
    }
    expect(read(exported, { source }).diagnostics.map(({ line, message }) => `${line} ${message}`)).toEqual([
      '9 params.size: default must be a number, not "big".',
      '6 Step a: limit must be a whole number above 0, not 0.',
      '7 Step qr-gate: limit must be a whole number above 0, not 0.',
      '3 Step a: limit must be a whole number above 0, not 0.',
    ])
  })
})

describe('params and state', () => {
  const fields = (params: unknown) => told({ name: 'x', format: 'xml', steps: [a()], params })

  test.each([
    [[], 'params must be an object'],
    [{ 'a b': { type: 'text' } }, 'params has "a b", which is no name'],
    [{ v: 7 }, 'params.v must be an object, not 7'],
    [{ v: {} }, 'params.v has no type; it must be text or number or boolean or choice'],
    [{ v: { type: 'date' } }, 'params.v: type must be text or number or boolean or choice, not "date"'],
    [{ v: { type: 'text', min: 1 } }, 'params.v is a text, so it has no min'],
    [{ v: { type: 'text', choices: ['a'] } }, 'params.v is a text, so it has no choices'],
    [{ v: { type: 'choice' } }, 'params.v is a choice, but has no choices'],
    [{ v: { type: 'choice', choices: [] } }, 'choices must be a list of 1 to 100 choices, not an empty list'],
    [{ v: { type: 'choice', choices: ['a', 'a'] } }, 'choices must be different non-empty strings'],
    [{ v: { type: 'choice', choices: ['a', 7] } }, 'choices must be different non-empty strings'],
    [{ v: { type: 'choice', choices: ['a'], default: 'b' } }, 'default must be one of a, not "b"'],
    [{ v: { type: 'number', min: 3, max: 1 } }, 'min 3 is above max 1'],
    [{ v: { type: 'number', min: 3, default: 1 } }, 'default must be a number of at least 3, not 1'],
    [{ v: { type: 'number', default: '3' } }, 'default must be a number, not "3"'],
    [{ v: { type: 'number', max: 'x' } }, 'max must be a number, not "x"'],
    [{ v: { type: 'boolean', default: 'yes' } }, 'default must be true or false, not "yes"'],
    [{ v: { type: 'boolean', required: 1 } }, 'required must be true or false, not 1'],
    [
      Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`v${n}`, { type: 'text' }])),
      'the most are 100',
    ],
  ])('%j is told what is wanted', (params, sentence) =>
    expect(fields(params)).toContainEqual(expect.stringContaining(sentence)),
  )

  test('have different names, and either may be required', () => {
    const v = { type: 'text', required: true }
    expect(told({ name: 'x', steps: [a()], params: { v }, state: { v } })).toEqual([
      'HF207 The workflow has v in params and in state; rename one of them.',
    ])
  })
})

describe('a part of the wrong shape is told what is wanted', () => {
  test.each([
    [{ activate: 'always' }, 'activate must be first, not "always"'],
    [{ format: 'html' }, 'format must be xml or text, not "html"'],
    [{ workflows: { 'a/b': of(a()) } }, 'workflows has "a/b", which is no name'],
    [{ workflows: { w: { name: 'w' } } }, 'Workflow w has no steps'],
    [{ workflows: { w: of(a(), []) } }, 'Step 2 of the list must be an object'],
  ])('%j', (more, sentence) =>
    expect(told({ ...of(a()), ...more })).toContainEqual(expect.stringContaining(sentence)),
  )

  test('workflows in workflows in workflows, and too many steps in all of them', () => {
    const nest = (depth: number): object =>
      depth === 0 ? of(a()) : { ...of(a()), workflows: { w: nest(depth - 1) } }
    expect(told(nest(2))).toEqual([])
    expect(told(nest(3))).toEqual(['HF207 Workflow w: workflows may be nested 3 deep; call a skill instead.'])
    const many = of(
      ...Array.from({ length: 200 }, (_, n) => ({
        id: `s${n}`,
        title: 'S',
        next: n < 199 ? `s${n + 1}` : null,
      })),
    )
    expect(told({ ...many, workflows: { one: many, two: many } })).toEqual([
      expect.stringMatching(/^HF325 The workflow has 600 steps with those of its workflows/),
    ])
  })

  test.each([
    [{ actions: [7] }, 'actions must be a list of texts and blocks, not a list'],
    [{ actions: [{ block: 'forbiden' }] }, '"forbiden" is no block; write one of convention, resource'],
    [
      { actions: [{ block: 'forbidden' }] },
      'actions of the block forbidden must be a list of texts, not nothing',
    ],
    [{ actions: [convention('../x')] }, 'convention must be the name of a file without .md'],
    [{ decides: [] }, 'decides must be a list of 1 to 50 outcomes'],
    [{ decides: [{ when: { v: 'x' } }] }, 'Step a: decision 1 has no outcome'],
    [{ decides: [{ when: { v: [] }, outcome: 'ok' }] }, 'when must be values such as'],
    [{ decides: [{ when: { 'v w': 'x' }, outcome: 'ok' }] }, 'when must be values such as'],
    [{ decides: [{ when: { v: null }, outcome: 'ok' }] }, 'when must be values such as'],
    [{ run: '' }, 'run must be a non-empty string'],
    [{ run: 'x'.repeat(2001) }, 'Put it into a script'],
    [{ run: 'ls', dispatch: { agent: 'explore' } }, 'either run or dispatch'],
    [{ dispatch: { agent: 'a b' } }, 'Step a: dispatch: agent must be a string without spaces'],
    [{ dispatch: { count: 101 } }, 'dispatch must be 1 to 100 sub-agents'],
    [{ dispatch: { count: 2, join: 3 } }, 'with a join of at most the count'],
    [{ dispatch: { vars: { v: 7 } } }, 'vars must be texts by name'],
    [{ dispatch: { each: [] } }, 'each must be a list of 1 to 100 sub-agents'],
    [{ dispatch: { each: [{ id: 'x', title: 'X' }] } }, 'sub-agent 1 has no task'],
    [{ dispatch: { count: 3, each: [{ id: 'x', title: 'X', task: 'T' }] } }, 'leave out count'],
    [
      { dispatch: { each: [1, 2].map(() => ({ id: 'x', title: 'X', task: 'T' })) } },
      'each has two of one id',
    ],
    [{ review: { name: 'R' } }, 'Step a: review has no gate'],
    [{ gate: { name: 'G' } }, 'Step a: gate has no review'],
  ])('a step with %j', (more, sentence) => {
    const { definition, diagnostics } = read(of(a(more)))
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ code: 'HF207', message: expect.stringContaining(sentence) as string }),
    )
    expect(definition.plan).toBeUndefined()
  })

  test('an unknown field of any part is a warning', () => {
    const parts = [a({ dispatch: { agent: 'x', modl: 'y' }, decides: [{ outcome: 'ok', whn: {} }] })]
    expect(told({ ...of(...parts), params: { v: { type: 'text', reqired: true } } })).toEqual([
      'HF209 params.v has an unknown field reqired; did you mean required?',
      'HF209 Step a: decision 1 has an unknown field whn; did you mean when?',
      'HF209 Step a: dispatch has an unknown field modl; did you mean model?',
    ])
  })
})

test.each(['--help', '-', '__proto__'])(
  'a step cannot be called %s, because no command could name it',
  (id) => {
    expect(told(of(a({ id })))).toEqual([expect.stringContaining('id must not begin with -')])
  },
)

test('no value is called __proto__', () => {
  const params = JSON.parse('{"__proto__": {"type": "text"}}') as object
  expect(told({ ...of(a()), params })).toEqual([expect.stringContaining('which is no name')])
})

test('the sub-agents of a step are as many as each names, or at most as a value may say', () => {
  const state = { many: { type: 'number', min: 1, max: 6 } }
  const counted = read({ ...of(a({ dispatch: { count: 'many' } })), state }).definition.plan
  expect(counted?.steps[0]?.dispatch).toEqual({ countOf: 'many', count: 6, join: 6 })
  const each = [1, 2, 3].map((n) => ({ id: `e${n}`, title: `E${n}`, task: 'Look.' }))
  const { plan } = read(of(a({ dispatch: { agent: 'explore', each, join: 'any' } }))).definition
  expect(plan?.steps[0]?.dispatch).toEqual({ agent: 'explore', each, count: 3, join: 1 })
})
