import { expect, test } from 'vitest'
import { fit } from './wrap.ts'

const fitted = (text: string, width = 30) => fit(text, width).split('\n')

test('a line that fits stays as it is', () => {
  expect(fit('  a  b\n\nc', 6)).toBe('  a  b\n\nc')
})

test('a line with a wide first column continues near the margin, not far to the right', () => {
  const [, second = ''] = fit(`${'x'.repeat(36)}  ${'word '.repeat(12).trim()}`, 80).split('\n')
  expect(second).toMatch(/^ {2}word/)
})

test('a long line continues with two more columns of indentation', () => {
  expect(fitted('  one two three four five six seven')).toEqual([
    '  one two three four five six',
    '    seven',
  ])
})

test('columns keep the gaps between them', () => {
  expect(fitted('ok    daemon      it answers as it should')).toEqual([
    'ok    daemon      it answers',
    '  as it should',
  ])
})

test.each([
  [
    'a path',
    'Settings: /home/someone/.claude/settings.json is missing',
    '/home/someone/.claude/settings.json',
  ],
  [
    'a command at the end',
    'Plans are observed. Enforce them: holdfast enforce enforce --project ../other',
    'holdfast enforce enforce --project ../other',
  ],
  [
    'a command before more text',
    'Stop: holdfast daemon stop --now /home/someone. Then go on.',
    'holdfast daemon stop --now /home/someone.',
  ],
  [
    'a command in parentheses',
    'Installed: /home (holdfast uninstall --scope local) too',
    '(holdfast uninstall --scope local)',
  ],
  [
    'a command after a label',
    '  fix: mv /home/someone/a.json /home/someone/b.json',
    'mv /home/someone/a.json /home/someone/b.json',
  ],
  [
    'a command after a sentence',
    'Git does not ignore it. Fix: echo /a.json >>/home/someone/.gitignore',
    'echo /a.json >>/home/someone/.gitignore',
  ],
  [
    'a painted command',
    'next: \u001B[36mholdfast effort start . ship --args x\u001B[39m',
    '\u001B[36mholdfast effort start . ship --args x\u001B[39m',
  ],
  [
    'a command with a word in quotes',
    "  /home/bin/holdfast prove tests --effort 14 && /home/bin/holdfast step go '3: Publish it' --effort 14",
    "/home/bin/holdfast prove tests --effort 14 && /home/bin/holdfast step go '3: Publish it' --effort 14",
  ],
  [
    'a command in backticks',
    'Agents run `holdfast effort phase 3 implementation` alone',
    '`holdfast effort phase 3 implementation`',
  ],
])('%s is never cut, and stands alone if it is too long', (_, text, whole) => {
  expect(fitted(text).map((line) => line.trim())).toContain(whole)
  expect(fitted(text).join(' ').replaceAll(/ +/g, ' ')).toBe(text.replaceAll(/ +/g, ' '))
})

test('a sentence about holdfast is no command, and neither is a hint that begins a sentence', () => {
  for (const text of [
    'holdfast: holdfast ledger has an unexpected argument.',
    '  try: Fix the settings first, then run this command again.',
  ])
    for (const line of fitted(text)) expect(line.length).toBeLessThanOrEqual(30)
})
