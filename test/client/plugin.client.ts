import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { assemble } from '../../scripts/assemble.ts'
import type { Finding } from '../../src/cli/doctor/check.ts'
import { findHome } from '../../src/daemon/home.ts'
import { readLauncher } from '../../src/daemon/launcher.ts'
import { RealClient } from './client.ts'
import { say, use } from './model-server.ts'
import { hasTmux } from './terminal.ts'
import { withoutNode } from './without-node.ts'

/** Our package, as a user has it. */
const packed = mkdtempSync(join(tmpdir(), 'holdfast-packed-'))

beforeAll(() => assemble(packed))
afterAll(() => rmSync(packed, { recursive: true }))

/** The commands of the README, after the name of the client, without those for the skills. */
const toldLines = () =>
  [...readFileSync('README.md', 'utf8').matchAll(/`claude (plugin [^`]+)`/g)]
    .map(([, line = '']) => line)
    .filter((line) => !line.includes('holdfast-skills'))

/** A client that installed the plugin like a user, in a project with a skill that has steps. */
async function plugged(from: (client: RealClient) => string = () => packed) {
  const client = await RealClient.start()
  for (const line of toldLines()) await client.commandIn(from(client), ...line.split(' '))
  await client.user.json(['skill', 'new', 'deploy', '--notation', 'steps'])
  const step = (name: string) => join(client.project, '.claude/skills/deploy/steps', `${name}.md`)
  return { client, step }
}

const shell = (command: string) => use('Bash', { command, description: 'Run it' })

const findings = async (client: RealClient, group = 'hooks'): Promise<readonly Finding[]> => {
  const { stdout } = await client.user.run(['doctor', '--json'], { env: client.holdfastOnPath() })
  const found = (JSON.parse(stdout) as { findings: readonly Finding[] }).findings
  return found.filter(({ check }) => check === group)
}

test('the client accepts the plugin and its marketplace, and there is no other manifest', async () => {
  await using client = await RealClient.start()
  for (const folder of ['.', 'plugin', 'contents'])
    expect(await client.command('plugin', 'validate', '--strict', resolve(folder))).toContain('passed')
  // A manifest of the other standard makes some clients drop every hook.
  expect(['plugin.json', 'plugin/plugin.json'].filter((path) => existsSync(path))).toEqual([])
})

test('only the plugin, without holdfast on the PATH: a skipped step is refused, and the agent can call holdfast', async () => {
  const { client, step } = await plugged()
  await using _ = client
  const home = findHome(client.user.env)
  const read = (name: string) => use('Read', { file_path: step(name) })
  client.model.script('main', [
    read('check'),
    read('understand'),
    shell('holdfast status'),
    read('work'),
    say('Done.'),
  ])
  const PATH = [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter)

  expect(existsSync(home.folder)).toBe(false)
  const { code, stderr } = await client.run('/deploy it', { env: { PATH } })

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [skipped, ...inOrder] = client.model.last().toolResults()
  expect(skipped).toMatchObject({ tool: 'Read', isError: true })
  expect(skipped?.text).toContain(`read ${step('understand')}`)
  expect(inOrder.map(({ isError }) => isError)).toEqual([false, false, false])
  expect(inOrder[1]?.text).toContain('deploy')
  expect(client.model.last().mentions('holdfast:working-with-holdfast')).toBe(true)
  expect(readLauncher(home)?.entry).toBe(join(packed, 'plugin/program/bin/holdfast.js'))
  expect(await findings(client)).toMatchObject([
    { ok: true, detail: expect.stringMatching(/holdfast.*hooks\.json: 17 test events arrived via command/) },
  ])
})

const OFF = 'Holdfast is off: it finds no Node 24.12 or newer.'

test('only the plugin, without a Node: the client tells it once, and the agent works as without it', async () => {
  const { client, step } = await plugged()
  await using _ = client
  const PATH = withoutNode(join(client.user.folder, 'commands'))
  const run = async () => {
    client.model.script('main', [
      use('Read', { file_path: step('check') }),
      shell('holdfast status'),
      say('Done.'),
    ])
    const { code, stderr, events } = await client.run('/deploy it', { env: { PATH } })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return events.filter(({ stdout }) => stdout !== undefined && stdout !== '').map(({ stdout }) => stdout)
  }

  expect(await run()).toEqual([expect.stringContaining(`{"systemMessage":"${OFF}`)])
  const [read, status] = client.model.last().toolResults()
  expect(read).toMatchObject({ isError: false })
  expect(status).toMatchObject({ isError: true, text: expect.stringContaining(OFF) })
  expect(await run()).toEqual([])
  expect(existsSync(findHome(client.user.env).folder)).toBe(false)
})

test('only the plugin, without a Node: a terminal shows what to do', async ({ skip }) => {
  skip(!hasTmux, 'there is no tmux')
  const { client } = await plugged()
  await using _ = client
  client.model.script('main', [say('Working without it.')])
  const PATH = withoutNode(join(client.user.folder, 'commands'))
  using terminal = client.inTerminal('Look around', [], { PATH })
  await terminal.shows('Working without it.')
  expect(await terminal.shows(OFF)).toContain('https://nodejs.org')
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

test('doctor finds a plugin whose folder is gone, and its fix helps', async () => {
  const { client } = await plugged(({ user }) => {
    const folder = join(user.folder, 'package')
    cpSync(packed, folder, { recursive: true })
    return folder
  })
  await using _ = client
  const folder = join(client.user.folder, 'package')
  expect(await findings(client, 'plugin')).toMatchObject([
    { ok: true, detail: `holdfast@holdfast runs from ${join(folder, 'plugin')}.` },
  ])
  rmSync(folder, { recursive: true })
  expect(await client.command('plugin', 'list')).toContain('failed to load')
  const [found] = await findings(client, 'plugin')
  expect(found).toMatchObject({
    code: 'plugin-dead',
    fix: 'claude plugin disable holdfast@holdfast && holdfast init --yes',
  })
  await client.command('plugin', 'disable', 'holdfast@holdfast')
  await client.user.json(['init', '--yes'])
  expect(await findings(client, 'plugin')).toEqual([])
  expect((await findings(client)).every(({ ok }) => ok)).toBe(true)
})
