import { expect, test } from 'vitest'
import { bubblewrap, type Lies, seatbelt } from './contain.ts'

const LOCK = { unread: ['/p/steps', '/p/one.md'], unwritten: ['/p/skills', '/p/.mcp.json'] }
const LYING: Readonly<Record<string, Lies>> = {
  '/p/steps': 'folder',
  '/p/one.md': 'file',
  '/p/skills': 'folder',
}

test('bubblewrap hides what is not read, and keeps what is not written', () => {
  const words = bubblewrap(LOCK, (path) => LYING[path] ?? 'nothing').join(' ')
  expect(words).toMatch(/^bwrap --bind \/ \/ .* --$/)
  expect(words).toContain('--ro-bind /p/skills /p/skills')
  expect(words).toContain('--ro-bind /dev/null /p/.mcp.json')
  expect(words).toContain('--tmpfs /p/steps')
  expect(words).toContain('--ro-bind /dev/null /p/one.md')
})

test('Seatbelt gets the same denials as a profile, after all that it allows', () => {
  expect(seatbelt({ unread: ['/p/a "b"'], unwritten: ['/p/skills'] })).toBe(
    [
      '(version 1)',
      '(allow default)',
      '(deny file-write* (subpath "/p/skills"))',
      String.raw`(deny file-read* file-write* (subpath "/p/a \"b\""))`,
    ].join('\n'),
  )
})
