import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { trustedModules } from '../scripts/trusted-modules.ts'
import { clients } from '../src/clients/index.ts'
import { textsAt } from '../src/files/skill-at.ts'

function contents(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-contents-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

const SKILL = '---\nname: x\ndescription: Does x.\n---\n'
const module = (next: string) =>
  `export const workflow = { name: 'x', steps: [{ id: 'a', title: 'A', next: { ok: ${next} } }] }\n`

test('the workflow modules of the package become data by the digest of their code', async () => {
  const folder = contents({
    'skills/one/SKILL.md': SKILL,
    'skills/one/workflow.ts': module('null'),
    'skills/plain/SKILL.md': SKILL,
  })
  const { code } = (await textsAt(join(folder, 'skills/one'), clients)) ?? {}
  expect(await trustedModules(folder)).toEqual({
    [code?.digest ?? '']: {
      skill: 'one',
      exported: { name: 'x', steps: [{ id: 'a', title: 'A', next: { ok: null } }] },
      texts: {},
    },
  })
})

test('a package without skills has none, and one with a faulty workflow is not made', async () => {
  expect(await trustedModules(contents({ 'SIGILS.md': '' }))).toEqual({})
  const faulty = contents({ 'skills/one/SKILL.md': SKILL, 'skills/one/workflow.ts': module("'gone'") })
  await expect(trustedModules(faulty)).rejects.toThrow('gone')
})
