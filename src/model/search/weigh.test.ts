import { expect, test } from 'vitest'
import { pieceOf } from './piece.ts'
import { wordsOf } from './question.ts'
import { termsIn } from './terms.ts'
import { type Candidate, weighed } from './weigh.ts'

let ids = 0

const candidate = (path: string, text: string, heading = ''): Candidate => ({
  id: ++ids,
  project_id: 1,
  source_type: 'doc',
  source_path: path,
  heading,
  line: 1,
  chunk_text: text,
  updated_at: '',
  words: pieceOf({ line: 1, heading, text }).words,
})

/** As if nothing but the candidates were indexed. */
function answer(question: string, ...candidates: readonly Candidate[]) {
  const has = candidates.map(({ words }) => new Set(words.split(/\s/)))
  const terms = termsIn(question)
  const counts = new Map(terms.map((term) => [term, has.filter((one) => one.has(term)).length]))
  return weighed(candidates, { words: wordsOf(question), counts, pieces: 100 })
}

const paths = (question: string, ...candidates: readonly Candidate[]) =>
  answer(question, ...candidates).map(({ source_path: path }) => path)

test('a text with all words of the question comes before one that repeats a single word', () => {
  const [once, all] = [candidate('a', 'login login login'), candidate('b', 'the login page checks it')]
  expect(paths('login page check', once, all)).toEqual(['b', 'a'])
})

test('a rare word counts more than common ones', () => {
  const others = ['c', 'd', 'e', 'f'].map((path) => candidate(path, 'cache and page'))
  const [rare, common] = [candidate('a', 'the zebra'), candidate('b', 'cache of cache')]
  expect(paths('cache zebra', common, rare, ...others)[0]).toBe('a')
})

test('an answer says which words it has, in which form, and which are in its heading', () => {
  const found = answer('logging passwords zebra', candidate('a', 'it checks a password', 'Log in'))
  expect(found).toMatchObject([{ has: ['logging', 'passwords'], in_heading: ['logging'] }])
})

test('words beside each other count more', () => {
  const [apart, together] = [candidate('a', 'page of a login'), candidate('b', 'login page of it')]
  expect(paths('login page', together, apart)).toEqual(['b', 'a'])
})

test('a source that is about the question as a whole lifts its pieces', () => {
  const found = paths(
    'cache expiry',
    candidate('about', 'The cache has a lifetime.'),
    candidate('other', 'The cache has a mutex too.'),
    candidate('about', 'Expiry of the cache happens at night.'),
  )
  expect(found).toEqual(['about', 'about', 'other'])
})

test('scores reach from 0 to 1, and the newest of equals comes first', () => {
  const found = answer('word', candidate('a', 'word'), candidate('b', 'word'))
  expect(found.map(({ source_path: path }) => path)).toEqual(['b', 'a'])
  for (const { score } of found) expect(score > 0 && score <= 1).toBe(true)
  expect(answer('word')).toEqual([])
})
