import { expect, test } from 'vitest'
import { plugins } from './plugins.ts'

const one = (place: unknown) => ({ plugins: { 'a@m': place } })

test.each<[string, unknown, readonly unknown[], readonly string[]]>([
  ['a list of places', one([{ installPath: '/p/a' }]), [], ['/p/a']],
  ['one place, as older clients wrote it', one({ installPath: '/p/a' }), [], ['/p/a']],
  [
    'the place for this project',
    one([
      { installPath: '/x', projectPath: '/other' },
      { installPath: '/y', projectPath: '/r' },
    ]),
    [],
    ['/y'],
  ],
  ['nothing for another project', one([{ installPath: '/x', projectPath: '/other' }]), [], []],
  ['nothing that is turned off', one([{ installPath: '/x' }]), [{ enabledPlugins: { 'a@m': false } }], []],
  [
    'what the last settings say',
    one([{ installPath: '/x' }]),
    [{ enabledPlugins: { 'a@m': false } }, undefined, { enabledPlugins: { 'a@m': true } }],
    ['/x'],
  ],
  ['nothing without a list', undefined, [], []],
  [
    'nothing that is no path',
    one([{ installPath: 7 }, { installPath: 'relative' }, null, 'x']),
    [null, 3],
    [],
  ],
  ['nothing of a list that is none', { plugins: [1, 'x'] }, [], []],
])('plugins: %s', (_, installed, settings, folders) => {
  const texts = settings.map((value) => (value === undefined ? undefined : JSON.stringify(value)))
  const list = installed === undefined ? undefined : JSON.stringify(installed)
  expect(plugins.installed(list, texts, '/r').map(({ folder }) => folder)).toEqual(folders)
})

test('plugins: nothing of a list that is no JSON, and settings that are none say nothing', () => {
  const list = JSON.stringify(one([{ installPath: '/p/a' }]))
  expect(plugins.installed('no', [], '/r')).toEqual([])
  expect(plugins.installed(list, ['no', ''], '/r')).toEqual([{ name: 'a', key: 'a@m', folder: '/p/a' }])
})
