import { describe, expect, test } from 'vitest'
import {
  directivePaths,
  directiveType,
  foldersUp,
  importsIn,
  kindOf,
  parentOf,
  referencePath,
  toldAfter,
  typesInForce,
} from './directive.ts'

describe('the types in force', () => {
  test('are the core ones, then what is declared, each once', () => {
    expect(typesInForce([])).toEqual(['AGENTS', 'INVARIANTS', 'ARCHITECTURE', 'COMMANDS', 'SIGILS'])
    expect(typesInForce(['TESTING.md', 'AGENTS.md', 'TESTING', 'House-Rules'])).toEqual([
      'AGENTS',
      'INVARIANTS',
      'ARCHITECTURE',
      'COMMANDS',
      'SIGILS',
      'TESTING',
      'House-Rules',
    ])
  })

  test.each([
    ['TESTING', 'TESTING'],
    ['TESTING.md', 'TESTING'],
    ['TESTING.md.md', 'TESTING.md'],
    ['PRÜFEN', 'PRÜFEN'],
    ['', undefined],
    ['.md', undefined],
    ['.', undefined],
    ['..', undefined],
    ['.hidden', undefined],
    ['../SECRET', undefined],
    ['a/b.md', undefined],
    ['a\\b', undefined],
    ['a b', undefined],
    ['A\n', undefined],
    ['A\0', undefined],
    ['X'.repeat(101), undefined],
  ])('%j is the type %j', (declared, type) => {
    expect(directiveType(declared)).toBe(type)
    expect(typesInForce([declared])).toHaveLength(type === undefined ? 5 : 6)
  })
})

describe('where things lie', () => {
  test('.directives comes before the folder itself', () => {
    expect(directivePaths('/p/a', 'AGENTS')).toEqual(['/p/a/.directives/AGENTS.md', '/p/a/AGENTS.md'])
    expect(directivePaths('/', 'AGENTS')).toEqual(['/.directives/AGENTS.md', '/AGENTS.md'])
  })

  test.each([
    ['CMD_X', 'command', '/p/.directives/commands/CMD_X.md'],
    ['FMT_X', 'format', '/p/.directives/formats/FMT_X.md'],
    ['INV_X', 'invariant', '/p/.directives/invariants/INV_X.md'],
  ] as const)('%s has a file of its own', (name, kind, path) => {
    expect(referencePath('/p', { name, kind })).toBe(path)
  })

  test.each([
    ['/p', '/p/a/b', ['/p/a/b', '/p/a', '/p']],
    ['/p', '/p', ['/p']],
    ['/', '/a/b', ['/a/b', '/a', '/']],
    ['/', '/', ['/']],
    // A root that is gone: its path is taken for that of a file.
    ['/p/q', '/p', ['/p/q']],
    ['/p', '/p/a/.directives', ['/p/a', '/p']],
    ['/p', '/p/a/.directives/commands', ['/p/a', '/p']],
    ['/p', '/p/.directives/x/.directives', ['/p']],
    ['/p', '/p/my.directives', ['/p/my.directives', '/p']],
    ['/p/.directives', '/p/.directives/a', ['/p/.directives/a', '/p/.directives']],
  ])('the way up to %s from %s is %j', (root, folder, folders) => {
    expect(foldersUp(root, folder)).toEqual(folders)
  })

  test.each([
    ['/a/b', '/a'],
    ['/a', '/'],
    ['/', '/'],
  ])('%s lies in %s', (path, parent) => {
    expect(parentOf(path)).toBe(parent)
  })
})

test.each([
  ['---\nrequired: before-writing\n---\nText', 'hard'],
  ['---\r\nname: x\r\nrequired:  before-writing \r\n---\r\n', 'hard'],
  ['---\nrequired: before-writing\n---', 'hard'],
  ['---\nrequired: true\n---\n', 'soft'],
  ['Text\n---\nrequired: before-writing\n---\n', 'soft'],
  ['required: before-writing', 'soft'],
  ['---\nrequired: before-writing\n', 'soft'],
  ['', 'soft'],
])('%j is of the kind %s', (text, kind) => {
  expect(kindOf(text)).toBe(kind)
})

test('instructions take in what they name with a sign', () => {
  expect(importsIn('See @AGENTS.md and\n@./docs/x.md, not me@home.org or `@code`')).toEqual([
    'AGENTS.md',
    './docs/x.md',
  ])
})

test('what was told last of a directive counts', () => {
  const [a, b] = ['/a', '/b']
  expect(
    toldAfter(
      [
        { path: a, how: 'refused' },
        { path: b, how: 'told' },
      ],
      [{ path: a, how: 'told' }],
    ),
  ).toEqual([
    { path: a, how: 'told' },
    { path: b, how: 'told' },
  ])
})
