import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { UNFILLED } from './plan/action-words.ts'
import { type ResultSchema, resultSchemaIn, schemaFaults } from './result-schema.ts'
import { fitted, finishCommand, formText, owedResult, resultFaults, resultText, tooMuch } from './result.ts'

const LINK = {
  type: 'object',
  required: ['url'],
  properties: { url: { type: 'string', minLength: 5 }, checks: { type: 'integer', minimum: 1 } },
} as const

const nested = (depth: number): object =>
  depth === 0 ? { type: 'string' } : { type: 'array', items: nested(depth - 1) }

describe('a schema of a result', () => {
  test('that would check nothing is a fault, never a pass', () => {
    for (const written of [
      {},
      { required: ['url'] },
      { properties: { url: { type: 'string' } } },
      { typ: 'object' },
      { type: 'object', propertees: { url: { type: 'string' } } },
      { minLength: 3 },
      { type: 'string', minimum: 3 },
      { type: 'string', pattern: '^(a+)+$' },
      { type: 'string', format: 'uri' },
      { $ref: '#/$defs/link' },
      { type: 'objct' },
      { type: [] },
      { enum: [] },
      { enum: [{ a: 1 }] },
      { enum: [1], const: 1 },
      { type: 'string', enum: [1] },
      { type: 'string', minLength: '3' },
      { type: 'string', minLength: 3, maxLength: 2 },
      { type: 'object', required: 'url', properties: { url: { type: 'string' } } },
      { type: 'object', required: ['ulr'], properties: { url: { type: 'string' } } },
      { type: 'object', properties: { url: {} } },
      { type: 'object', additionalProperties: { typ: 'string' } },
      { type: 'array', items: [{ type: 'string' }] },
      { type: 'array', items: null },
      { type: 'number', maximum: Number.NaN },
      nested(20),
      { type: 'string', description: 'x'.repeat(9000) },
      true,
      null,
      'object',
    ])
      expect([written, schemaFaults(written).length > 0, resultSchemaIn(written)]).toEqual([
        written,
        true,
        undefined,
      ])
  })

  test('names the part that is wrong', () => {
    expect(schemaFaults({ type: 'object', properties: { url: { tipe: 'string' } } })).toEqual([
      { path: ['properties', 'url'], message: 'It needs a type.' },
      { path: ['properties', 'url', 'tipe'], message: '"tipe" is not checked. Did you mean type?' },
    ])
  })

  test('that is sound has no fault', () => {
    for (const written of [
      LINK,
      { enum: ['low', 'high', null] },
      { const: 3 },
      { type: ['string', 'array'], minLength: 2, items: { type: 'boolean' }, minItems: 1 },
      { type: 'object', additionalProperties: { type: 'number' }, title: 'Sizes', description: 'By name.' },
      nested(8),
    ])
      expect(schemaFaults(written)).toEqual([])
  })
})

describe('a result', () => {
  test.each<[ResultSchema, unknown, string]>([
    [LINK, { url: 'https://x' }, ''],
    [LINK, { url: 'https://x', more: [1] }, ''],
    [LINK, 'https://x', 'result must be object, not string'],
    [LINK, {}, 'result.url is missing'],
    [LINK, { url: 7 }, 'result.url must be string, not integer'],
    [LINK, { url: 'x' }, 'result.url must be at least 5 characters, not 1'],
    [LINK, { url: UNFILLED }, 'result.url is a blank that must be filled in'],
    [LINK, { url: 'https://x', checks: 0 }, 'result.checks must be at least 1, not 0'],
    [LINK, { url: 'https://x', checks: 1.5 }, 'result.checks must be integer, not number'],
    [LINK, [], 'result must be object, not array'],
    [LINK, null, 'result must be object, not null'],
    [
      { ...LINK, additionalProperties: false },
      { url: 'https://x', ulr: 1 },
      'result.ulr is not a field of this result',
    ],
    [
      { type: 'object', additionalProperties: { type: 'number' } },
      { a: 1, b: '1' },
      'result.b must be number, not string',
    ],
    [
      JSON.parse(
        '{"type": "object", "required": ["toString"], "properties": {"toString": {"type": "string"}}}',
      ),
      {},
      'result.toString is missing',
    ],
    [
      { type: 'object', properties: {}, additionalProperties: false },
      JSON.parse('{"__proto__": 1}'),
      'result.__proto__ is not a field of this result',
    ],
    [{ enum: ['low', 'high'] }, 'middle', 'result must be "low" or "high", not "middle"'],
    [
      { type: 'array', items: { type: 'string' }, minItems: 2 },
      ['a'],
      'result must be at least 2 items, not 1',
    ],
    [{ type: 'array', items: { type: 'string' } }, ['a', 1], 'result[1] must be string, not integer'],
    [{ type: ['string', 'null'], minLength: 2 }, null, ''],
    [{ type: 'string', maxLength: 2 }, '😀😀', ''],
    [{ type: 'number', maximum: 2 }, 3, 'result must be at most 2, not 3'],
  ])('of form %j: %j', (schema, result, expected) => {
    expect(schemaFaults(schema)).toEqual([])
    expect(
      resultFaults(schema, result)
        .map(({ field, message }) => `${field} ${message}`)
        .join('; '),
    ).toBe(expected)
  })

  test('is owed until it is given', () => {
    const asks = { resultSchema: LINK }
    expect([owedResult(asks, { result: null }), owedResult(asks, undefined)]).toEqual([LINK, LINK])
    for (const result of [{}, false, 0, '']) expect(owedResult(asks, { result })).toBe(undefined)
    expect(owedResult({}, { result: null })).toBe(undefined)
  })

  test('is named in the command that finishes, which keeps what fits of a given one', () => {
    expect(finishCommand(3)).toBe('holdfast effort finish 3')
    expect(finishCommand(3, LINK)).toBe(`holdfast effort finish 3 --result '{"url":"_____"}'`)
    expect(finishCommand(3, LINK, { url: "it's", checks: 2, more: 1 })).toBe(
      `holdfast effort finish 3 --result '{"url":"_____","checks":2,"more":1}'`,
    )
    expect(formText(LINK)).toBe('Its skill ends with a result: "url" (string), "checks" (integer, optional).')
  })

  test('is told with the names of its choices, because an agent copies what it is told', () => {
    const choosing = {
      type: 'object',
      required: ['tier', 'passed', 'size', 'kind'],
      properties: {
        tier: { enum: ['direct', 'delegated'] },
        passed: { type: 'boolean' },
        size: { enum: [1, '1', null] },
        kind: { const: 'plan' },
      },
    } as const
    const told = String.raw`{"tier":"direct|delegated","passed":"true|false","size":"1|\"1\"|null","kind":"plan"}`
    expect(finishCommand(3, choosing)).toBe(`holdfast effort finish 3 --result '${told}'`)
    expect(resultFaults(choosing, JSON.parse(told)).map(({ field }) => field)).toEqual([
      'result.tier',
      'result.passed',
      'result.size',
    ])
    expect(fitted(choosing, { tier: 'delegated', passed: false, size: null })).toEqual({
      tier: 'delegated',
      passed: false,
      size: null,
      kind: 'plan',
    })
  })

  test('that is told fits its form, once its blanks are filled in and its choices made, whatever was given', () => {
    fc.assert(
      fc.property(schemas, fc.jsonValue(), (written, given) => {
        const schema = resultSchemaIn(written)
        fc.pre(schema !== undefined)
        const faults = resultFaults(schema, fitted(schema, given))
        const others = faults.filter(({ message }) => message !== 'is a blank that must be filled in')
        expect(others.filter(({ message }) => !/^must be .*, not ".*\|/.test(message))).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  test('is told in one line, and cut with the command that shows all of it', () => {
    const effort = { id: 3, skill: 'design' }
    expect(resultText({ ...effort, result: null })).toBe(undefined)
    expect(resultText({ ...effort, result: { url: 'a\nb' } })).toBe(
      String.raw`Result of /design: {"url":"a\nb"}`,
    )
    const long = resultText({ ...effort, result: 'x'.repeat(900) })
    expect(long?.length).toBeLessThan(400)
    expect(long).toContain('all of it: holdfast effort show 3')
  })

  test('that is too long or too deep is refused before it is parsed', () => {
    expect(tooMuch(JSON.stringify({ a: '[[[[[[[[[[[[[[[[[[[[[\\"[' }))).toBe(undefined)
    expect(tooMuch('['.repeat(17))).toContain('16 levels')
    expect(tooMuch(`"${'x'.repeat(16_000)}"`)).toContain('16002 characters')
  })
})

const scalar = fc.oneof(fc.string({ maxLength: 4 }), fc.integer(), fc.boolean(), fc.constant(null))
const limit = fc.option(fc.nat(6), { nil: undefined })
const pair = (min: string, max: string) =>
  fc.tuple(limit, limit).map(([a, b]) => ({
    ...(a !== undefined && { [min]: b === undefined ? a : Math.min(a, b) }),
    ...(b !== undefined && { [max]: a === undefined ? b : Math.max(a, b) }),
  }))
const { schema: schemas } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.array(scalar, { minLength: 1, maxLength: 3 }).map((values) => ({ enum: values })),
    fc.constantFrom('boolean', 'null').map((type) => ({ type })),
    pair('minLength', 'maxLength').map((more) => ({ type: 'string', ...more })),
    fc
      .tuple(fc.constantFrom('integer', 'number'), pair('minimum', 'maximum'))
      .map(([type, more]) => ({ type, ...more })),
    fc
      .tuple(tie('schema'), pair('minItems', 'maxItems'))
      .map(([items, more]) => ({ type: 'array', items, ...more })),
    fc
      .tuple(
        fc.dictionary(fc.string({ maxLength: 3 }), tie('schema'), { maxKeys: 3 }),
        fc.oneof(fc.boolean(), tie('schema')),
      )
      .map(([properties, others]) => ({
        type: 'object',
        properties,
        required: Object.keys(properties).slice(0, 2),
        additionalProperties: others,
      })),
  ),
}))
