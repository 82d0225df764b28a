import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyString } from '../../../test/any-string.ts'
import { findReferences, referenceOf } from './reference.ts'

const names = (text: string) => findReferences(text).map(({ name }) => name)

describe('a reference', () => {
  test.each([
    ['§CMD_RUN_TESTS', { name: 'CMD_RUN_TESTS', kind: 'command' }],
    ['CMD_DESIGN_E2E_TEST', { name: 'CMD_DESIGN_E2E_TEST', kind: 'command' }],
    ['§FMT_LIST', { name: 'FMT_LIST', kind: 'format' }],
    ['INV_7', { name: 'INV_7', kind: 'invariant' }],
    [`CMD_${'X'.repeat(200)}`, { name: `CMD_${'X'.repeat(200)}`, kind: 'command' }],
    [`CMD_${'X'.repeat(201)}`, undefined],
    ['§§CMD_X', undefined],
    ['¶CMD_X', undefined],
    ['CMD_', undefined],
    ['CMD_x', undefined],
    ['CMD_X_', undefined],
    ['TAG_X', undefined],
    ['CMD_X/../Y', undefined],
    ['CMD_X\n', undefined],
    ['', undefined],
  ])('%j is %j', (text, reference) => {
    expect(referenceOf(text)).toEqual(reference)
  })
})

describe('references in a text', () => {
  test.each<[string, string, readonly string[]]>([
    ['keep their order', 'Do §CMD_B, then §FMT_A (see §INV_C).', ['CMD_B', 'FMT_A', 'INV_C']],
    ['are listed once', '§CMD_A §CMD_B §CMD_A', ['CMD_A', 'CMD_B']],
    ['may take arguments', '§CMD_PARALLEL(3.A) §CMD_B.md', ['CMD_PARALLEL', 'CMD_B']],
    ['may be emphasized', '**§CMD_A** _§CMD_B_ [§CMD_C](x)', ['CMD_A', 'CMD_B', 'CMD_C']],
    ['may touch each other', '§CMD_A§CMD_B', ['CMD_A', 'CMD_B']],
    ['are uppercase', '§CMD_Foo §cmd_x §CMD_FOOs', []],
    ['are not patterns', '§CMD_* §CMD_[NAME] §CMD_ §', []],
    ['are not definitions or other signs', '¶CMD_A #CMD_B §TAG_C CMD_D', []],
    ['are not in back-ticks', '`§CMD_A` §CMD_B `x §CMD_C y`', ['CMD_B']],
    ['are not in double back-ticks', '``§CMD_A ` §CMD_B`` §CMD_C', ['CMD_C']],
    ['are not in back-ticks over two lines', '`x\n§CMD_A` §CMD_B', ['CMD_B']],
    ['count after a lone back-tick', "It's a ` only. §CMD_A", ['CMD_A']],
    ['count between unequal back-ticks', '`` §CMD_A ` §CMD_B', ['CMD_A', 'CMD_B']],
    ['are not hidden by another paragraph', 'a ` b\n\n§CMD_A `', ['CMD_A']],
    ['are not hidden by another item', '- a ` b\n- §CMD_A ` c', ['CMD_A']],
    ['are not hidden by another numbered item', '1. a ` b\n2. §CMD_A ` c', ['CMD_A']],
    ['are not hidden by another row', '| a ` |\n| §CMD_A ` |', ['CMD_A']],
    ['are not hidden by another quote', '> a `\n> §CMD_A `', ['CMD_A']],
    ['are not in a fence', '```\n§CMD_A\n```\n§CMD_B', ['CMD_B']],
    ['are not in a fence with a language', '```json\n["§CMD_A"]\n```\n§CMD_B', ['CMD_B']],
    ['are not in a fence of tildes', '~~~ `x`\n§CMD_A\n```\n§CMD_B\n~~~\n§CMD_C', ['CMD_C']],
    ['are not in a longer fence', '````\n```\n§CMD_A\n```\n````\n§CMD_B', ['CMD_B']],
    ['are not in an unclosed fence', '§CMD_A\n```\n§CMD_B\n\n§CMD_C', ['CMD_A']],
    ['are not in a fence that looks closed', '```\n§CMD_A\n``` x\n§CMD_B', []],
    ['are not in a fence of an item', '1. a\n   ```sh\n   §CMD_A\n   ```\n   §CMD_B', ['CMD_B']],
    ['are not in a fence after a list mark', '- ```sh\n  §CMD_A\n  ```\n- §CMD_B', ['CMD_B']],
    ['are not in a fence of a quote', '> ```\n> §CMD_A\n> ```\n> §CMD_B', ['CMD_B']],
    ['count after inline code', '``` §CMD_A ``` §CMD_B', ['CMD_B']],
    ['count in lines with Windows line ends', '```\r\n§CMD_A\r\n```\r\n§CMD_B\r\n', ['CMD_B']],
    ['count in headings and lists', '# §CMD_A\n* §CMD_B\n10) §CMD_C', ['CMD_A', 'CMD_B', 'CMD_C']],
    ['are missing in an empty text', '', []],
  ])('%s: %j', (_, text, expected) => {
    expect(names(text)).toEqual(expected)
  })
})

/** A text that counts how often its characters are read. */
class Counted extends String {
  reads = 0
  override charCodeAt(index: number): number {
    this.reads++
    return super.charCodeAt(index)
  }
  override slice(from?: number, to?: number): string {
    const part = super.slice(from, to)
    this.reads += part.length
    return part
  }
}

/** Pieces with a meaning for the scanner, and pieces that break other parsers. */
const PIECES = ['`', '``', '```', '~~~', '§', '§CMD_', '§CMD_A', '_', 'A', '\n', '\r\n', '\n\n', ' ', '\t']
const MARKS = ['> ', '- ', '1. ', '9', '# ', '| ', '```sh\n', '\n```\n', '🦀', '\ud800', '\0', '[](', '<!--']
const pieces = fc.constantFrom(...PIECES, ...MARKS)
const texts = fc.oneof(
  fc.array(pieces, { maxLength: 300 }).map((parts) => parts.join('')),
  anyString({ maxLength: 300 }),
)
const RUNS = { numRuns: Math.ceil(Number(process.env['HOLDFAST_RUNS'] ?? 1) * 1000) }

describe('any text', () => {
  test('is accepted, and every reference found is in the text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const reference of findReferences(text)) {
          expect(referenceOf(reference.name)).toEqual(reference)
          expect(text).toContain(`§${reference.name}`)
        }
      }),
      RUNS,
    )
  })

  test('hides no reference after a blank line, unless a fence is open', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const closed = `${text}\n\n§CMD_LAST\n`
        const isFenced = /^[\s>*+\-0-9.)]*(?:`{3}|~{3})/m.test(text)
        expect(isFenced || names(closed).includes('CMD_LAST')).toBe(true)
      }),
      RUNS,
    )
  })

  // Reads are counted, because time is unreliable on a busy machine.
  test('is read in linear time', () => {
    const most = (text: string) => 10 * (text.length + 1)
    const count = (text: string) => {
      const counted = new Counted(text)
      findReferences(counted as unknown as string)
      return counted.reads
    }
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 50 }), (text, times) => {
        const long = text.repeat(times)
        const reads = count(long)
        expect(reads).toBeGreaterThanOrEqual(long.length)
        expect(reads).toBeLessThanOrEqual(most(long))
      }),
      RUNS,
    )
    const rising = Array.from({ length: 400 }, (_, index) => `${'`'.repeat(index + 1)} §CMD_A `).join('')
    for (const nasty of [
      rising,
      '` `` '.repeat(50_000),
      '§CMD_'.repeat(50_000),
      '§CMD_A' + '_'.repeat(90_000) + 'a',
    ])
      expect(count(nasty)).toBeLessThanOrEqual(most(nasty))
  })
})
