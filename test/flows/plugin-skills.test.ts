import { afterAll, beforeAll, expect, test } from 'vitest'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Skill } from '../../src/model/skill.ts'
import { SkilledUser } from '../skilled-user.ts'

/** The plugin of our skills, as a client has it, and a plugin of somebody else with a skill of a name of ours. */
const PLUGINS = { 'holdfast-skills': resolve('contents'), other: '' }

let user: SkilledUser
beforeAll(() => {
  user = new SkilledUser()
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const places = { ...PLUGINS, other: join(user.folder, 'other') }
  const plugins = Object.fromEntries(
    Object.entries(places).map(([name, installPath]) => [`${name}@m`, [{ scope: 'user', installPath }]]),
  )
  const enabledPlugins = Object.fromEntries(Object.keys(plugins).map((name) => [name, true]))
  write(join(user.clientConfig, 'plugins/installed_plugins.json'), JSON.stringify({ version: 2, plugins }))
  write(join(user.clientConfig, 'settings.json'), JSON.stringify({ enabledPlugins }))
  const text = (name: string) => `---\nname: ${name}\ndescription: Does it. Use it.\n---\n\nDo it.\n`
  write(join(places.other, 'skills/planner/SKILL.md'), text('planner'))
  write(join(user.clientConfig, 'skills/commit/SKILL.md'), text('commit'))
})
afterAll(async () => await user[Symbol.asyncDispose]())

test('a skill of a plugin begins by the name that its own text tells, and is trusted as in the package', async () => {
  const { stdout } = await user.run(['step', 'design', '--param', 'request=a counter'])
  expect(stdout).toContain('holdfast step done understand')
  const efforts = await user.json<{ skill: string }[]>(['effort', 'list'])
  expect(efforts.map(({ skill }) => skill)).toEqual(['holdfast-skills:design'])
})

test('it hands work to the agents of its plugin by the names that the client knows', async () => {
  const { id: project_id } = await user.json<{ id: number }>(['project', 'upsert', user.project])
  const { plan } = await user.ask<Skill>('db.skills.get', { name: 'holdfast-skills:design', project_id })
  const agents = plan?.steps.flatMap(({ dispatch }) => dispatch?.agent ?? [])
  expect(agents).toEqual(['holdfast-skills:design-vet'])
})

test('a bare name means no plugin if a skill of the user or of another plugin has it too', async () => {
  const { stderr, code } = await user.run(['step', 'planner', '--param', 'request=x'])
  expect({ code, stderr }).not.toMatchObject({ code: 0 })
  const commit = await user.run(['step', 'commit', '--param', 'scope=x'])
  expect(commit.code).not.toBe(0)
  expect(await user.json<{ skill: string }[]>(['effort', 'list'])).toHaveLength(1)
})
