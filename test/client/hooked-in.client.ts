import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findHome } from '../../src/daemon/home.ts'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import { guardSays } from '../../src/hook/commands.ts'
import { FAILURES } from '../failures.ts'
import { RealClient } from './client.ts'
import { say, use } from './model-server.ts'

const run = (command: string) => use('Bash', { command, description: 'Run it' })

test.each(['user', 'local', 'project'])(
  'after init for %s the client runs our hooks without an error, and uninstall restores its settings',
  async (scope) => {
    await using client = await RealClient.start()
    const before = '{ "model": "opus" }'
    const settings = join(client.user.clientConfig, 'settings.json')
    writeFileSync(settings, before)
    const { canaries } = await client.user.json<{ canaries: object[] }>(['init', '--scope', scope, '--yes'])
    const file = client.write('file.md', 'text')
    client.model.script('main', [use('Read', { file_path: file }), run('echo one')])

    const { code, stderr, events } = await client.run('Read it')

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.stringify(events)).not.toMatch(/hook error|hook_error|ECONNREFUSED/i)
    expect(client.model.last().toolResults()).toMatchObject([
      { tool: 'Read', isError: false },
      { tool: 'Bash', isError: false, text: 'one' },
    ])
    // SessionStart, the prompt, two tools before and after, Stop and SessionEnd.
    const { hooks } = await client.user.json<DaemonStatus>(['daemon', 'status'])
    expect(hooks).toBeGreaterThanOrEqual(canaries.length + 8)
    await client.user.json(['uninstall'])
    expect(readFileSync(settings, 'utf8')).toBe(before)
  },
)

test('in a strict project with a dead daemon, tools are refused until holdfast restarts it', async () => {
  await using client = await RealClient.start()
  await client.user.json(['init', '--strict', '--yes'])
  const read = use('Read', { file_path: client.write('file.md', 'text') })
  const { pid } = await client.user.json<{ pid: number }>(['daemon', 'status'])
  const turns = [
    read,
    run('ls'),
    run('holdfast daemon status; ls'),
    run('holdfast daemon start'),
    run('ls'),
    read,
  ]
  client.model.script('main', () => {
    if (turns.length === 6) process.kill(pid, 'SIGKILL')
    return turns.shift() ?? say('Done.')
  })
  await client.run('Go', { env: client.holdfastOnPath() })
  const results = client.model.last().toolResults()
  expect(results.map(({ isError }) => isError)).toEqual([true, true, true, false, false, false])
  for (const { text } of results.slice(0, 3))
    expect(text).toContain(guardSays(findHome(client.user.env).launcher))
})

test('in a strict project with a locked database, model and user read the reason, and holdfast runs', async () => {
  await using client = await RealClient.start()
  await client.user.json(['init', '--strict', '--yes'])
  client.model.script('main', [
    use('Read', { file_path: client.write('file.md', 'text') }),
    run('ls'),
    run('holdfast --version'),
  ])
  const unlock = await FAILURES['another program has locked the database']?.begin(client.user)
  const { events } = await client.run('Go', { env: client.holdfastOnPath() })
  await unlock?.()
  const shown = events.flatMap(({ subtype, content }) => (subtype === 'informational' ? [content] : []))
  expect(shown).toContainEqual(expect.stringContaining('Holdfast: refused Read: This project is strict'))
  const results = client.model.last().toolResults()
  expect(results.map(({ isError }) => isError)).toEqual([true, true, false])
  for (const { text } of results.slice(0, 2)) {
    expect(text).toContain('could not decide: Another program has locked the database')
    expect(text).toContain('holdfast doctor')
  }
})
