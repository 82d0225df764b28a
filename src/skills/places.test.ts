import { expect, test } from 'vitest'
import { placesOf, pluginsIn } from './places.ts'

const user = { home: '/h', claude: '/h/.claude' }

test('the personal places come first, then those of the project from the inside out, then the plugins', () => {
  const plugins = [{ name: 'tools', key: 'tools@m', folder: '/p/tools' }]
  const places = placesOf({ user, folders: ['/r/sub', '/r'], plugins })
  const roots = places.map(({ root }) => root)
  expect(roots.slice(0, 4)).toEqual(['/h/.claude', '/h/.agents', '/r/sub/.claude', '/r/sub/.agents'])
  expect(roots.indexOf('/r/.claude')).toBeGreaterThan(roots.indexOf('/r/sub/.github'))
  expect(places.at(-1)).toEqual({ root: '/p/tools', scope: 'plugin', plugin: 'tools' })
})

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
  expect(pluginsIn(installed, settings, '/r').map(({ folder }) => folder)).toEqual(folders)
})
