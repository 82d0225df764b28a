import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { termsIn, wordsIn } from './terms.ts'

test.each([
  ['The login page', ['the', 'login', 'page']],
  ['parseHTTPHeader', ['parsehttpheader', 'parse', 'http', 'header']],
  ['useEffect2 iPhone', ['useeffect2', 'use', 'effect2', 'iphone', 'i', 'phone']],
  ['snake_case a.dotted/path-name', ['snake', 'case', 'a', 'dotted', 'path', 'name']],
  ['README URLs', ['readme', 'urls', 'ur', 'ls']],
  ['Größe naïve İstanbul Ёлка', ['grosse', 'naive', 'istanbul', 'елка']],
  ['ﬁle ＡＢＣ', ['file', 'abc']],
  ['\u0301', []],
])('%j has the words %j', (text, words) => {
  expect(wordsIn(text)).toEqual(words)
})

test('where no space separates words, each pair of characters is a term', () => {
  expect(termsIn('日本語の検索 foo関数です')).toEqual([
    '日本',
    '本語',
    '語の',
    'の検',
    '検索',
    'foo',
    '関数',
    '数で',
    'です',
  ])
  expect(termsIn('字 검색합니다 ภาษา')).toEqual(['字', '검색', '색합', '합니', '니다', 'ภา', 'าษ', 'ษา'])
})

test('a term is letters and digits only, whatever the text is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      for (const term of termsIn(text)) expect(term).toMatch(/^[\p{L}\p{N}\p{M}\u{fffd}]+$/u)
    }),
  )
})

test('a text has the same terms in either case, and in any normal form', () => {
  for (const text of ['Größe', 'Ångström café', 'ｶﾞｲﾄﾞ', 'Ελληνικά'])
    for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'])
      expect(termsIn(text.toUpperCase().toLowerCase().normalize(form))).toEqual(termsIn(text.toLowerCase()))
})
