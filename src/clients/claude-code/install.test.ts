import { spawnSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { guardCommand, pipeCommand } from '../../hook/commands.ts'
import { COMMAND_DOORS } from '../../model/door.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Wiring } from '../../model/client-settings.ts'
import { EVENTS } from './encode.ts'
import { HOOKED } from './handlers.ts'
import { settings } from './install.ts'

const user: Wiring = {
  scope: 'user',
  failsClosed: false,
  allowsHoldfast: false,
  statusLine: false,
  home: "/home/o'user/.local/state/holdfast",
  launcher: "/home/o'user/.local/state/holdfast/bin/holdfast",
}
const shared: Wiring = { ...user, scope: 'project' }
const strict: Wiring = { ...user, failsClosed: true }
const lined: Wiring = { ...user, statusLine: true }
const wirings = [
  user,
  lined,
  { ...lined, scope: 'local', allowsHoldfast: true, home: '/elsewhere' },
  shared,
  strict,
] as const

const foreign = (command: string) => ({ hooks: [{ type: 'command', command }] })
const parse = (text: string): any => JSON.parse(text)
const written = (value: unknown, wiring: Wiring = user) =>
  settings.wire(JSON.stringify(value, null, 2), wiring)

/** Any settings that a user may have, in any style. */
const anyText: fc.Arbitrary<string> = fc
  .record({
    value: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 }),
    hooks: fc.option(
      fc.dictionary(
        fc.constantFrom(...HOOKED.map(({ event }) => event), 'PostToolBatch', 'Setup'),
        fc.array(
          fc.oneof(
            fc.constant(foreign('lint "$1"')),
            fc.constant({ matcher: 'Bash', hooks: [] }),
            fc.jsonValue(),
          ),
        ),
        { maxKeys: 4 },
      ),
      { nil: undefined },
    ),
    permissions: fc.option(
      fc.record(
        {
          allow: fc.array(fc.constantFrom('Bash(ls *)', 'Read', 'Bash(holdfast *)'), { maxLength: 3 }),
          deny: fc.constant(['Edit']),
        },
        { requiredKeys: [] },
      ),
      { nil: undefined },
    ),
    statusLine: fc.option(
      fc.oneof(
        fc.record(
          {
            type: fc.constant('command'),
            command: fc.oneof(fc.string(), fc.constant(`jq -r '.model.id' # "mine"`)),
            padding: fc.nat(),
          },
          { requiredKeys: ['type', 'command'] },
        ),
        fc.jsonValue({ maxDepth: 1 }),
      ),
      { nil: undefined },
    ),
    isFirst: fc.boolean(),
    indent: fc.constantFrom<string | number>(0, 2, 4, '\t', 'spaced'),
    eol: fc.constantFrom('\n', '\r\n'),
    end: fc.constantFrom('', '\n', '\r\n', '\n\n'),
    mark: fc.constantFrom('', '\u{feff}'),
  })
  .map(({ value, hooks, permissions, statusLine, isFirst, indent, eol, end, mark }) => {
    const known = {
      ...(hooks !== undefined && { hooks }),
      ...(permissions !== undefined && { permissions }),
      ...(statusLine !== undefined && { statusLine }),
    }
    const { hooks: _, permissions: __, statusLine: ___, ...rest } = value
    const whole = isFirst ? { ...known, ...rest } : { ...rest, ...known }
    const text =
      indent === 'spaced'
        ? JSON.stringify(whole, null, 1).replaceAll(/\n */g, ' ')
        : JSON.stringify(whole, null, indent)
    return mark + text.replaceAll('\n', eol) + end
  })

const anyWiring = fc.constantFrom(...wirings)

describe('settings of any form', () => {
  test('are restored byte for byte after wiring, wiring differently and unwiring', () => {
    fc.assert(
      fc.property(anyText, anyWiring, anyWiring, (text, first, second) => {
        const wired = settings.wire(settings.wire(text, first), second)
        expect(settings.unwire(wired, text)).toBe(text)
      }),
    )
  })

  test('get each hook once, however often they are wired, and the last wiring wins', () => {
    fc.assert(
      fc.property(anyText, anyWiring, anyWiring, (text, first, second) => {
        const wired = settings.wire(text, first)
        expect(settings.wire(wired, first)).toBe(wired)
        const again = parse(strip(settings.wire(wired, { ...second, allowsHoldfast: first.allowsHoldfast })))
        const once = parse(strip(settings.wire(text, { ...second, allowsHoldfast: first.allowsHoldfast })))
        expect(again).toEqual(once)
      }),
    )
  })

  test('keep their other lines, their line ends and their final newline', () => {
    fc.assert(
      fc.property(anyText, anyWiring, (text, wiring) => {
        const wired = settings.wire(text, wiring)
        expect(/\s*$/.exec(wired)?.[0]).toBe(/\s*$/.exec(text)?.[0])
        // Empty settings have no style to follow.
        fc.pre(!/^\W*$/.test(text))
        const ends = (one: string) => new Set(one.trim().match(/\r?\n/g))
        expect(ends(wired)).toEqual(ends(text))
      }),
    )
  })

  test('lose only our hooks, even if they were edited since', () => {
    fc.assert(
      fc.property(
        anyText,
        anyWiring,
        fc.constantFrom(...HOOKED.map(({ event }) => event)),
        (text, wiring, event) => {
          const edit = (value: any) => {
            value.edited = true
            value.hooks ??= {}
            value.hooks[event] ??= []
            value.hooks[event].push(foreign('after'))
            value.hooks[event].unshift(foreign('before'))
            return value
          }
          const edited = JSON.stringify(edit(parse(strip(settings.wire(text, wiring)))))
          expect(parse(settings.unwire(edited, text))).toEqual(edit(parse(strip(text))))
        },
      ),
    )
  })
})

const strip = (text: string) => text.replace(/^\u{feff}/u, '')

/** As older versions called us. */
const HTTP = { type: 'http', url: 'http://127.0.0.1:1/hook/claude-code' }

describe('the hooks', () => {
  test('are for events of the client, except the one that must never be hooked', () => {
    const names = HOOKED.map(({ event }) => event)
    expect(names.filter((name) => !EVENTS.has(name))).toEqual([])
    expect(names).not.toContain('WorktreeCreate')
  })

  test('are pipes without a port or a token, except the ones that start the daemon', () => {
    const { hooks } = parse(settings.wire(undefined, user))
    expect(Object.keys(hooks)).toEqual(HOOKED.map(({ event }) => event))
    const command = pipeCommand({ client: 'claude-code', home: user.home })
    expect(hooks.PreToolUse).toEqual([{ hooks: [{ type: 'command', command, timeout: 3 }] }])
    for (const event of ['SessionStart', 'UserPromptSubmit'])
      expect(hooks[event][0].hooks[0]).toMatchObject({
        type: 'command',
        command: expect.stringMatching(
          /state\/holdfast\/bin\/holdfast' hook claude-code --limit 4500;exit 0$/,
        ),
        timeout: 5,
      })
  })

  test('of a shared file contain no local path', () => {
    const text = settings.wire(undefined, shared)
    for (const secret of [user.launcher, 'user']) expect(text).not.toContain(secret)
    expect(settings.read(text).ways.every(({ kind }) => kind === 'command')).toBe(true)
  })

  test('fail closed only before an action, by the guard', () => {
    const { hooks } = parse(settings.wire(undefined, strict))
    const closing = Object.entries<any>(hooks).flatMap(([event, groups]) =>
      groups.flatMap((group: any) =>
        group.hooks
          .filter((one: any) => one.onFailure === 'block')
          .map((one: any) => [event, group.matcher, one.command]),
      ),
    )
    const guard = guardCommand({ ...user, client: 'claude-code' })
    expect(closing).toEqual([
      ['UserPromptExpansion', undefined, guard],
      ['PreToolUse', undefined, guard],
    ])
  })

  test('are changed in place, also those of older versions', () => {
    const between = { hooks: { Stop: [foreign('first'), ...parse(written({})).hooks.Stop, foreign('last')] } }
    const older = { hooks: { Stop: [foreign('first'), { hooks: [HTTP] }, foreign('last')] } }
    const moved = { ...user, home: '/elsewhere' }
    for (const known of [between, older]) {
      const { Stop } = parse(written(known, moved)).hooks
      expect(Stop.map(({ hooks: [one] }: any) => one.command)).toEqual([
        'first',
        pipeCommand({ client: 'claude-code', home: '/elsewhere' }),
        'last',
      ])
    }
  })

  test('are removed from a group of the user that they were moved to', () => {
    const [ours] = parse(written({})).hooks.Stop[0].hooks
    const theirs = { hooks: { Stop: [{ hooks: [...foreign('a').hooks, ours, ...foreign('b').hooks] }] } }
    const clean = { hooks: { Stop: [{ hooks: [...foreign('a').hooks, ...foreign('b').hooks] }] } }
    expect(parse(settings.unwire(JSON.stringify(theirs), undefined))).toEqual(clean)
    expect(parse(written(theirs)).hooks.Stop).toEqual([...clean.hooks.Stop, { hooks: [ours] }])
  })

  test('of older versions are recognized', () => {
    const guard = 'b=$(cat);echo "Holdfast is strict here and its daemon does not run." >&2;exit 2'
    const handlers = [HTTP, { ...HTTP, url: `${HTTP.url}/strict` }, { type: 'command', command: guard }]
    const old = JSON.stringify({ hooks: { PreToolUse: [{ hooks: handlers }] } })
    expect(parse(settings.unwire(old, undefined))).toEqual({})
  })

  test('of an event that is no longer hooked are removed', () => {
    const old = { hooks: { PostToolBatch: parse(written({})).hooks.Stop } }
    expect(parse(written(old)).hooks.PostToolBatch).toBeUndefined()
  })

  test.each([
    'holdfast hook claude-code',
    'my-log && holdfast hook claude-code;exit 0',
    'curl http://127.0.0.1:20001/hook/claude-code',
  ])('that the user wrote to call us are kept: %s', (command) => {
    const theirs = JSON.stringify({ hooks: { Stop: [foreign(command)] } })
    expect(settings.unwire(theirs, undefined)).toBe(theirs)
    expect(settings.read(theirs).ways).toEqual([])
  })
})

describe('the permission', () => {
  const allow = ['Bash(ls *)']

  const wanted = { ...user, allowsHoldfast: true }
  const allowedIn = (text: string): readonly string[] => parse(text).permissions.allow
  const BROAD = ['Bash(holdfast *)', `Bash(${shellWord(user.launcher)} *)`]

  test('is added only on request, and once', () => {
    expect(allowedIn(written({ permissions: { allow } }))).toEqual(allow)
    const added = allowedIn(written({ permissions: { allow } }, wanted))
    expect(added.slice(0, 1)).toEqual(allow)
    expect(added).toContain(`Bash(${shellWord(user.launcher)} step *)`)
    expect(settings.wire(written({}, wanted), wanted)).toBe(written({}, wanted))
    const elsewhere = { ...wanted, launcher: '/a b/bin/holdfast' }
    expect(parse(settings.wire(written({}, elsewhere), wanted)).permissions).toEqual(
      parse(written({}, wanted)).permissions,
    )
    expect(settings.unwire(written({}, elsewhere), '{}')).toBe(settings.unwire(written({}, user), '{}'))
    expect(settings.read(written({}, wanted))).toMatchObject({
      allowsHoldfast: true,
      allowsAnything: false,
      allowsSkills: false,
    })
  })

  test('names the launcher and one safe command in each rule, and nothing that runs any code', () => {
    const rules = allowedIn(written({}, wanted))
    const named = rules.map((rule) => rule.slice(`Bash(${shellWord(user.launcher)} `.length, -' *)'.length))
    for (const [index, name] of named.entries())
      expect(rules[index]).toBe(`Bash(${shellWord(user.launcher)} ${name} *)`)
    const doors = [...COMMAND_DOORS].filter(([, loosens]) => loosens({ positionals: ['x'], flags: {} }))
    expect(named.filter((name) => doors.some(([door]) => door === name))).toEqual([])
    for (const word of ['rpc', 'query', 'hook', 'daemon', 'prove', 'init', 'pause', 'config', 'enforce'])
      expect(named.filter((name) => name.split(' ')[0] === word)).toEqual([])
  })

  test('of an older version is found and replaced', () => {
    const old = JSON.stringify({ permissions: { allow: [...allow, ...BROAD] } })
    expect(settings.read(old)).toMatchObject({ allowsHoldfast: true, allowsAnything: true })
    const renewed = settings.wire(old, wanted)
    expect(settings.read(renewed)).toMatchObject({ allowsHoldfast: true, allowsAnything: false })
    expect(allowedIn(renewed)).not.toContain(BROAD[0])
    expect(allowedIn(settings.unwire(renewed, JSON.stringify({ permissions: { allow } })))).toEqual(allow)
  })

  test('for skills is added beside it only on request, and taken out alone', () => {
    const both = { ...wanted, allowsSkills: true }
    const added = allowedIn(written({ permissions: { allow } }, both))
    expect(added.at(-1)).toBe('Skill(*)')
    const skills = written({ permissions: { allow } }, { ...user, allowsSkills: true })
    expect(allowedIn(skills)).toEqual([...allow, 'Skill(*)'])
    expect(settings.read(skills)).toMatchObject({ allowsHoldfast: false, allowsSkills: true })
    expect(settings.wire(skills, { ...user, allowsSkills: true })).toBe(skills)
    expect(allowedIn(settings.unwire(skills, JSON.stringify({ permissions: { allow } })))).toEqual(allow)
    const later = allowedIn(settings.unwire(skills.replace('"Bash(ls *)"', '"Skill"'), '{}'))
    expect(later).toEqual(['Skill'])
    const own = written({ permissions: { allow: ['Skill'] } }, both)
    expect(allowedIn(own)).not.toContain('Skill(*)')
    expect(settings.read(own)).toMatchObject({ allowsSkills: true })
  })

  test('names no path in a shared file', () => {
    const rules = allowedIn(written({}, { ...wanted, scope: 'project' }))
    expect(rules).toContain('Bash(holdfast step *)')
    expect(rules.every((rule) => rule.startsWith('Bash(holdfast ') && rule !== BROAD[0])).toBe(true)
  })

  test('stays if the user had it before', () => {
    const before = JSON.stringify({ permissions: { allow: ['Bash(holdfast *)'] } })
    expect(settings.unwire(settings.wire(before, user), before)).toBe(before)
    expect(allowedIn(settings.unwire(settings.wire(before, wanted), before))).toEqual(['Bash(holdfast *)'])
  })
})

describe('the status line', () => {
  const theirs = '{"statusLine": {"type": "command", "command": "a \\u0022b\\u0022 \\/", "padding": 2}}'
  const lineIn = (text: string) => settings.read(text).statusLine

  test('wraps the existing one on request, and keeps its other fields', () => {
    expect(parse(settings.wire('{}', user))).not.toHaveProperty('statusLine')
    const { statusLine } = parse(settings.wire('{}', lined))
    expect(statusLine).toEqual({
      type: 'command',
      command: expect.stringContaining('POST /statusline/claude-code '),
    })
    const wrapped = parse(settings.wire(theirs, lined)).statusLine
    expect(wrapped).toMatchObject({ type: 'command', padding: 2 })
    expect(wrapped.command).toContain(`holdfast_line='a "b" /';`)
  })

  test('is recognized as ours, and restores the original bytes when it is removed', () => {
    expect(lineIn('{}')).toBeUndefined()
    expect(lineIn(theirs)).toEqual({ command: 'a "b" /', isOurs: false })
    const wired = settings.wire(theirs, lined)
    expect(lineIn(wired)).toMatchObject({ isOurs: true })
    expect(settings.unwire(wired, theirs)).toBe(theirs)
    // Without the original settings, the same command in our own style.
    expect(parse(settings.unwire(wired, undefined))).toEqual(parse(theirs))
    expect(parse(settings.wire(wired, user)).statusLine).toEqual(parse(theirs).statusLine)
  })

  test('of another program that replaced ours is kept, and wrapped when wired again', () => {
    const wired = settings.wire(theirs, lined)
    const other = JSON.stringify({ ...parse(wired), statusLine: { type: 'command', command: 'other' } })
    expect(parse(settings.unwire(other, theirs))).toEqual({
      statusLine: { type: 'command', command: 'other' },
    })
    expect(parse(settings.wire(other, lined)).statusLine.command).toContain('holdfast_line=other;')
  })

  test.each(['{"statusLine": null}', '{"statusLine": {"type": "new", "command": "x"}}'])(
    'of an unknown kind stays unchanged: %s',
    (text) => {
      expect(parse(settings.wire(text, lined)).statusLine).toEqual(parse(text).statusLine)
      expect(lineIn(text)).toBeUndefined()
    },
  )
})

describe('settings that cannot be changed safely are refused', () => {
  test.each([
    ['{', 'line 1, column 2: Close brace expected'],
    ['{\n  "a" 1\n}', 'line 2, column 7: Colon expected'],
    ['{"a": 1 "b": 2}', 'Comma expected'],
    ['{"a": 1,, "b": 2}', 'expected'],
    [`{'a': 1}`, 'Invalid symbol'],
    ['{"a": 1} {}', 'End of file expected'],
    ['{"a": 1} /* mine', 'Unexpected end of comment'],
    ['// mine', 'expected'],
    ['['.repeat(100_000), 'nested too deeply'],
    ['[]', 'not a JSON object'],
    ['{"hooks": []}', '`hooks` is not an object'],
    ['{"hooks": {"Stop": {}}}', '`hooks.Stop` is not a list'],
    ['{"permissions": {"allow": "all"}}', '`permissions.allow` is not a list'],
  ])('%s', (text, why) => {
    const refusal = expect.objectContaining({ code: 'invalid', message: expect.stringContaining(why) })
    expect(() => settings.wire(text, user)).toThrow(refusal)
    expect(() => settings.unwire(text, undefined)).toThrow(refusal)
  })

  test.each([undefined, '', ' \n', '\u{feff}'])('but %j counts as empty settings', (text) => {
    expect(parse(strip(settings.wire(text, user))).hooks.Stop).toHaveLength(1)
    expect(settings.unwire(text ?? '', undefined)).toBe(text ?? '')
  })
})

describe('an obstacle to our hooks', () => {
  test.each([
    [{}, 0],
    [{ disableAllHooks: true }, 1],
    [{ disableAllHooks: false }, 0],
    // Commands need no URL.
    [{ allowedHttpHookUrls: [] }, 0],
  ])('is found: %j', (value, count) => {
    expect(settings.read(JSON.stringify(value)).obstacles).toHaveLength(count)
  })
})

describe('the guard of the shell, while the daemon is down', () => {
  const launcher = '/no where/bin/holdfast'
  const guard = (command: string) => {
    const input = JSON.stringify({
      tool_name: 'Bash',
      tool_input: { command, description: '"command":"holdfast x"' },
    })
    return spawnSync(
      'sh',
      ['-c', guardCommand({ client: 'claude-code', home: "/nowhere/o'home", launcher })],
      {
        input,
        encoding: 'utf8',
      },
    )
  }

  test.each([
    'holdfast daemon start',
    'holdfast doctor --json',
    'npx holdfast pause 10m',
    'holdfast enforce observe',
    "'/no where/bin/holdfast' daemon start",
  ])('allows: %s', (command) => expect(guard(command).status).toBe(0))

  test.each([
    'ls',
    'holdfast doctor; rm -rf x',
    'holdfast doctor && ls',
    'holdfast doctor | sh',
    'holdfast doctor\nls',
    'holdfast $(ls)',
    'holdfast "x"; ls',
    'holdfast doctor > x',
    "'/no where/bin/holdfast' doctor; ls",
    '/else/where/bin/holdfast doctor',
    'echo "command":"holdfast x"',
    '',
  ])('refuses and names the fix: %j', (command) => {
    expect(guard(command)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("Start it: '/no where/bin/holdfast' daemon start"),
    })
  })
})

test('our plugin is recognized by its name in any marketplace, enabled or not', () => {
  const plugins = {
    'holdfast@a': true,
    'holdfast@b': false,
    'holdfast@c': 'x',
    'other@a': true,
    holdfast: true,
  }
  expect(settings.read(JSON.stringify({ enabledPlugins: plugins })).plugins).toEqual({
    'holdfast@a': true,
    'holdfast@b': false,
  })
  for (const text of ['', '{}', '{"enabledPlugins": ["holdfast@a"]}'])
    expect(settings.read(text).plugins).toEqual({})
})
