import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { clients } from '../clients/index.ts'
import { MOST_FILES } from '../skills/text/bounds.ts'
import { textsAt } from './skill-at.ts'
import { type Code, runCode } from './skill-code.ts'

const FILES = {
  'SKILL.md': '---\nname: x\ndescription: d\n---\n',
  'workflow.ts': "import { b } from './lib/b.mjs'\nexport const workflow = { b }\n",
  'lib/b.mjs': 'export const b = 1\n',
}

/** The code of a skill with these files. */
async function codeOf(files: Readonly<Record<string, string>>): Promise<Code | undefined> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-test-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return (await textsAt(folder, clients))?.code
}

const digestOf = async (more: Readonly<Record<string, string>> = {}) =>
  (await codeOf({ ...FILES, ...more }))?.digest

test('the digest is the same in every folder, and says nothing of texts, types and installed packages', async () => {
  const digest = await digestOf()
  expect(digest).toMatch(/^[0-9a-f]{64}$/)
  const others = {
    'SKILL.md': `${FILES['SKILL.md']}More.\n`,
    'holdfast.yaml': 'heartbeat: 5\n',
    'types/holdfast-workflow.d.ts': 'export declare const a: 1\n',
    'types/b.d.cts': 'export declare const b: 1\n',
    'tsconfig.json': '{}\n',
    'data/table.csv': '1\n',
    '.gitignore': 'out\n',
    'node_modules/p/index.js': '1\n',
  }
  expect(await digestOf(others)).toBe(digest)
})

test.each([
  ['the module', { 'workflow.ts': `${FILES['workflow.ts']} ` }],
  ['a file that it imports', { 'lib/b.mjs': 'export const b = 2\n' }],
  ['one that it does not', { 'deep/er/c.js': '' }],
  ['one of another extension', { 'c.mts': '' }],
  ['a script that a step may run', { 'scripts/count.sh': 'exit 0\n' }],
  ['one in another language', { 'scripts/lib/count.py': '' }],
  ['one that Node, a build or a shell runs as it is', { 'c.cts': '' }],
  ['a part of a makefile', { 'build/rules.mk': '' }],
  ['a filter', { 'scripts/count.awk': '' }],
  ['a program without an extension', { 'bin/count': '#!/bin/sh\n' }],
])('the digest changes with %s', async (_, more) => {
  expect(await digestOf(more)).not.toBe(await digestOf())
})

test('moved text makes another digest', async () => {
  const [a, b] = await Promise.all([
    digestOf({ 'a.js': 'x', 'b.js': '' }),
    digestOf({ 'a.js': '', 'b.js': 'x' }),
  ])
  expect(a).not.toBe(b)
})

test('a skill without a module has no code, and one with too much has none that could be trusted', async () => {
  expect(await codeOf({ 'SKILL.md': FILES['SKILL.md'], 'x.js': '1' })).toBeUndefined()
  expect(await codeOf({ ...FILES, 'x.js': 'x'.repeat(600_000) })).toBeUndefined()
  const many = Array.from({ length: MOST_FILES }, (__, index) => [`m/${index}.js`, ''] as const)
  expect(await codeOf({ ...FILES, ...Object.fromEntries(many) })).toBeUndefined()
})

test('what runs is the code of the digest, from a copy that is gone afterwards', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const code = await codeOf(FILES)
  const missing = await codeOf({
    ...FILES,
    'workflow.ts': "export { a as workflow } from './types/a.d.ts'\n",
  })
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(code && (await runCode(code))).toEqual({ exported: { b: 1 } })
  expect(missing && (await runCode(missing))).toMatchObject({ error: expect.stringContaining('a.d.ts') })
  expect(readdirSync(folder)).toEqual([])
})
