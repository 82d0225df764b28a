import { expect, test } from 'vitest'
import { shellWord } from '../model/shell/word.ts'
import { wordsIn } from './words.ts'

test.each([
  ['holdfast step', [['holdfast', 'step']]],
  ["holdfast step go '1: Look' --effort 2", [['holdfast', 'step', 'go', '1: Look', '--effort', '2']]],
  ['holdfast log "what was \\"done\\"" ', [['holdfast', 'log', 'what was "done"']]],
  [
    'a b && c d',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['x --proof \'{"how": "so"}\'', [['x', '--proof', '{"how": "so"}']]],
  ["a ''", [['a', '']]],
  [String.raw`it'\''s`.replace('it', "'it").concat("'"), [["it's"]]],
])('%j has the words %j', (line, words) => expect(wordsIn(line)).toEqual(words))

test.each(['a | b', 'a; b', 'a > b', 'a $(b)', 'a $B', 'a `b`', '(a)', 'a & b', 'a "$(b)"', "a 'b", 'a * b'])(
  '%j has more syntax than a told command',
  (line) => expect(wordsIn(line)).toBeUndefined(),
)

test.each(["it's", 'a b', '$x', '"', '\\', 'a&&b', 'x*'])('what we quote comes back: %j', (text) =>
  expect(wordsIn(`run ${shellWord(text)}`)).toEqual([['run', text]]),
)
