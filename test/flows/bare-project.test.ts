import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { User } from '../holdfast.ts'

let user: User
beforeAll(() => {
  user = new User()
})
afterAll(() => user[Symbol.asyncDispose]())

const NEXT = 'holdfast skill new NAME --notation steps'
const shown = async (...words: string[]) => (await user.run(words)).stdout

test('status without a skill names the command that creates one, also in a registered project', async () => {
  expect(await shown('status')).toContain(`next: ${NEXT}\n`)
  await user.json(['project', 'upsert', '.'])
  expect(await shown('status')).toContain(`next: ${NEXT}\n`)
  await user.json(['skill', 'new', 'plain', '--notation', 'plain'])
  expect(await shown('status')).toMatch(/^next:\s+holdfast effort start .*\/\.holdfast\/tasks\/SKILL SKILL$/m)
})

test('a skill without a plan is listed and checked with the reason, in one line', async () => {
  const folder = join(user.project, '.claude/skills/hand')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), '---\nname: hand\ndescription: By hand.\n---\nDo it.\n')
  for (const verb of ['list', 'check']) {
    const text = (await shown('skill', verb, '.claude/skills/hand')).replaceAll(/\s+/g, ' ')
    expect(text).toContain(`hand is not enforceable: it has no plan. Create an example: ${NEXT}`)
  }
  await user.json(['skill', 'new', 'planned', '--notation', 'steps'])
  expect(await shown('skill', 'check', '.claude/skills/planned')).not.toContain('not enforceable')
})
