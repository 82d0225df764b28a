import { once } from 'node:events'
import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Remote } from '../../src/cli/daemon/remote.ts'
import { untilHttp } from '../../src/cli/daemon/until-http.ts'
import { defaultClient } from '../../src/clients/index.ts'
import { readKeys } from '../../src/daemon/keys.ts'
import { FAILURES } from '../failures.ts'
import { ENTRY } from '../holdfast.ts'
import { keyOf } from '../hook-routes.ts'
import { HookedClient } from '../hooked-client.ts'
import { asOlder, olderHook } from '../older-hooks.ts'
import { Patient, startOdd } from '../patient.ts'
import { another, handlerOf, settingsOf, WiredPatient } from '../wired-patient.ts'

vi.setConfig({ testTimeout: 300_000 })

const hooked = new WiredPatient()

beforeAll(() => hooked.init())

afterAll(() => hooked[Symbol.asyncDispose]())

describe('doctor finds and its command fixes:', () => {
  test('hooks that can never fire or be heard, and limits in the wrong unit', async () => {
    const { port, token } = keyOf(hooked)
    const user = hooked.changed((settings) => {
      const { hooks } = settings
      hooks['Pretooluse'] = hooks['PreToolUse'] ?? []
      delete hooks['PreToolUse']
      hooks['SessionStart'] = [{ hooks: [olderHook(port, token)] }]
      for (const group of hooks['PostToolUse'] ?? []) group.matcher = 'read'
      handlerOf(settings, 'TaskCompleted')['if'] = 'Bash(git *)'
      Object.assign(handlerOf(settings, 'UserPromptSubmit'), { async: true, timeout: 5000 })
      handlerOf(settings, 'PreCompact')['timeout'] = 0.006
    })
    const { found, ...mended } = await user.mend()
    expect(mended).toEqual({
      codes: [
        'hook-event',
        'hook-missing',
        'hook-matcher',
        'hook-condition',
        'hook-type',
        'hook-async',
        'hook-timeout',
        'hook-timeout',
        'hook-http',
      ],
      left: [],
    })
    expect(found[0]?.detail).toContain('did you mean PreToolUse')
    expect(new Set(found.map(({ fix }) => fix))).toEqual(new Set(['holdfast init --scope user --yes']))
  })

  test('hooks that a second key of the same name replaces, and a missing program', async () => {
    const user = hooked.changed((settings) => {
      const { hooks, ...rest } = settings
      const { SessionStart, ...others } = hooks
      const handler = handlerOf(settings, 'UserPromptSubmit')
      handler.command = (handler.command ?? '').replaceAll('/bin/holdfast', '/gone/bin/holdfast')
      return JSON.stringify({ ...rest, first: { SessionStart }, hooks: others }).replace('first', 'hooks')
    })
    const { found, ...mended } = await user.mend()
    expect(mended).toEqual({ codes: ['hook-shadowed', 'hook-route'], left: [] })
    expect(found[1]?.detail).toContain(
      'UserPromptSubmit via command: it exited with 0, but the daemon received no event',
    )
  })

  test('hooks of an older version, which work until init ends their token', async () => {
    await using user = await another()
    const { token } = await asOlder(user)
    chmodSync(settingsOf(user), 0o644)
    const client = new HookedClient(user, 'older', { limit: 60_000 })
    await user.run(['daemon', 'start'])
    await untilHttp(new Remote({ env: user.env, entry: ENTRY }))
    expect((await client.fire('Stop')).failures).toEqual([])
    expect(await user.mend()).toMatchObject({ codes: ['token-readable', 'hook-http'], left: [] })
    expect(readFileSync(settingsOf(user), 'utf8')).not.toContain(token)
    expect(JSON.stringify(readKeys(user.home))).not.toContain(token)
    expect((await client.fire('Stop')).failures).toEqual([])
  })

  test('a port without a server, and one with a stranger, who does not get the token', async () => {
    await using user = await another()
    const { port } = await asOlder(user)
    for (const key of [user.home.hookKey, user.home.fullKey]) rmSync(key)
    const [dead] = (await user.doctor()).problems
    expect(dead).toMatchObject({ code: 'hook-port', detail: expect.stringContaining('no program listens') })
    const told: unknown[] = []
    const stranger = createServer((request, response) => {
      told.push(request.headers.authorization)
      response.end()
    }).listen(port, '127.0.0.1')
    await once(stranger, 'listening')
    const {
      found: [found],
      ...mended
    } = await user.mend()
    expect(mended).toEqual({ codes: ['hook-port', 'hook-http'], left: [] })
    stranger.close()
    expect(found?.detail).toContain('another program answers')
    expect(told).toEqual([undefined])
  })

  test('a daemon whose replies the client does not understand', async () => {
    const user = hooked.changed()
    await user.run(['daemon', 'stop'])
    await startOdd(user, 'mute')
    expect((await user.run(['doctor'])).stdout).not.toContain('receives hooks')
    const { found, ...mended } = await user.mend()
    expect(mended).toEqual({ codes: ['hook-gate', 'hook-gate'], left: [] })
    const details = found.map(({ detail }) => detail).join('\n')
    expect(details).toMatch(/SessionStart, UserPromptSubmit, UserPromptExpansion .*must read a context/)
    expect(details).toMatch(/PreToolUse .*must read a refusal/)
  })

  test('hooks that have failed, with the reason', async () => {
    const user = hooked.changed()
    const unlock = await FAILURES['another program has locked the database']?.begin(user)
    await new HookedClient(user).fire('PreToolUse', { tool_name: 'Read', tool_input: {} })
    await unlock?.()
    const {
      found: [found],
      ...mended
    } = await user.mend()
    expect(mended).toEqual({ codes: ['hooks-failing'], left: [] })
    expect(found?.detail).toMatch(/^1 failed since .*Another program has locked the database/)
  })
})

test.each([['user'], ['local', '--strict'], ['project']])(
  'doctor receives each test event of scope %s over its own route, and sees the refusals',
  async (scope, ...words) => {
    await using user = new Patient()
    await user.wire(['--scope', scope, ...words])
    const { stdout } = await user.shell('holdfast doctor --json')
    const { findings } = JSON.parse(stdout) as { findings: { check: string; detail: string }[] }
    expect(findings.find(({ check }) => check === 'http')?.detail).toContain('receives hooks')
    const hooks = findings.filter(({ check }) => check === 'hooks')
    const count = defaultClient.canaries('x').length
    expect(hooks).toMatchObject([
      {
        level: 'ok',
        detail: expect.stringMatching(
          `: ${count} test events arrived .*The 2 that must be refused were refused`,
        ),
      },
    ])
  },
)
