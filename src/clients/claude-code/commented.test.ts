import * as fc from 'fast-check'
import { parse, visit } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import type { Wiring } from '../../model/client-settings.ts'
import { HOOKED } from './handlers.ts'
import { settings } from './install.ts'
import { drop } from '../json-text.ts'

const user: Wiring = {
  scope: 'user',
  failsClosed: false,
  allowsHoldfast: true,
  statusLine: true,
  home: '/home/user/.local/state/holdfast',
  launcher: '/home/user/.local/state/holdfast/bin/holdfast',
}
const plain: Wiring = { ...user, allowsHoldfast: false, statusLine: false }

const valueOf = (text: string): any => parse(text.replace('\u{feff}', ''), [], { allowTrailingComma: true })

/** The comments of a text, in order. */
function commentsOf(text: string): readonly string[] {
  const comments: string[] = []
  const onComment = (start: number, length: number) => comments.push(text.slice(start, start + length))
  visit(text, { onComment }, { allowTrailingComma: true })
  return comments
}

const HAND_WRITTEN: readonly (readonly [what: string, text: string])[] = [
  ['a line comment above', '{\n  // The model\n  "model": "x"\n}\n'],
  ['a line comment beside the last', '{\n  "model": "x" // mine\n}\n'],
  ['a line comment below the last', '{\n  "model": "x"\n  // "model": "y"\n}\n'],
  ['a line comment that ends in blanks', '{\n  "model": "x" // mine \t \n}\n'],
  ['a line comment on a line that begins with a brace', '{ "model": "x" // mine\n}'],
  ['a block comment', '{ /* one */ "model": /* two */ "x" /* three */ }'],
  [
    'a block comment with several lines',
    '{\n  /*\n   * The model, "quoted": {\n   */\n  "model": "x",\n  "a": 1\n}\n',
  ],
  ['comments outside the object', '// before\n{ "model": "x" }\n// after\n'],
  ['only a line comment', '{\n  // nothing yet\n}\n'],
  ['only a block comment', '{ /* nothing yet */ }'],
  ['a trailing comma', '{\n  "model": "x",\n}\n'],
  ['a trailing comma on one line', '{"model": "x",}'],
  ['a trailing comma and a comment', '{\n  "model": "x", // mine\n}\n'],
  ['a comment before a trailing comma', '{\n  "model": "x" /* mine */,\n  // end\n}\n'],
  [
    'trailing commas and comments inside',
    '{\n  "permissions": {\n    "allow": [\n      "Read", // safe\n    ], // these\n  },\n}\n',
  ],
  [
    'other hooks',
    '{\n  "hooks": {\n    // lint\n    "Stop": [\n      { "hooks": [{ "type": "command", "command": "lint // not a comment" }] } // mine\n    ]\n  }\n}\n',
  ],
  [
    'an empty list of hooks with a comment',
    '{\n  "hooks": {\n    "Stop": [\n      // none yet\n    ]\n  }\n}\n',
  ],
  ['tabs', '{\n\t// The model\n\t"model": "x",\n}\n'],
  ['Windows line ends', '{\r\n  // The model\r\n  "model": "x" // mine\r\n}\r\n'],
  ['a byte order mark', '\u{feff}{\n  // The model\n  "model": "x"\n}\n'],
  ['a duplicate key', '{\n  "hooks": {}, // first\n  "model": "x",\n  "hooks": {} // second\n}\n'],
  [
    'a status line',
    '{\n  "statusLine": { /* mine */ "type": "command", "command": "a \\u0022b\\u0022" } // line\n}\n',
  ],
]

describe.each(HAND_WRITTEN)('settings with %s', (_, text) => {
  test.each([user, plain])('keep their comments and values when wired', (wiring) => {
    const wired = settings.wire(text, wiring)
    expect(commentsOf(wired)).toEqual(commentsOf(text))
    const { hooks, permissions: _allowed, statusLine: _drawn, ...rest } = valueOf(wired)
    const { hooks: _hooks, permissions: _permissions, statusLine: _line, ...before } = valueOf(text)
    expect(rest).toEqual(before)
    expect(Object.keys(hooks)).toEqual(expect.arrayContaining(HOOKED.map(({ event }) => event)))
    expect(settings.wire(wired, wiring)).toBe(wired)
  })

  test.each([user, plain])('are restored byte for byte when unwired', (wiring) => {
    expect(settings.unwire(settings.wire(text, wiring), text)).toBe(text)
  })

  test('are reported, because the client reads only plain JSON', () => {
    const isPlain = text.includes('"hooks": {}, // first') ? false : isJson(text)
    const told = settings.read(settings.wire(text, user)).obstacles.map(({ kind }) => kind)
    expect(told).toEqual(isPlain ? [] : ['unread'])
    const enabled = settings.enable(settings.wire(text, user))
    expect(isJson(enabled)).toBe(true)
    expect(valueOf(enabled)).toEqual(valueOf(settings.wire(text, user)))
    expect(settings.read(enabled).obstacles).toEqual([])
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace('\u{feff}', ''))
    return true
  } catch {
    return false
  }
}

describe('a comment stays beside its value', () => {
  test('when our hooks come after it', () => {
    const wired = settings.wire('{\n  "model": "x" // mine\n}\n', plain)
    expect(wired).toMatch(/^\{\n {2}"model": "x", \/\/ mine\n {2}"hooks": \{\n/)
  })

  test('when the user wrote comments around our hooks, and they are removed', () => {
    const wired = settings.wire('{\n  "model": "x"\n}\n', plain)
    const edited = wired
      .replace('"hooks": {', '"hooks": { // all hooks')
      .replace('"Stop": [', '// when it stops\n    "Stop": [')
    const after = settings.unwire(edited, undefined)
    expect(commentsOf(after)).toEqual(['// all hooks', '// when it stops'])
    expect(valueOf(after)).toEqual({ model: 'x', hooks: {} })
  })
})

/** Any settings, with comments and trailing commas anywhere they are valid. */
const anyCommented: fc.Arbitrary<string> = fc
  .record({
    value: fc.record(
      {
        model: fc.constant('x // "y" /* z */'),
        hooks: fc.dictionary(
          fc.constantFrom(...HOOKED.map(({ event }) => event), 'Setup'),
          fc.array(fc.constant({ hooks: [{ type: 'command', command: 'lint' }] }), { maxLength: 2 }),
          { maxKeys: 3 },
        ),
        permissions: fc.record({ allow: fc.array(fc.constant('Read'), { maxLength: 2 }) }),
        statusLine: fc.constant({ type: 'command', command: 'mine' }),
        other: fc.jsonValue({ maxDepth: 2 }),
      },
      { requiredKeys: [] },
    ),
    indent: fc.constantFrom<string | number>(0, 2, '\t'),
    end: fc.constantFrom('\n', '\r\n'),
    extras: fc.array(
      fc.constantFrom('', '', '', '/* one */', ' /* two\n */', '// three\n', ' // four \n', ','),
      {
        minLength: 1,
        maxLength: 20,
      },
    ),
  })
  .map(({ value, indent, end, extras }) => {
    const text = commented(JSON.stringify(value, null, indent), extras)
    return text.replaceAll('\n', end)
  })
  // The parser of this test takes this key for the prototype.
  .filter((text) => !text.includes('__proto__'))

/** Inserts the extras before tokens; a comma only as a trailing comma. */
function commented(text: string, extras: readonly string[]): string {
  let [out, last, index] = ['', '', 0]
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|\s+|[^\s{}[\],:"]+/g)) {
    const isBlank = token.trim() === ''
    const extra = isBlank ? '' : (extras[index++ % extras.length] ?? '')
    const isTrailing = /^[}\]]$/.test(token) && !/^[{[,]?$/.test(last)
    out += (extra !== ',' || isTrailing ? extra : '') + token
    if (!isBlank) last = token
  }
  return out
}

describe('settings with any comments', () => {
  test('are restored byte for byte after wiring and unwiring, and keep every comment meanwhile', () => {
    fc.assert(
      fc.property(anyCommented, fc.constantFrom(user, plain), fc.constantFrom(user, plain), (text, a, b) => {
        const wired = settings.wire(settings.wire(text, a), b)
        expect(commentsOf(wired)).toEqual(commentsOf(text))
        expect(settings.wire(wired, b)).toBe(wired)
        expect(settings.unwire(wired, text)).toBe(text)
      }),
    )
  })

  test('become plain JSON when hooks are enabled', () => {
    fc.assert(
      fc.property(anyCommented, (text) => {
        const enabled = settings.enable(text)
        expect(JSON.parse(enabled)).toEqual(valueOf(text))
      }),
    )
  })
})

test.each([
  ['{ // ours\n"a": 1}', 'a', '{ // ours\n}'],
  ['{"x": 1, // ours\n"a": 1, "b": 2}', 'a', '{"x": 1, // ours\n "b": 2}'],
])('what follows a comment of a line is not taken into it: %j', (text, key, rest) => {
  expect(drop(text, [key])).toBe(rest)
})
