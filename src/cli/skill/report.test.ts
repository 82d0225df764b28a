import { describe, expect, test } from 'vitest'
import { clients } from '../../clients/index.ts'
import { diagnose } from '../../model/diagnostic.ts'
import { systemIo } from '../frame/io.ts'
import { readAll } from '../../skills/read-all.ts'
import { describeDiagnostics, inOrder, isListed, sarif } from './report.ts'

const io = { ...systemIo(false), cwd: '/project', color: false }
const at = (column: number, file = 'a/SKILL.md') => diagnose('HF115', { file, line: 1, column }, 'Wrong.')

/** The line that is shown, and the part of it above the caret. */
function pointed(line: string, column: number) {
  const [text = ''] = describeDiagnostics(io, [at(column)], { root: '/project', lines: () => [line] })
  const [, shown = '', caret = ''] = text.split('\n')
  return { shown, caret: caret.indexOf('^') }
}

describe('the caret', () => {
  test('is below the character, after tabs as after blanks', () => {
    expect(pointed('a\tb', 3)).toEqual({ shown: '1 | a b', caret: 6 })
  })

  test('counts wide characters as two columns, and combining marks as none', () => {
    const caret = (before: string) => pointed(`${before}!`, before.length + 1).caret - 4
    expect(caret('日本語')).toBe(6)
    expect(caret('한국어 ')).toBe(7)
    expect(caret('🚀 ')).toBe(3)
    expect(caret('e\u0301 ')).toBe(2)
    expect(caret('\u{20000}')).toBe(2)
  })

  test('of a long line points into the part that is shown', () => {
    const { shown, caret } = pointed(`${'x'.repeat(500)}!${'y'.repeat(500)}`, 501)
    expect(shown[caret]).toBe('!')
    expect(shown.length).toBeLessThan(200)
  })

  test('of a line that is wider than the terminal points into the part that fits', () => {
    const narrow = { ...io, isTerminal: true, width: 40 }
    for (const column of [2, 30, 38, 101]) {
      const line = `${'x'.repeat(column - 1)}!${'y'.repeat(500)}`
      const [text = ''] = describeDiagnostics(narrow, [at(column)], { root: '/project', lines: () => [line] })
      const [, shown = '', caret = ''] = text.split('\n')
      expect(shown[caret.indexOf('^')]).toBe('!')
      expect(shown.length).toBeLessThanOrEqual(40)
    }
  })
})

test('findings follow the order of each file', () => {
  const place = (file: string, line: number) => ({ ...at(1, file), line })
  const told = inOrder([place('a', 3), place('b', 1), place('a', 2), place('b', 2), place('a', 9)])
  expect(told.map(({ file, line }) => `${file}${line}`)).toEqual(['a2', 'a3', 'a9', 'b1', 'b2'])
})

describe('paths', () => {
  const uri = (root: string, file: string) =>
    sarif(io, root, [at(1, file)]).runs[0]?.results[0]?.locations[0]?.physicalLocation.artifactLocation.uri

  test('are relative to the current folder, whatever folder was checked', () => {
    const [text] = describeDiagnostics(io, [at(1)], { root: '/project/skills', lines: () => [] })
    expect(text).toContain('skills/a/SKILL.md:1:1: warning HF115')
    expect(uri('/project/skills', 'my skill/SKILL.md')).toBe('skills/my%20skill/SKILL.md')
  })

  test('outside the current folder are absolute', () => {
    expect(uri('/other', 'a/SKILL.md')).toBe('file:///other/a/SKILL.md')
  })
})

test('commands are listed if they have a plan, and skills always', () => {
  const files: Readonly<Record<string, string>> = {
    'x/SKILL.md': 'Text.\n',
    '.claude/commands/tidy.md': '## Step 1: Look\n\n## Step 2: Act\n',
    '.claude/commands/greet.md': 'Say hello.\n',
    '.claude/agents/critic.md': '## Step 1: Look\n\n## Step 2: Act\n',
  }
  const parsed = readAll(Object.keys(files), { textOf: (path) => files[path] ?? '', clients })
  expect(
    parsed
      .filter(isListed)
      .map(({ definition }) => definition.id)
      .toSorted(),
  ).toEqual(['tidy', 'x'])
})
