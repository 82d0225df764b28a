import { describe, expect, test } from 'vitest'
import { mergedConfig, modesOf, readOwn, shortcutsOf } from './own-words.ts'
import { SHIPPED_MODES } from './shipped-modes.ts'
import { SHIPPED_SHORTCUTS } from './shipped-shortcuts.ts'
import { shortcutKey } from './shortcut.ts'

const SEC = { tag: 'sec', name: 'sec', kind: 'action', text: 'Look for holes.' } as const
const WIP = { word: 'wip', form: 'alone', name: 'your own', asks: 'Commit it.' } as const

describe('an entry of the modes', () => {
  test.each([
    ['sec', 'Look for holes.', SEC],
    ['sec', { text: 'Look for holes.', name: 'security' }, { ...SEC, name: 'security' }],
    [
      'slow',
      { text: 'Slowly.', kind: 'context', steps: 'full' },
      { tag: 'slow', name: 'slow', kind: 'context', text: 'Slowly.', steps: 'full' },
    ],
    [
      'qlight',
      'Be short.',
      { tag: 'qlight', name: 'question-light', kind: 'context', text: 'Be short.', steps: 'quick' },
    ],
    ['ver', 'off', 'off'],
    ['ver', false, 'off'],
    ['ver', 'on', 'on'],
    ['sec', 'off', 'off'],
  ])('%s is read: %j', (tag, value, read) => {
    expect(readOwn.modes(tag, value)).toEqual(read)
  })

  test.each([
    ['Sec', 'x', 'A tag is'],
    ['fff', 'x', 'A tag is'],
    ['sec', '', 'It must be a text'],
    ['sec', null, 'It must be a text'],
    ['sec', 'x'.repeat(2001), 'It must be a text'],
    ['sec', 'a\u001b[2Jb', 'It must be a text'],
    ['sec', ['x'], 'A mode has text, name, kind and steps, not 0'],
    ['sec', { text: 'x', more: 1 }, 'not more'],
    ['sec', { text: 'x', steps: 'some' }, 'steps must be'],
    ['sec', { text: 'x', kind: 'some' }, 'kind must be'],
    ['sec', { text: 'x', name: 'a\nb' }, 'name must be'],
  ])('%s is refused: %j', (tag, value, fault) => {
    expect(readOwn.modes(tag, value)).toEqual({ fault: expect.stringContaining(fault) })
  })
})

describe('an entry of the shortcuts', () => {
  test.each([
    ['wip', 'Commit it.', WIP],
    ['b:', 'Find it.', { word: 'b', form: 'colon', name: 'your own', asks: 'Find it.' }],
    ['xc', 'on', 'on'],
    ['p:', false, 'off'],
  ])('%s is read: %j', (key, value, read) => {
    expect(readOwn.shortcuts(key, value)).toEqual(read)
  })

  test.each([
    ['Wip', 'x'],
    ['a b', 'x'],
    ['wip', {}],
    ['wip', 7],
  ])('%s is refused: %j', (key, value) => {
    expect(readOwn.shortcuts(key, value)).toEqual({ fault: expect.any(String) })
  })
})

describe('what is in force', () => {
  const tags = (config: Parameters<typeof modesOf>[0]) => modesOf(config).map(({ tag }) => tag)
  const keys = (config: Parameters<typeof shortcutsOf>[0], hasFile = false) =>
    shortcutsOf(config, hasFile).map(shortcutKey)
  const shipped = SHIPPED_MODES.map(({ tag }) => tag)

  test('are the modes of the package, less those that are off, and own ones', () => {
    expect(tags({})).toEqual(shipped)
    expect(tags({ modes: 'off', own: { modes: { sec: SEC } } })).toEqual([])
    expect(tags({ own: { modes: { sec: SEC, pref: 'off', ver: { ...SEC, tag: 'ver' } } } })).toEqual([
      ...shipped.filter((tag) => tag !== 'pref' && tag !== 'ver'),
      'sec',
      'ver',
    ])
  })

  test('are shortcuts of the package only with a session file, or if the config says so', () => {
    const all = SHIPPED_SHORTCUTS.map(shortcutKey)
    expect([keys({}), keys({}, true), keys({ shortcuts: 'on' })]).toEqual([[], all, all])
    expect(keys({ shortcuts: 'off', own: { shortcuts: { wip: WIP } } }, true)).toEqual([])
    expect(keys({ own: { shortcuts: { wip: WIP, xc: 'on' } } })).toEqual(['xc', 'wip'])
    expect(keys({ own: { shortcuts: { x: 'off' } } }, true)).not.toContain('x')
  })

  test('merges the maps of user and project entry by entry', () => {
    const user = { modes: 'off', own: { shortcuts: { wip: WIP } } }
    const project = { own: { modes: { sec: SEC }, shortcuts: { wip: 'off' as const } } }
    expect(mergedConfig(user, project)).toEqual({
      own: { modes: { sec: SEC }, shortcuts: { wip: 'off' } },
    })
    expect(mergedConfig({ own: { modes: { sec: SEC } } }, { modes: 'off' })).toEqual({
      modes: 'off',
      own: { modes: { sec: SEC } },
    })
    expect(mergedConfig({ tasks: 'a', log: 'info' }, { tasks: 'b' })).toEqual({ tasks: 'b', log: 'info' })
  })
})
