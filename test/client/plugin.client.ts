import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { Finding } from '../../src/cli/doctor/check.ts'
import { RealClient } from './client.ts'
import { say, use } from './model-server.ts'

/** The commands of the README, after the name of the client. */
const toldLines = () =>
  [...readFileSync('README.md', 'utf8').matchAll(/`claude (plugin [^`]+)`/g)].map(([, line = '']) => line)

/** A client that installed the plugin like a user, in a project with a skill that has steps. */
async function plugged() {
  const client = await RealClient.start()
  for (const line of toldLines()) await client.commandIn(resolve('.'), ...line.split(' '))
  await client.user.json(['skill', 'new', 'deploy', '--notation', 'steps'])
  await client.user.json(['daemon', 'start'])
  const step = (name: string) => join(client.project, '.claude/skills/deploy/steps', `${name}.md`)
  return { client, step }
}

const findings = async (client: RealClient): Promise<readonly Finding[]> => {
  const { stdout } = await client.user.run(['doctor', '--json'], { env: client.holdfastOnPath() })
  const found = (JSON.parse(stdout) as { findings: readonly Finding[] }).findings
  return found.filter(({ check }) => check === 'hooks')
}

test('the client accepts the plugin and its marketplace, and there is no other manifest', async () => {
  await using client = await RealClient.start()
  for (const folder of ['.', 'plugin'])
    expect(await client.command('plugin', 'validate', '--strict', resolve(folder))).toContain('passed')
  // A manifest of the other standard makes some clients drop every hook.
  expect(['plugin.json', 'plugin/plugin.json'].filter((path) => existsSync(path))).toEqual([])
})

test('with only the plugin a skipped step is refused, and the model finds our skill', async () => {
  const { client, step } = await plugged()
  await using _ = client
  const read = (name: string) => use('Read', { file_path: step(name) })
  client.model.script('main', [read('check'), read('understand'), read('work'), say('Done.')])

  const { code, stderr } = await client.run('/deploy it', { env: client.holdfastOnPath() })

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [skipped, ...inOrder] = client.model.last().toolResults()
  expect(skipped).toMatchObject({ tool: 'Read', isError: true })
  expect(skipped?.text).toContain(`read ${step('understand')}`)
  expect(inOrder.map(({ isError }) => isError)).toEqual([false, false])
  expect(client.model.last().mentions('holdfast:working-with-holdfast')).toBe(true)
  expect(await findings(client)).toMatchObject([
    { ok: true, detail: expect.stringMatching(/holdfast.*hooks\.json: 17 test events arrived via command/) },
  ])
})

test('if the plugin and init would send every event twice, init and doctor say so', async () => {
  const { client } = await plugged()
  await using _ = client
  const off = 'claude plugin disable holdfast@holdfast'
  const { warnings } = await client.user.json<{ warnings: readonly string[] }>(['init', '--yes'])
  expect(warnings).toContainEqual(expect.stringContaining(off))
  expect(await findings(client)).toContainEqual(expect.objectContaining({ ok: false, fix: off }))
  await client.command('plugin', 'disable', 'holdfast@holdfast')
  expect((await findings(client)).every(({ ok }) => ok)).toBe(true)
})
