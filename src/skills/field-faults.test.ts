import { describe, expect, test } from 'vitest'
import { HEAD } from '../model/diagnostic-examples.ts'
import { readAll } from './read-all.ts'

const codes = (text: string, { file = 'x/SKILL.md', isUtf8 = true } = {}) => {
  const disk = { exists: () => true, isUtf8: () => isUtf8, textFolders: [], above: 0 }
  return readAll([file], { textOf: () => text, disk }).flatMap(({ diagnostics }) =>
    diagnostics.map(({ code, line }) => `${code} ${line}`),
  )
}
const skill = (...lines: readonly string[]) => `---\nname: x\ndescription: d\n${lines.join('\n')}\n---\n`

describe('a field', () => {
  test.each([
    'allowed_tools',
    'allowedTools',
    'Allowed-Tools',
    'user_invocable',
    'when-to-use',
    'tools',
    'invocable',
  ])('of a skill gets a diagnostic if clients read another one: %s', (key) =>
    expect(codes(skill(`${key}: Read`))).toEqual(['HF111 4']),
  )

  test.each([
    'when_to_use',
    'arguments',
    'disallowed-tools',
    'shell',
    'background',
    'version',
    'priority',
    'tags',
    'origin',
  ])('of a skill that clients read, or that is a note of the author, gets none: %s', (key) =>
    expect(codes(skill(`${key}: Read`))).toEqual([]),
  )

  test('of another word is not said to be fixed by --fix', () => {
    const hintOf = (key: string) =>
      readAll(['x/SKILL.md'], { textOf: () => skill(`${key}: Read`) })[0]?.diagnostics[0]?.hint
    expect(hintOf('allowed_tools')).toContain('--fix')
    expect(hintOf('tools')).not.toContain('--fix')
  })

  test('of a command or agent is judged by its kind', () => {
    const at = (file: string, key: string) => codes(skill(`${key}: Read`), { file })
    expect(at('commands/x.md', 'argument_hint')).toEqual(['HF111 4'])
    expect(at('.claude/agents/x.md', 'tools')).toEqual([])
    expect(at('.claude/agents/x.md', 'allowed-tools')).toEqual(['HF111 4'])
    expect(at('.claude/agents/x.md', 'permission_mode')).toEqual(['HF111 4'])
  })
})

test('a description may be missing if the skill says when to use it, and in commands', () => {
  expect(codes('---\nname: x\n---\n')).toEqual(['HF105 1'])
  expect(codes('---\nname: x\nwhen_to_use: For tests.\n---\n')).toEqual([])
  expect(codes('---\nmodel: haiku\n---\n', { file: 'commands/x.md' })).toEqual([])
  expect(codes('---\nname: x\n---\n', { file: '.claude/agents/x.md' })).toEqual(['HF105 1'])
})

test('a replacement character is a fault only if the bytes are not UTF-8', () => {
  expect(codes(`${HEAD}caf\uFFFD\n`)).toEqual([])
  expect(codes(`${HEAD}caf\uFFFD\n`, { isUtf8: false })).toEqual(['HF112 5'])
})

describe('a second frontmatter', () => {
  test.each([
    ['right after the first', `${HEAD}---\nname: y\n---\n`, ['HF123 5']],
    ['after blank lines', `${HEAD}\n---\nname: y\ntools:\n  - Read\n---\n`, ['HF123 6']],
  ])('is found %s', (_, text, found) => {
    expect(codes(text)).toEqual(found)
  })

  test.each([
    ['horizontal rules', `${HEAD}---\n\nSome text.\n\n---\n`],
    ['fields further below', `${HEAD}\n# Title\n\n---\nname: y\n---\n`],
    ['a rule without an end', `${HEAD}---\nname: y\n`],
  ])('is not seen in %s', (_, text) => {
    expect(codes(text)).toEqual([])
  })
})
