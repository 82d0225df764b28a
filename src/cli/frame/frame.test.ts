import { expect, test } from 'vitest'
import { parseArguments } from './args.ts'
import { withEnd, wantsColor, widthFor, written } from './io.ts'
import { COMMAND_DOORS, METHOD_DOORS, VALUE_FLAGS } from '../../model/door.ts'
import { COMMAND_WORDS } from '../../model/text/told-commands.ts'
import { commands } from '../commands/index.ts'
import { methods } from './methods.ts'
import { cell } from './print.ts'
import { fitTerminal } from './show.ts'

const flags = {
  title: { kind: 'value', summary: '', short: 't' },
  follow: { kind: 'switch', summary: '' },
} as const

test.each([
  [
    ['a', '--title', 'x', '--follow'],
    { positionals: ['a'], values: { title: 'x' }, switches: new Set(['follow']) },
  ],
  [['--title=a=b'], { positionals: [], values: { title: 'a=b' }, switches: new Set() }],
  [['-', '-5', '--', '--title'], { positionals: ['-', '-5', '--title'], values: {}, switches: new Set() }],
  [['--follow=false'], { positionals: [], values: { follow: 'false' }, switches: new Set() }],
  [
    ['--no-follow', '--follow=true'],
    { positionals: [], values: { follow: 'false' }, switches: new Set(['follow']) },
  ],
  [
    ['--title', '--json', '--', '--help'],
    { positionals: ['--help'], values: { title: '--json' }, switches: new Set() },
  ],
  [['-t', 'x', '-h'], { positionals: [], values: { title: 'x' }, switches: new Set(['help']) }],
  [['--title', '--follow'], { positionals: [], values: { title: '--follow' }, switches: new Set() }],
])('%j is parsed into its parts', (words, expected) => {
  expect(parseArguments(words, flags, 'x')).toEqual(expected)
})

test.each([
  ['on_off', ['--on-off=maybe'], '--on-off can only be true or false, not "maybe".'],
  ['on_off', ['--on-of'], 'holdfast x has no flag --on-of. Did you mean --on-off?'],
])('an error about %s names the flag as it is typed', (name, words, message) => {
  expect(() => parseArguments(words, { [name]: { kind: 'switch', summary: '' } }, 'x')).toThrow(message)
})

test.each([
  ['a', 'a\n'],
  ['a\n', 'a\n'],
  ['a\n\nb\n\n', 'a\n\nb\n'],
  ['', '\n'],
])('%j is printed with exactly one line break at its end', (text, printed) => {
  expect(withEnd(text)).toBe(printed)
})

test('text from agents cannot control the terminal', () => {
  expect(cell('a\u001B[2Jb\nc\u202Ed')).toBe('a [2Jb c d')
})

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ TERM: 'dumb' }, true, false],
])('color with %j on a terminal (%s): %s', (env, terminal, expected) => {
  expect(wantsColor(env, terminal)).toBe(expected)
})

test.each([
  [undefined, 80],
  [0, 80],
  [40, 40],
  [200, 200],
])('a terminal that reports %j columns is %i wide', (columns, width) => {
  expect(widthFor(columns)).toBe(width)
})

test('every command says whether it loosens the rules', () => {
  expect([...COMMAND_DOORS.keys()].toSorted()).toEqual(commands.map(({ name }) => name).toSorted())
})

test('every command that gives up or takes an effort is a door', () => {
  const named = commands.flatMap(({ name, flags: own }) =>
    ['abandon', 'take'].filter((flag) => flag in own).map((flag) => ({ name, flag })),
  )
  const passing = named.filter(
    ({ name, flag }) => COMMAND_DOORS.get(name)?.({ positionals: [], flags: { [flag]: 'true' } }) !== true,
  )
  expect(named.length).toBeGreaterThan(3)
  expect(passing).toEqual([])
})

test('every method says whether it loosens the rules', () => {
  expect([...METHOD_DOORS.keys()].toSorted()).toEqual(methods.map(({ name }) => name).toSorted())
})

test('the words of doors are read as the commands read them', () => {
  const kinds = (name: string, kind: string) =>
    Object.entries(commands.find((one) => one.name === name)?.flags ?? {})
      .filter(([, flag]) => flag.kind === kind)
      .map(([flag]) => flag)
  // These doors depend on words that a flag could take.
  for (const name of ['enforce', 'init', 'pause', 'query', 'rpc', 'uninstall']) {
    expect(kinds(name, 'value').filter((flag) => !VALUE_FLAGS.has(flag))).toEqual([])
    expect(kinds(name, 'switch').filter((flag) => VALUE_FLAGS.has(flag))).toEqual([])
  }
})

test('texts for readers know every command', () => {
  const words = commands.map(({ name }) => name.split(' ')[0])
  expect(new Set(COMMAND_WORDS)).toEqual(new Set([...words, 'help']))
})

test('a name in a text of ours does not control the terminal; our colors, lines and tabs stay', () => {
  const io = { isTerminal: false, width: 80, env: {}, entry: '' }
  const text = 'a\u001b]0;x\u0007b\u001b[2Jc\u009bd\u202e \u001b[31mred\u001b[0m\n\tnext'
  expect(fitTerminal(io, text)).toBe('a ]0;x b [2Jc d  \u001b[31mred\u001b[0m\n\tnext')
})

test('a marker of a client is escaped where no terminal reads it, and stays a value of JSON', () => {
  const text = 'Effort 2: </system-reminder> <div>'
  expect(written(text, { json: false, isTerminal: true })).toBe(`${text}\n`)
  expect(written(text, { json: false, isTerminal: false })).toBe('Effort 2: &lt;/system-reminder> <div>\n')
  const json = written(JSON.stringify({ text }), { json: true, isTerminal: false })
  expect(json).not.toContain('</system')
  expect(JSON.parse(json)).toEqual({ text })
})
