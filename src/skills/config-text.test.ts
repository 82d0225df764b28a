import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyString } from '../../test/any-string.ts'
import { editConfigText, readConfigText } from './config-text.ts'

describe('a config file', () => {
  test('gives its valid settings as text', () => {
    const text = '# mine\ntasks: sessions/ # here\nlog: debug\nstale_seconds: 600\nhttp: off\n'
    expect(readConfigText(text, 'user')).toEqual({
      values: { tasks: 'sessions/', log: 'debug', stale_seconds: '600', http: 'off' },
      faults: [],
    })
    expect(readConfigText('http: false', 'user').values).toEqual({ http: 'off' })
    for (const empty of ['', '\n', '# nothing\n']) expect(readConfigText(empty, 'user').faults).toEqual([])
  })

  test.each([
    ['task: x', 'Unknown setting "task". Did you mean tasks?'],
    ['zzzzzzzz: x', 'Unknown setting "zzzzzzzz". Known settings: tasks, plans,'],
    ['log: loud', 'log must be debug, info, warn or error, not "loud".'],
    ['idle_seconds: 0', 'idle_seconds must be a whole number above 0, not "0".'],
    ['stale_seconds: 1e9', 'stale_seconds must be a whole number above 0, not "1e9".'],
    [
      'tasks: /abs',
      'tasks must be a relative path inside the project of at most 200 characters, not "/abs".',
    ],
    ['tasks: a/../../b', 'tasks must be a relative path inside the project'],
    ['tasks: ~/x', 'tasks must be a relative path inside the project'],
    ['tasks: .', 'tasks must be a relative path inside the project'],
    ['tasks: a/./b', 'tasks must be a relative path inside the project'],
    ['tasks: a//b', 'tasks must be a relative path inside the project'],
    ['tasks: "a\\e[2K"', 'tasks must be a relative path inside the project'],
    ['tasks: "a\\u202Eb"', 'tasks must be a relative path inside the project'],
    [
      `tasks: ${'a'.repeat(201)}`,
      'tasks must be a relative path inside the project of at most 200 characters',
    ],
    ['tasks: [a]', 'tasks must be a relative path inside the project of at most 200 characters, not ["a"].'],
    ['tasks:', 'tasks must be a relative path inside the project of at most 200 characters, not null.'],
    ['- a', 'config.yaml must be a map of settings.'],
    ['tasks: [a', 'config.yaml is not valid YAML'],
  ])('reports and ignores %j', (text, message) => {
    const { values, faults } = readConfigText(`http: on\n${text}\n`.replace(/^http: on\n- /, '- '), 'user')
    expect(faults).toEqual([expect.objectContaining({ message: expect.stringContaining(message) })])
    expect(Object.keys(values).filter((name) => name !== 'http')).toEqual([])
  })

  test('gives its own modes and shortcuts, and reports those that are wrong', () => {
    const text =
      'modes:\n  sec: Look for holes.\n  fff: Color.\nshortcuts:\n  wip: Commit it.\n  "p:": off\n  a b: x\n'
    expect(readConfigText(text, 'project')).toEqual({
      values: {
        own: {
          modes: { sec: { tag: 'sec', name: 'sec', kind: 'action', text: 'Look for holes.' } },
          shortcuts: {
            wip: { word: 'wip', form: 'alone', name: 'your own', asks: 'Commit it.' },
            'p:': 'off',
          },
        },
      },
      faults: [
        { line: 3, name: 'modes', message: expect.stringMatching(/^modes "fff": A tag is /) },
        { line: 7, name: 'shortcuts', message: expect.stringMatching(/^shortcuts "a b": /) },
      ],
    })
    expect(readConfigText('modes: [a]\nshortcuts: maybe\n', 'user').faults).toHaveLength(2)
    expect(readConfigText('modes: off\nshortcuts: auto\n', 'user').values).toEqual({
      modes: 'off',
      shortcuts: 'auto',
    })
  })

  test('of a project cannot set what belongs to the daemon', () => {
    const { values, faults } = readConfigText('tasks: a\nlog: warn\n', 'project')
    expect(values).toEqual({ tasks: 'a' })
    expect(faults).toMatchObject([{ line: 2, name: 'log' }])
  })

  test('is read without an exception, whatever it contains', () => {
    fc.assert(
      fc.property(anyString(), (text) => {
        expect(readConfigText(text, 'user').faults).toBeInstanceOf(Array)
      }),
    )
  })
})

describe('a change of a config file', () => {
  const theirs = '# top\n\ntasks: a # why\nother: {x: 1}\n# end\n'

  test('keeps comments and other keys', () => {
    expect(editConfigText(theirs, 'tasks', 'b c')).toBe('# top\n\ntasks: b c # why\nother: {x: 1}\n# end\n')
    expect(editConfigText(theirs, 'stale_seconds', '60')).toBe(`${theirs}stale_seconds: 60\n`)
    expect(editConfigText(theirs, 'tasks', undefined)).toBe('# top\n\nother: {x: 1}\n# end\n')
    expect(editConfigText('a: 1', 'tasks', 'x')).toBe('a: 1\ntasks: x\n')
    expect(editConfigText('tasks:\na: 1\n', 'tasks', 'x')).toBe('tasks: x\na: 1\n')
    expect(editConfigText('a: 1\ntasks:', 'tasks', undefined)).toBe('a: 1\n')
    expect(editConfigText('a: 1\nb:\n  - c\n  - d\ntasks: x\n', 'b', undefined)).toBe('a: 1\ntasks: x\n')
    expect(readConfigText(editConfigText('{http: on}', 'tasks', 'x'), 'user').values).toEqual({
      http: 'on',
      tasks: 'x',
    })
  })

  test('and its reversal leave an empty file empty', () => {
    const set = editConfigText('', 'http', 'off')
    expect(readConfigText(set, 'user').values).toEqual({ http: 'off' })
    expect(editConfigText(set, 'http', undefined)).toBe('')
    expect(editConfigText('', 'http', undefined)).toBe('')
    expect(editConfigText('# mine\n', 'http', 'on')).toBe('# mine\nhttp: on\n')
    expect(editConfigText('# mine\nhttp: on\n', 'http', undefined)).toBe('# mine\n')
  })

  test('can be read again, whatever the value', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[^/~\0\n.]([^/\0\n.]|\/[^/\0\n.]){0,10}$/), (value) => {
        expect(readConfigText(editConfigText(theirs, 'tasks', value), 'user').values.tasks).toBe(value)
      }),
    )
  })
})
