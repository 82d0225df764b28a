import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
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

test('a repository below a project is a project of its own, which may keep its texts to itself', async () => {
  const root = projectWith({
    'a.md': 'x',
    'inner/b.md': 'x',
    'inner/deep/c.md': 'x',
    'tree/.git': 'x',
    'tree/d.md': 'x',
  })
  execFileSync('git', ['init', '-q', root])
  execFileSync('git', ['init', '-q', join(root, 'inner')])
  expect(await textFilesIn(root)).toEqual(['a.md'])
  expect(await textFilesIn(join(root, 'inner'))).toEqual(['b.md', 'deep/c.md'])
})

test('a session in the home of the user, or above it, makes nobody read all that lies there', async () => {
  const root = projectWith({ 'a.md': 'x', 'home/b.md': 'x', 'home/app/c.md': 'x' })
  const home = join(root, 'home')
  expect(await textFilesIn(home, home)).toEqual([])
  expect(await textFilesIn(root, home)).toEqual([])
  expect(await textFilesIn(join(home, 'app'), home)).toEqual(['c.md'])
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

test('of a skill in any spelling, and of one around the project, nothing is a source but what its call shows', async () => {
  const root = projectWith({
    'lower/skill.md': 'x',
    'lower/reference.md': 'x',
    'lower/steps/SKILL.md': 'x',
    'plans/domain-steps/1.md': 'x',
    'plans/Steps-b/1.md': 'x',
    'other/mySKILL.md': 'x',
    'other/SKILL.md': 'x',
  })
  expect(await textFilesIn(root)).toEqual(['lower/skill.md', 'other/SKILL.md'])
  expect(await textFilesIn(join(root, 'lower/steps'))).toEqual([])
})

test('a repository that is a skill has one source', async () => {
  const root = projectWith({ 'SKILL.md': 'x', 'phases/1.md': 'x' })
  expect(await textFilesIn(root)).toEqual(['SKILL.md'])
})

test('links are not followed: neither out of the project, nor to a step, nor in a loop', async () => {
  const outside = projectWith({ 'secret.md': 'x' })
  const root = projectWith({ 'z/real.md': 'x', 'skills/ship/SKILL.md': 'x', 'skills/ship/steps/1.md': 'x' })
  symlinkSync(outside, join(root, 'a'))
  symlinkSync(join(outside, 'secret.md'), join(root, 'b.md'))
  symlinkSync('skills/ship/steps/1.md', join(root, 'c.md'))
  symlinkSync('skills/ship/steps', join(root, 'd'))
  symlinkSync('z', join(root, 'e'))
  symlinkSync('..', join(root, 'z/loop'))
  expect(await textFilesIn(root)).toEqual(['skills/ship/SKILL.md', 'z/real.md'])
})

test('what takes the place of a file after the walk is no source: a link, a pipe, a folder, a link above it', async () => {
  const outside = projectWith({ 'a.md': 'secret', 'b/a.md': 'secret' })
  const root = projectWith({ 'a.md': 'x', 'b/a.md': 'x', 'p.md': 'x' })
  for (const name of ['a.md', 'p.md']) rmSync(join(root, name))
  renameSync(join(root, 'b'), join(root, 'was'))
  symlinkSync(join(outside, 'a.md'), join(root, 'a.md'))
  symlinkSync(join(outside, 'b'), join(root, 'b'))
  execFileSync('mkfifo', [join(root, 'p.md')])
  mkdirSync(join(root, 'd.md'))
  for (const path of ['a.md', 'b/a.md', 'p.md', 'd.md']) expect(await textSource(root, path)).toBeUndefined()
})
