import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { assemble } from '../../scripts/assemble.ts'
import { RealClient } from './client.ts'
import type { ModelRequest } from './model-request.ts'
import { say, type Turn } from './model-server.ts'
import { obey, run } from './obeying.ts'

const packed = mkdtempSync(join(tmpdir(), 'holdfast-packed-'))
beforeAll(() => assemble(packed))
afterAll(() => rmSync(packed, { recursive: true }))

const README = readFileSync('README.md', 'utf8')

const VALUES = {
  questions: 'none',
  design: 'plans/counter/design.md',
  result: 'pass',
  report: 'review.md',
}
/** What the model must do itself in a step. */
const DEEDS: Readonly<Record<string, Turn>> = {
  write: run("mkdir -p plans/counter && echo '# Design: a counter' > plans/counter/design.md"),
}

/** The model begins as the text of the skill says, and does what is printed; a sub-agent that reviews passes it. */
function follow(client: RealClient, begins: string): void {
  let printed = ''
  const did = new Set<string>()
  client.model.script('main', (request: ModelRequest) => {
    const results = request.toolResults()
    const last = results.at(-1)
    if (last === undefined) return run(begins)
    const [, ending] = /(holdfast effort finish \d+ --result )/.exec(last.text) ?? []
    if (did.has('end')) return say('Done.')
    if (ending !== undefined) {
      did.add('end')
      return run(`${ending}'{"design": "${VALUES.design}"}'`)
    }
    if (/ --effort \d+/.test(last.text)) printed = last.text
    const [, step = ''] = / step done (\S+) /.exec(printed) ?? []
    const deed = DEEDS[step]
    if (deed !== undefined && !did.has(step)) {
      did.add(step)
      return deed
    }
    const isReported = last.tool === 'Agent'
    return isReported ? run('holdfast step') : obey(printed, VALUES)
  })
  client.model.script('agent', (request: ModelRequest) => {
    const [, first = ''] = /Start by invoking: (.*)/.exec(request.userTexts().join('\n')) ?? []
    const said = request.toolResults().at(-1)
    return said === undefined ? run(first) : obey(said.text, VALUES)
  })
}

test('by the words of the README, a skill is installed into an empty home, used at once to its end, and taken out', async () => {
  await using client = await RealClient.start()
  rmSync(client.user.clientConfig, { recursive: true })
  const { HOME = '' } = client.user.env
  const env = {
    ...client.user.env,
    PATH: [join(HOME, '.local/bin'), '/usr/bin', '/bin'].join(delimiter),
    npm_config_cache: resolve('node_modules/.cache/npm'),
  }
  const call = (line: string, cwd = client.project) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd, encoding: 'utf8', env })
    expect({ line, status, stderr }).toMatchObject({ status: 0, stderr: '' })
    return stdout
  }
  const [, install = ''] = /^(holdfast skill install \S+)/m.exec(README) ?? []
  const [, list = ''] = /^(holdfast skill list --catalogue)/m.exec(README) ?? []
  expect(README).toContain('npx holdfast init ')
  call(`npm --prefix '${resolve('.')}' exec -- holdfast init --yes --allow-holdfast`)
  expect(call(list)).toContain('design')
  expect(call(install)).toContain('/design')

  follow(client, 'holdfast step design --param request="a counter"')
  const { code, stderr } = await client.run('/design a counter', { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(existsSync(join(client.project, 'plans/counter/design.md'))).toBe(true)
  const efforts = JSON.parse(call('holdfast effort list --all --json')) as {
    skill: string
    lifecycle: string
  }[]
  expect(efforts.find(({ skill }) => skill === 'design')).toMatchObject({ lifecycle: 'finished' })

  call('holdfast uninstall --all --yes')
  expect(existsSync(join(client.user.clientConfig, 'skills'))).toBe(false)
  expect(existsSync(join(client.user.clientConfig, 'agents'))).toBe(false)
})

test('the plugin of the skills brings them with their agents, and they run by their names there', async () => {
  await using client = await RealClient.start()
  const lines = [...README.matchAll(/`claude (plugin [^`]+)`/g)].map(([, line = '']) => line)
  expect(lines.some((line) => line.includes('holdfast-skills@holdfast'))).toBe(true)
  for (const line of lines) await client.commandIn(packed, ...line.split(' '))
  follow(client, 'holdfast step design --param request="a counter"')
  const { code, stderr } = await client.run('/holdfast-skills:design a counter')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const efforts = await client.user.json<{ skill: string; lifecycle: string }[]>(['effort', 'list', '--all'])
  expect(efforts.map(({ skill, lifecycle }) => `${skill} ${lifecycle}`).toSorted()).toEqual([
    'holdfast-skills:design finished',
    'holdfast-skills:design/review finished',
  ])
  // What follows by default is called by its name in the plugin too.
  const asked = client.model.requests.some((one) => one.mentions('skill "holdfast-skills:handoff"'))
  expect(asked).toBe(true)
})
