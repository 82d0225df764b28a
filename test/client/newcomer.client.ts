import { execFile, spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import about from '../../package.json' with { type: 'json' }
import { makeExecutable } from '../../scripts/package.ts'
import { RealClient } from './client.ts'
import { say, use } from './model-server.ts'
import { withoutNode } from './without-node.ts'

const run = promisify(execFile)

/** What a user does to install us, on a machine with these commands. */
const WAYS = [
  {
    name: 'the executable, without any Node',
    commands: (client: RealClient) => withoutNode(join(client.user.folder, 'commands')),
    install: async () => ({ program: await makeExecutable(), words: [] as readonly string[] }),
  },
  {
    name: 'the tarball, with the Node of this machine',
    commands: () => '/usr/bin',
    install: async (client: RealClient) => {
      await run('npm', ['pack', '--pack-destination', client.user.folder])
      const tarball = join(client.user.folder, `holdfast-${about.version}.tgz`)
      return { program: 'npx', words: ['--yes', `--package=${tarball}`, 'holdfast'] }
    },
  },
  {
    name: 'the clone, with the Node of this machine',
    commands: () => '/usr/bin',
    install: () =>
      Promise.resolve({ program: 'npm', words: ['--prefix', resolve('.'), 'exec', '--', 'holdfast'] }),
  },
] as const

test.each(WAYS)('$name: install, be refused, obey, finish, uninstall', async ({ commands, install }) => {
  await using client = await RealClient.start()
  const { HOME = '' } = client.user.env
  const own = join(HOME, '.local/bin')
  const env = {
    ...client.user.env,
    PATH: [own, commands(client)].join(delimiter),
    npm_config_cache: resolve('node_modules/.cache/npm'),
    npm_config_update_notifier: 'false',
  }
  const { program, words } = await install(client)
  const call = (path: string, ...more: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(path, more, { cwd: client.project, encoding: 'utf8', env })
    expect({ status, stdout, stderr }).toMatchObject({ status: 0, stderr: '' })
    return stdout
  }

  call(program, ...words, 'init', '--yes', '--allow-holdfast')
  call('holdfast', 'skill', 'new', 'deploy', '--notation', 'steps')
  call('holdfast', 'doctor')
  const read = (name: string) =>
    use('Read', { file_path: join(client.project, '.claude/skills/deploy/steps', `${name}.md`) })
  const shell = (command: string) => use('Bash', { command, description: 'Run it' })
  client.model.script('main', [
    read('check'),
    read('understand'),
    shell('holdfast step'),
    read('work'),
    shell('holdfast log "It is done."'),
    read('check'),
    say('Done.'),
  ])
  expect(await client.run('/deploy it', { env })).toMatchObject({ code: 0, stderr: '' })
  const results = client.model.last().toolResults()
  expect(results.map(({ isError }) => isError)).toEqual([true, false, false, false, false, false])
  expect(results[2]?.text).toContain('understand')
  expect(JSON.parse(call('holdfast', 'rpc', 'span.list'))).toMatchObject([
    { skill: 'deploy', status: 'completed', steps: ['understand', 'work', 'check'] },
  ])

  const told = call('holdfast', 'uninstall', '--all', '--yes')
  expect(told).toContain(`Stays: ${join(client.project, '.holdfast')}\n`)
  rmSync(client.user.clientConfig, { recursive: true })
  const left = readdirSync(HOME, { recursive: true, withFileTypes: true }).filter((one) => !one.isDirectory())
  expect(left.map(({ name }) => name).filter((name) => name !== '.claude.json')).toEqual([])
})
