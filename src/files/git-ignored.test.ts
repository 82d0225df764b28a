import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gitIgnored } from './git-ignored.ts'

const ME = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']

function repository(ignored: string): { root: string; git: (...words: readonly string[]) => void } {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-ignored-'))
  const git = (...words: readonly string[]) => void execFileSync('git', ['-C', root, ...ME, ...words])
  git('init', '-q')
  writeFileSync(join(root, '.gitignore'), ignored)
  return { root, git }
}

const ignoredOf = async (root: string, ...paths: readonly string[]) => [...(await gitIgnored(root, paths))]

test('what git ignores is told, and what it tracks all the same is not', async () => {
  const { root, git } = repository('*.log.md\n')
  writeFileSync(join(root, 'kept.log.md'), 'x')
  git('add', '-f', 'kept.log.md')
  expect(await ignoredOf(root, 'a.md', 'kept.log.md', 'b.log.md')).toEqual(['b.log.md'])
})

test('a submodule and a name that git takes for a pattern hide nothing of what is ignored', async () => {
  const { root, git } = repository('secret.md\n')
  const { root: other, git: inOther } = repository('own.md\n')
  writeFileSync(join(other, 'a.md'), 'x')
  inOther('add', '.')
  inOther('commit', '-qm', 'x')
  git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'sub')
  const asked = [':!z.md', ':(top)y.md', 'sub/a.md', 'sub/own.md', 'secret.md']
  expect(await ignoredOf(root, ...asked)).toEqual(['sub/own.md', 'secret.md'])
})

test('a folder of a repository asks about its own paths', async () => {
  const { root } = repository('/below/secret.md\n')
  mkdirSync(join(root, 'below'))
  expect(await ignoredOf(join(root, 'below'), 'secret.md', 'other.md')).toEqual(['secret.md'])
})

test('no program runs that the config of a repository names', async () => {
  const { root, git } = repository('secret.md\n')
  const program = join(root, 'program.sh')
  writeFileSync(program, `#!/bin/sh\n>${join(root, 'ran')}\n`)
  chmodSync(program, 0o755)
  git('config', 'core.fsmonitor', program)
  expect(await ignoredOf(root, 'secret.md')).toEqual(['secret.md'])
  expect(existsSync(join(root, 'ran'))).toBe(false)
})

test('outside of a repository nothing is ignored; where git cannot tell, nothing is guessed', async () => {
  const plain = mkdtempSync(join(tmpdir(), 'holdfast-ignored-'))
  expect(await ignoredOf(plain, 'a.md')).toEqual([])
  const { root } = repository('secret.md\n')
  writeFileSync(join(root, '.git/config'), 'no config')
  await expect(gitIgnored(root, ['secret.md'])).rejects.toThrow(/cannot say what it ignores/)
})
