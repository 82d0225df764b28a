import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { textFilesIn, textSource } from './text-sources.ts'

function projectWith(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-texts-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

test('the texts of a project are those that its git does not ignore, and the notes on its tasks', async () => {
  const root = projectWith({
    'README.md': 'x',
    'src/a.ts': 'x',
    'build/out.md': 'x',
    'node_modules/p/README.md': 'x',
    '.holdfast/tasks/one/log.md': 'x',
    '.gitignore': 'build/\n.holdfast/\n',
  })
  execFileSync('git', ['init', '-q', root])
  expect(await textFilesIn(root)).toEqual(['.holdfast/tasks/one/log.md', 'README.md'])
})

test('a folder without git has all its texts', async () => {
  const root = projectWith({ 'a.md': 'x', 'b/c.txt': 'x' })
  expect(await textFilesIn(root)).toEqual(['a.md', 'b/c.txt'])
})

test('a source is the pieces of a file; what is no text, or gone, is none', async () => {
  const root = projectWith({ 'guide.md': '# Guide\n\nText.', 'b.md': 'a\0b' })
  symlinkSync('missing', join(root, 'c.md'))
  expect(await textSource(root, 'guide.md')).toMatchObject({
    source_type: 'doc',
    source_path: 'guide.md',
    digest: expect.stringMatching(/^[\da-f]{64}$/) as string,
    chunks: [{ line: 3, heading: 'Guide', text: 'Text.' }],
  })
  const { mtimeMs } = statSync(join(root, 'guide.md'))
  expect(await textSource(root, 'guide.md', new Date(mtimeMs).toISOString())).toBe('same')
  expect(await textSource(root, 'b.md')).toBeUndefined()
  expect(await textSource(root, 'c.md')).toBeUndefined()
})

test('the steps of a skill or a runbook are no sources, because each is read when its turn has come', async () => {
  const root = projectWith({
    'skills/ship/SKILL.md': 'x',
    'skills/ship/steps/check.md': 'x',
    'skills/notes.md': 'x',
    'plans/login/runbook.md': 'x',
    'plans/login/steps/step-1.md': 'x',
  })
  expect(await textFilesIn(root)).toEqual([
    'plans/login/runbook.md',
    'skills/notes.md',
    'skills/ship/SKILL.md',
  ])
})
