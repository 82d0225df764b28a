import { expect, test } from 'vitest'
import { plugins } from './plugins.ts'

const one = (place: unknown) => ({ plugins: { 'a@m': place } })

test.each<[string, unknown, readonly unknown[], readonly string[]]>([
  ['a list of folders', one([{ installPath: '/p/a' }]), [], ['/p/a']],
  ['one folder, as older clients wrote it', one({ installPath: '/p/a' }), [], ['/p/a']],
  [
    'the folder for this project',
    one([
      { installPath: '/x', projectPath: '/other' },
      { installPath: '/y', projectPath: '/r' },
    ]),
    [],
    ['/y'],
  ],
  ['nothing for another project', one([{ installPath: '/x', projectPath: '/other' }]), [], []],
  ['no disabled plugin', one([{ installPath: '/x' }]), [{ enabledPlugins: { 'a@m': false } }], []],
  [
    'the last settings win',
    one([{ installPath: '/x' }]),
    [{ enabledPlugins: { 'a@m': false } }, undefined, { enabledPlugins: { 'a@m': true } }],
    ['/x'],
  ],
  ['nothing without a list', undefined, [], []],
  [
    'nothing without an absolute path',
    one([{ installPath: 7 }, { installPath: 'relative' }, null, 'x']),
    [null, 3],
    [],
  ],
  ['nothing from an invalid list', { plugins: [1, 'x'] }, [], []],
])('plugins: %s', (_, installed, settings, folders) => {
  const texts = settings.map((value) => (value === undefined ? undefined : JSON.stringify(value)))
  const list = installed === undefined ? undefined : JSON.stringify(installed)
  expect(plugins.installed(list, texts, '/r').map(({ folder }) => folder)).toEqual(folders)
})

test('plugins: the folder from which the client reads them, if their marketplace is one', () => {
  const at = (source: unknown) => plugins.readFrom(JSON.stringify({ m: { source } }), 'a@m')
  expect(at({ source: 'directory', path: '/r' })).toBe('/r')
  expect(at({ source: 'github', repo: 'a/b' })).toBeUndefined()
  expect(at({ source: 'directory', path: 'r' })).toBeUndefined()
  expect(plugins.readFrom(undefined, 'a@m')).toBeUndefined()
  const offers = JSON.stringify({ plugins: [{ name: 'b', source: {} }, { name: 'a', source: './p' }, 3] })
  expect(['a', 'b', 'c'].map((name) => plugins.offered(offers, name))).toEqual(['./p', undefined, undefined])
  expect(plugins.offered('no', 'a')).toBeUndefined()
})

test('plugins: nothing from a list that is not JSON, and invalid settings are ignored', () => {
  const list = JSON.stringify(one([{ installPath: '/p/a' }]))
  expect(plugins.installed('no', [], '/r')).toEqual([])
  expect(plugins.installed(list, ['no', ''], '/r')).toEqual([{ name: 'a', key: 'a@m', folder: '/p/a' }])
})
