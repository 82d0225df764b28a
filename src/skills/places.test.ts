import { expect, test } from 'vitest'
import { clients } from '../clients/index.ts'
import { clientFolderAt, placesOf } from './places.ts'

const user = { home: '/h', clients: new Map([['claude-code', '/c']]) }

test('personal folders come first, then those of the project from the inside out, then the plugins', () => {
  const plugins = [{ name: 'tools', key: 'tools@m', folder: '/p/tools' }]
  const places = placesOf({ user, clients, folders: ['/r/sub', '/r'], plugins })
  const roots = places.map(({ root }) => root)
  expect(roots.slice(0, 4)).toEqual(['/c', '/h/.agents', '/r/sub/.claude', '/r/sub/.agents'])
  expect(roots.indexOf('/r/.claude')).toBeGreaterThan(roots.indexOf('/r/sub/.github'))
  expect(places.at(-1)).toEqual({ root: '/p/tools', scope: 'plugin', plugin: 'tools' })
})

test('the folder of a listed client counts once, and before those of other programs', () => {
  const [first] = clients.values()
  if (first === undefined) throw new Error('no client is listed')
  const folders = { ...first.folders, project: '.codex' }
  const known = new Map([...clients, ['codex', { ...first, name: 'codex', folders }]])
  const places = placesOf({ user, clients: known, folders: ['/r'], plugins: [] })
  expect(places.filter(({ root }) => root.startsWith('/r')).map(({ root }) => root)).toEqual(
    ['.claude', '.codex', '.agents', '.gemini', '.qwen', '.opencode', '.cursor', '.github'].map(
      (name) => `/r/${name}`,
    ),
  )
})

test.each([
  ['/r/.claude/commands', 'commands'],
  ['/r/.claude/agents/deep/er', 'agents'],
  ['/r/.codex/commands', 'commands'],
  ['/r/commands', undefined],
  ['/r/.claude/skills', undefined],
])('%s is a folder of %s', (path, kind) => {
  expect(clientFolderAt(path, clients)).toBe(kind)
})
