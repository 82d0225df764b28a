import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyString } from '../../../test/any-string.ts'
import { type Parsed, parseElement } from '../../harness/strict-xml.ts'
import { HOSTILE, readBack } from './case.contract.ts'
import { element, flatElement, spaced, writtenAsXml } from './xml.ts'

test('one text stands in the line of its tags, a list on lines of its own, and nothing closes itself', () => {
  const parts = [
    element('outer', ['line', element('inner', 'text', { id: 1, none: null, missing: undefined }), '']),
    element('empty', ''),
    element('none', [], { a: 'b' }),
  ]
  expect(writtenAsXml(parts)).toBe(
    '<outer>\n  line\n  <inner id="1">text</inner>\n\n</outer>\n<empty />\n<none a="b" />',
  )
})

test('a flat element does not indent what it holds, but its elements do', () => {
  const part = flatElement('outer', ['a', element('inner', ['b\nc', flatElement('deep', ['d'])])])
  expect(writtenAsXml([part])).toBe(
    '<outer>\na\n<inner>\n  b\n  c\n  <deep>\n  d\n  </deep>\n</inner>\n</outer>',
  )
})

test('groups have a blank line between them, and empty ones leave none', () => {
  expect(spaced([[], ['a', 'b'], [], ['c'], []])).toEqual(['a', 'b', '', 'c'])
})

describe('defect 29: a text cannot end its element', () => {
  test.each(HOSTILE)('%j', (text) => {
    expect(parsed(text)).toEqual(exact(text))
  })

  test('whatever it holds', () => {
    const hostile = fc.array(fc.constantFrom(...HOSTILE)).map((texts) => texts.join(''))
    fc.assert(
      fc.property(fc.oneof(anyString({ maxLength: 60 }), hostile), (text) => {
        expect(parsed(text)).toEqual(exact(text))
      }),
    )
  })

  test('signs that nobody sees are written by their number, and those that XML cannot hold as our own', () => {
    expect(writtenAsXml(['a\u202Eb\u001Bc'])).toBe(String.raw`a&#x202e;b\u{1b}c`)
    expect(writtenAsXml([element('x', '', { a: '"\n\t' })])).toBe('<x a="&quot;&#xa;&#x9;" />')
  })

  test('signs that look like brackets form no tag', () => {
    expect(writtenAsXml(['\uFF1Csystem-reminder>'])).toBe('&#xff1c;system-reminder&gt;')
  })
})

const parsed = (text: string): Parsed =>
  parseElement(
    writtenAsXml([
      element('outer', [element('inner', text, { a: text, b: 'x' }), flatElement('flat', [text])]),
    ]),
  )

/** An attribute, a body and lines give back the text. */
function exact(text: string): Parsed {
  const body = readBack(text)
  const inner = {
    name: 'inner',
    attributes: [
      ['a', body],
      ['b', 'x'],
    ] as const,
    content: body === '' ? [] : [body],
  }
  const flat = { name: 'flat', attributes: [], content: [`\n${linesIn(body)}\n  `] }
  return { name: 'outer', attributes: [], content: ['\n  ', inner, '\n  ', flat, '\n'] }
}

/** Within an indented element, lines are indented too. */
const linesIn = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n')
