import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyString } from '../../../test/any-string.ts'
import { elementsIn, parseElement, parseXml, shapeOf, textOf } from '../../harness/strict-xml.ts'
import * as door from '../../workflow/index.ts'
import type { Block } from '../plan/plan.ts'
import { BLOCK_FIELDS, type BlockField, faultsOfBlock } from './block-fields.ts'
import { actionParts, otherTexts } from './blocks.ts'
import { HOSTILE, readBack } from './case.contract.ts'
import type { NamedText } from './view.ts'
import { type Part, writtenAsXml } from './xml.ts'

const xml = (...parts: readonly Part[]) => writtenAsXml(parts)
const TEXTS: readonly NamedText[] = [
  { kind: 'convention', name: 'temporal', text: 'Write "now" & <here>.' },
  { kind: 'resource', name: 'temporal', text: 'another' },
  { kind: 'resource', name: 'plan-format', text: '# Plan' },
]

/** A value for a field in which every text is this one. */
function filled({ kind, columns = [] }: BlockField, text: string): unknown {
  switch (kind) {
    case 'text':
    case 'count':
      return text
    case 'texts':
      return [text, text]
    case 'pairs':
      return { [`_${text}`]: text, ok: text }
    case 'rows':
      return [Object.fromEntries(columns.map((name) => [name, text]))]
    default:
      return kind satisfies never
  }
}

const blockOf = (block: string, text: string): Block => ({
  block,
  ...Object.fromEntries(
    Object.entries(BLOCK_FIELDS[block as keyof typeof BLOCK_FIELDS]).map(([name, field]) => [
      name,
      filled(field, text),
    ]),
  ),
})

const namesOf = (block: Block) => faultsOfBlock(block).map(({ field }) => field)

/** A text without the blanks that indentation may add. */
const squeezed = (text: string): string => text.replaceAll(/[ \n]/g, '')

describe.each(Object.keys(BLOCK_FIELDS))('the block %s', (name) => {
  const texts = (text: string): readonly NamedText[] => [
    { kind: 'convention', name: text, text },
    { kind: 'resource', name: text, text },
  ]
  const parsed = (text: string) => parseElement(xml(...actionParts([blockOf(name, text)], texts(text))))
  const usual = shapeOf(parsed('x'))
  const fields = Object.entries(BLOCK_FIELDS[name as keyof typeof BLOCK_FIELDS])

  test('is one element that holds its texts, whatever they are', () => {
    const hostile = fc.array(fc.constantFrom(...HOSTILE)).map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.oneof(anyString({ maxLength: 40 }), hostile), (text) => {
        const element = parsed(text)
        expect(shapeOf(element)).toBe(usual)
        const held = [element, ...elementsIn(element)].flatMap((one) => [
          ...one.attributes.map(([, value]) => value),
          textOf(one),
        ])
        const isHeld = held.some((one) => squeezed(one).includes(squeezed(readBack(text))))
        expect(isHeld || fields.length === 0).toBe(true)
      }),
    )
  })

  test('is sound with all its fields, and each that is missing or of another kind is a fault', () => {
    const block = blockOf(name, 'x')
    expect(faultsOfBlock(block)).toEqual([])
    for (const [field, { optional, kind }] of fields) {
      const { [field]: _, ...without } = block
      expect(namesOf(without as Block)).toEqual(optional ? [] : [field])
      const wrong = [null, true, [1], [{ x: 1 }], { x: 1 }, ...(kind === 'text' ? [1] : [])]
      expect(wrong.map((value) => namesOf({ ...block, [field]: value }))).toEqual(wrong.map(() => [field]))
    }
    expect(namesOf({ ...block, stray: 'x' })).toEqual(['stray'])
  })
})

test('every block that authors make by a function has a formatter', () => {
  const made: readonly Block[] = [
    door.convention('x'),
    door.resource('x'),
    door.resource('x', 'y'),
    door.forbidden('x'),
    door.routing({ PASS: 'x' }),
    door.expectedOutput('x'),
    door.expectedOutput('x', { when_issues: 'y', categories: ['z'] }),
    door.detectionQuestions('x', [{ id: 'y', text: 'z' }]),
    door.checklist('x', [{ element: 'a', criterion: 'b', if_missing: 'c' }]),
    door.incorrect('x', 'y'),
    door.conditional('x', 'y', 'z'),
    door.orchestratorConstraint(),
    door.factoredVerification(),
    door.openQuestions(),
    door.qrOutput(),
  ]
  expect(made.flatMap(faultsOfBlock)).toEqual([])
})

test('a field of rows says its columns, and an unknown block the known ones', () => {
  expect(faultsOfBlock({ block: 'detection-questions', category: 'x', questions: [{ id: 'a' }] })).toEqual([
    { field: 'questions', wanted: 'a list of records with id, text' },
  ])
  expect(faultsOfBlock({ block: 'qr-output', x: 1 })).toEqual([{ field: 'x', wanted: 'no field' }])
  expect(faultsOfBlock({ block: 'toString' })).toMatchObject([
    { field: null, wanted: expect.stringContaining('forbidden') },
  ])
  expect(faultsOfBlock({ block: 'banner', checkpoint: 'x', iteration: 2, mode: 'm' })).toEqual([])
  expect(faultsOfBlock({ block: 'banner', checkpoint: 'x', iteration: Number.NaN, mode: 'm' })).toMatchObject(
    [{ field: 'iteration' }],
  )
})

describe('among actions', () => {
  test('blocks are printed in their place', () => {
    const actions = ['Before.', { block: 'forbidden', actions: ['Guess.'] }, '', 'After.']
    expect(xml(...actionParts(actions, []))).toBe(
      'Before.\n<forbidden>\n  <action>Guess.</action>\n</forbidden>\n\nAfter.',
    )
  })

  test.each([
    [
      { block: 'unheard', lines: ['a <b>', { deep: 'c' }], n: 3, yes: true, no: null },
      'a &lt;b&gt;\nc\n3\ntrue',
    ],
    [{ block: 'forbidden', actions: 'not a list' }, 'not a list'],
    [{ block: '__proto__', text: 'x' }, 'x'],
    [{ block: 'convention', name: 'missing' }, 'missing'],
    [{ block: 'unheard' }, ''],
  ])('a block %j that no formatter can print becomes its texts', (block, lines) => {
    expect(xml(...actionParts([block], TEXTS))).toBe(lines)
  })

  test('a convention and a resource of one name are two texts, and each says its purpose', () => {
    const blocks = [
      { block: 'convention', name: 'temporal' },
      { block: 'resource', name: 'temporal', purpose: 'the <form>' },
      { block: 'resource', name: 'plan-format' },
    ]
    expect(xml(...actionParts(blocks, TEXTS))).toBe(`<resource name="temporal" purpose="convention">
Write "now" &amp; &lt;here&gt;.
</resource>
<resource name="temporal" purpose="the &lt;form&gt;">
another
</resource>
<resource name="plan-format" purpose="resource">
# Plan
</resource>`)
  })

  test('only texts that no block prints are left for after them', () => {
    const actions = ['temporal', { block: 'resource', name: 'temporal' }, { block: 'forbidden', actions: [] }]
    expect(otherTexts(actions, TEXTS).map(({ attributes }) => attributes)).toEqual([
      { name: 'temporal', purpose: 'convention' },
      { name: 'plan-format', purpose: 'resource' },
    ])
    expect(parseXml(xml(...actionParts(actions, TEXTS)))).toHaveLength(4)
  })
})
