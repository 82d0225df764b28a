import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyString } from '../../test/any-string.ts'
import { leastBudget, recapOf, type Section, tokensOf } from './recap.ts'
import { inOurVoice } from './text/voice.ts'

const section = (name: string, lines: readonly string[], more: Partial<Section> = {}): Section => ({
  name,
  lines,
  ...more,
})

const anySection: fc.Arbitrary<Section> = fc
  .record({
    name: fc.string(),
    title: fc.option(anyString(), { nil: undefined }),
    lines: fc.array(anyString({ maxLength: 300 }), { maxLength: 20 }),
    isEssential: fc.boolean(),
    isProse: fc.boolean(),
  })
  .map(({ name, title, lines, isEssential, isProse }) => ({
    name,
    lines,
    ...(title !== undefined && { title }),
    ...(isEssential && { isEssential }),
    ...(isProse && { isProse }),
  }))

describe('tokens are estimated on the safe side', () => {
  test.each([
    ['', 0],
    ['a', 1],
    ['abc', 1],
    ['abcd', 2],
    ['日本語', 3],
    ['🎯', 2],
  ])('%j as %d', (text, tokens) => expect(tokensOf(text)).toBe(tokens))
})

describe('a recap', () => {
  test('never exceeds its budget, whatever the sections are', () => {
    fc.assert(
      fc.property(
        fc.array(anySection, { maxLength: 8 }),
        fc.integer({ min: 0, max: 1500 }),
        fc.option(fc.string(), { nil: undefined }),
        (sections, budget, whole) => {
          const told = recapOf(sections, { budget, ...(whole !== undefined && { whole }) })
          expect(tokensOf(told.text)).toBeLessThanOrEqual(budget)
          expect(told.tokens).toBe(tokensOf(told.text))
        },
      ),
      { numRuns: 500 },
    )
  })

  test('is the same for the same sections', () => {
    fc.assert(
      fc.property(fc.array(anySection), fc.nat(500), (sections, budget) => {
        expect(recapOf(sections, { budget })).toEqual(recapOf(structuredClone(sections), { budget }))
      }),
    )
  })

  test('that fits is complete and in order, without empty sections', () => {
    const sections = [
      section('a', ['1', '2']),
      section('none', [], { title: 'T' }),
      section('b', ['3'], { title: 'T:' }),
    ]
    expect(recapOf(sections, { budget: 100 })).toEqual({
      text: inOurVoice('1\n2\n\nT:\n3'),
      tokens: 7,
      budget: 100,
      left_out: [],
    })
  })

  test('tells more with a larger budget, the first section first', () => {
    const sections = [
      section('first', ['x'.repeat(90), 'y'.repeat(90)], { isEssential: true }),
      section('second', ['z'.repeat(90)]),
    ]
    expect(recapOf(sections, { budget: 33 }).text).toBe('')
    expect(recapOf(sections, { budget: 34 })).toMatchObject({
      text: inOurVoice('x'.repeat(90)),
      left_out: ['first', 'second'],
    })
    expect(recapOf(sections, { budget: 74 }).left_out).toEqual(['second'])
    expect(recapOf(sections, { budget: 95 }).left_out).toEqual([])
  })

  test('lets no optional section starve the sections after it', () => {
    const long = section(
      'long',
      Array.from({ length: 100 }, (_, index) => `line ${index} of many`),
    )
    const { text, left_out: leftOut } = recapOf([long, section('short', ['the last word'])], { budget: 200 })
    expect(text).toContain('line 0 of many')
    expect(text).toContain('the last word')
    expect(leftOut).toEqual(['long'])
  })

  test('cuts prose, but neither commands nor characters', () => {
    const line = `${'🎯'.repeat(50)} the end`
    const [prose, command] = [section('p', [line], { isProse: true }), section('c', [line])]
    const cut = recapOf([prose], { budget: 20 }).text
    expect(cut).toMatch(/^\S+ (🎯)+…$/u)
    expect(recapOf([command], { budget: 20 }).text).toBe('')
  })

  test('names what it left out and the command for the full text, if there is room', () => {
    const sections = [section('a', ['1']), section('b', ['x'.repeat(1000)])]
    expect(recapOf(sections, { budget: 300, whole: 'holdfast recap' }).text).toBe(
      inOurVoice('1\n\n(Cut to fit: b. Full text: holdfast recap)'),
    )
    expect(recapOf(sections, { budget: 40, whole: 'holdfast recap' }).text).toBe(inOurVoice('1'))
  })

  test('has a smallest budget that holds every essential section', () => {
    fc.assert(
      fc.property(
        fc.array(anySection, { maxLength: 8 }),
        fc.option(fc.string(), { nil: undefined }),
        (sections, whole) => {
          const budget = leastBudget(sections, whole)
          const { text } = recapOf(sections, { budget, ...(whole !== undefined && { whole }) })
          const told = sections.filter(({ lines }) => lines.length > 0)
          const essential = told.filter(({ isEssential }) => isEssential === true)
          for (const { title, lines } of essential.length === 0 ? told : essential) {
            const part = [...(title === undefined ? [] : [title]), ...lines].join('\n')
            expect(text).toSatisfy((all: string) => all.includes(part) || all.startsWith(inOurVoice(part)))
          }
        },
      ),
    )
  })

  test('shows no title without a line below it', () => {
    const titled = section('t', ['x'.repeat(200)], { title: 'Title:' })
    expect(recapOf([titled, section('u', ['u'])], { budget: 20 }).text).toBe(inOurVoice('u'))
  })
})
