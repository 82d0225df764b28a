import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyString } from '../../../test/any-string.ts'
import { NAMES, SKILLS } from './case.contract.ts'
import { chainIn } from './chain-in.ts'
import type { ChainCall, Frame } from './frame.ts'
import { render } from './render.ts'

/** What the grammar is made of, so that texts look like parts of it. */
const PIECES = [
  '/a /b /design /zzz /usr/bin and then else finally or , ; : -> → " \' ` ``` ( ) [ } \\ = ="x" > note: . ? —'.split(
    ' ',
  ),
  [
    'or else',
    '\n',
    '\n\n',
    '\r\n',
    '\t',
    '- ',
    '1. ',
    ' ',
    '  ',
    '    ',
    '\u2028',
    'x',
    'is',
    'run',
    'the',
    'skill',
    "user's",
  ],
].flat()
const texts = fc.oneof(
  fc.array(fc.constantFrom(...PIECES, ' '), { maxLength: 12 }).map((parts) => parts.join('')),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((parts) => parts.join(' ')),
  anyString({ maxLength: 20 }),
)
const called: fc.Arbitrary<ChainCall> = fc.record({
  name: fc.constantFrom(...NAMES),
  args: texts,
  quick: fc.boolean(),
  unknown: fc.constant(false),
  nearest: fc.constant([]),
})
const framesOf = (level: Frame['level']) =>
  fc.array(
    fc
      .tuple(called, texts, fc.option(called, { nil: undefined }))
      .map(([call, context, onError]): Frame => ({ ...call, context, onError, level })),
    { minLength: 2, maxLength: 5 },
  )

test('any chain is read back as it was written', () => {
  fc.assert(
    fc.property(framesOf('wrapped'), (frames) => {
      expect(chainIn(render({ frames }), SKILLS)?.frames).toEqual(frames)
    }),
    { numRuns: 500 },
  )
})

test('what any prompt asks for is read back as it was written', () => {
  fc.assert(
    fc.property(texts, texts, texts, (one, two, three) => {
      const chain = chainIn(`/a ${one}, then /desing ${two}\n- /b ${three}`, SKILLS)
      expect(chain === undefined ? undefined : chainIn(render(chain), SKILLS)?.frames).toEqual(chain?.frames)
    }),
    { numRuns: 500 },
  )
})
