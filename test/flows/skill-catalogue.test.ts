import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Shipped } from '../../src/model/catalogue.ts'
import { age, InstallingUser, OURS } from '../installing-user.ts'

const CATALOGUE = JSON.parse(readFileSync(join(OURS, 'catalogue.json'), 'utf8')) as readonly Shipped[]

let user: InstallingUser
beforeAll(() => void (user = new InstallingUser()))
afterAll(async () => await user[Symbol.asyncDispose]())

test('an unknown name is answered with the nearest ones, and with the command that lists all', async () => {
  const { stderr } = await user.run(['skill', 'install', 'desing'])
  expect(stderr).toContain('did you mean design?')
  expect(stderr).toContain('holdfast skill list --catalogue')
})

test('the catalogue shows every shipped skill, what it costs, and where it is installed', async () => {
  await user.install('commit')
  await user.install('commit', '--scope', 'project')
  age(user.skill('commit'), 'SKILL.md')
  const listed = await user.json<readonly (Shipped & { installed: object[] })[]>([
    'skill',
    'list',
    '--catalogue',
  ])
  expect(listed.map(({ name }) => name)).toEqual(readdirSync(join(OURS, 'skills')).toSorted())
  expect(listed.find(({ name }) => name === 'commit')?.installed).toMatchObject([
    { scope: 'user', state: 'older' },
    { scope: 'project', state: 'current' },
  ])
  const { stdout } = await user.run(['skill', 'list', '--catalogue'])
  for (const { name, tokens, summary } of CATALOGUE) {
    expect(stdout).toContain(name)
    expect(stdout).toContain(`${tokens} tokens`)
    expect(stdout).toContain(summary)
  }
})
