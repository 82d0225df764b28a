import * as fc from 'fast-check'

/** Half of a surrogate pair is not a character. */
const [FIRST_HALF, AFTER_HALVES, LAST] = [0xd800, 0xe000, 0x10_ffff]
const GAP = AFTER_HALVES - FIRST_HALF

/** Any character; with the unit `binary`, fast-check would first build a table of a million. */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(LAST - GAP).map(
  (index) => String.fromCodePoint(index < FIRST_HALF ? index : index + GAP),
  (value) => {
    const code = typeof value === 'string' ? (value.codePointAt(0) ?? FIRST_HALF) : FIRST_HALF
    if (String.fromCodePoint(code) !== value || (code >= FIRST_HALF && code < AFTER_HALVES))
      throw new Error('That is not a character.')
    return code < FIRST_HALF ? code : code - GAP
  },
)

/** Text of any characters. */
export const anyString = (constraints: Omit<fc.StringConstraints, 'unit'> = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: anyCharacter })
