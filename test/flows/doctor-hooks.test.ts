import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { defaultClient } from '../../src/clients/index.ts'
import { readKeys } from '../../src/daemon/keys.ts'
import { FAILURES } from '../failures.ts'
import { HookedClient } from '../hooked-client.ts'
import { type Finding, Patient, startOdd } from '../patient.ts'

vi.setConfig({ testTimeout: 300_000 })

interface Handler {
  command?: string
  [field: string]: unknown
}

interface Settings {
  hooks: Record<string, { matcher?: string; hooks: Handler[] }[]>
  [field: string]: unknown
}

const settingsOf = (user: Patient) => join(user.clientConfig, 'settings.json')

function write(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value, null, 2))
}

/** Installs once for all tests that change only settings, because init tests every hook. */
const hooked = new Patient()
let wired = ''

beforeAll(async () => {
  await hooked.json(['init', '--yes'])
  wired = readFileSync(settingsOf(hooked), 'utf8')
})

afterAll(() => hooked[Symbol.asyncDispose]())

/** The same user, with the original settings plus a change. */
function changed(change: (settings: Settings) => unknown = () => undefined): Patient {
  for (const folder of [join(hooked.project, '.claude'), join(hooked.clientConfig, 'plugins')])
    rmSync(folder, { recursive: true, force: true })
  const settings = JSON.parse(wired) as Settings
  const other = change(settings)
  write(settingsOf(hooked), other ?? settings)
  return hooked
}

/** A separate user, because the daemon gets other keys. */
async function another(): Promise<Patient> {
  const user = new Patient()
  await user.json(['init', '--yes'])
  return user
}

const handlerOf = (settings: Settings, event: string): Handler => settings.hooks[event]?.[0]?.hooks[0] ?? {}

describe('doctor finds and its command fixes:', () => {
  test('hooks that can never fire or be heard, and limits in the wrong unit', async () => {
    const user = changed((settings) => {
      const { hooks } = settings
      hooks['Pretooluse'] = hooks['PreToolUse'] ?? []
      delete hooks['PreToolUse']
      hooks['SessionStart'] = structuredClone(hooks['Stop'] ?? [])
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
      ],
      left: [],
    })
    expect(found[0]?.detail).toContain('did you mean PreToolUse')
    expect(new Set(found.map(({ fix }) => fix))).toEqual(new Set(['holdfast init --scope user --yes']))
  })

  test('hooks that a second key of the same name replaces, and a missing program', async () => {
    const user = changed((settings) => {
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

  test('a token that is no longer the daemon’s', async () => {
    await using user = await another()
    await user.run(['daemon', 'rotate-token'])
    const {
      found: [found],
      ...mended
    } = await user.mend()
    expect(mended).toEqual({ codes: ['hook-route'], left: [] })
    expect(found?.detail).toContain('HTTP 401')
  })

  test('a port without a server, and one with a stranger, who does not get the token', async () => {
    await using user = await another()
    await user.run(['daemon', 'stop'])
    const { port } = readKeys(user.home)
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
    expect(mended).toEqual({ codes: ['hook-port'], left: [] })
    stranger.close()
    expect(found?.detail).toContain('another program answers')
    expect(told).toEqual([undefined])
  })

  test('a daemon whose replies the client does not understand', async () => {
    const user = changed()
    await user.run(['daemon', 'stop'])
    await startOdd(user, 'mute')
    const { found, ...mended } = await user.mend()
    expect(mended).toEqual({ codes: ['hook-gate', 'hook-gate', 'hook-gate'], left: [] })
    expect(found.map(({ detail }) => detail).join('\n')).toMatch(/PreToolUse .*must read a refusal/)
  })

  test('hooks that the settings with the highest precedence disable', async () => {
    const user = changed((settings) => void (settings['disableAllHooks'] = true))
    const local = join(user.project, '.claude', 'settings.local.json')
    write(local, { disableAllHooks: false })
    expect((await user.doctor()).problems).toEqual([])
    write(local, { disableAllHooks: true, theirs: [1] })
    const [found] = (await user.doctor()).problems
    expect(found).toMatchObject({ code: 'hooks-disabled', fix: 'holdfast hooks enable --scope local' })
    await user.shell(found?.fix ?? '')
    expect(JSON.parse(readFileSync(local, 'utf8'))).toEqual({ theirs: [1] })
    const {
      found: [next],
      ...mended
    } = await user.mend()
    expect(mended).toEqual({ codes: ['hooks-disabled'], left: [] })
    expect(next?.fix).toBe('holdfast hooks enable --scope user')
  })

  test('URLs that omit ours, and settings that are not JSON', async () => {
    const user = changed((settings) => void (settings['allowedHttpHookUrls'] = ['https://x/*']))
    write(join(user.project, '.claude', 'settings.json'), '{')
    expect(await user.mend()).toMatchObject({ codes: ['settings-unreadable', 'hooks-forbidden'], left: [] })
    const text = readFileSync(settingsOf(user), 'utf8')
    expect((JSON.parse(text) as Settings)['allowedHttpHookUrls']).toHaveLength(2)
  })

  test('settings with comments, which the client ignores, and uninstall restores every byte', async () => {
    await using user = new Patient()
    const text = '{\n  // The model\n  "model": "x", // mine\n}\n'
    write(settingsOf(user), text)
    chmodSync(settingsOf(user), 0o600)
    await user.json(['init', '--yes'])
    const {
      found: [found],
      ...mended
    } = await user.mend()
    expect(mended).toEqual({ codes: ['settings-comments'], left: [] })
    expect(found?.fix).toBe('holdfast hooks enable --scope user')
    expect(JSON.parse(readFileSync(settingsOf(user), 'utf8'))).toMatchObject({ model: 'x' })
    expect(readdirSync(user.clientConfig)).toEqual(['commands', 'settings.json'])
    expect((await user.run(['uninstall'])).stdout).toContain('restored byte for byte')
    expect(readFileSync(settingsOf(user), 'utf8')).toBe(text)
  })

  test('comments that the user wrote after init, which uninstall restores too', async () => {
    await using user = await another()
    write(settingsOf(user), `// mine\n${readFileSync(settingsOf(user), 'utf8')}`)
    expect(await user.mend()).toMatchObject({ codes: ['settings-comments'], left: [] })
    await user.json(['init', '--strict', '--yes'])
    await user.run(['uninstall'])
    expect(readFileSync(settingsOf(user), 'utf8').trim()).toBe('// mine\n{}')
  })

  test('tokens that others can read, or that git would commit', async () => {
    await using user = new Patient()
    execFileSync('git', ['init', '-q', user.project])
    await user.json(['init', '--scope', 'local', '--yes'])
    chmodSync(join(user.project, '.claude', 'settings.local.json'), 0o644)
    expect(await user.mend()).toMatchObject({ codes: ['token-readable', 'token-committed'], left: [] })
  })

  test.each([
    ['in a file without a final newline', false],
    ['after the token was committed', true],
  ])('a token that git would commit, with other ignored files, %s', async (_, isTracked) => {
    await using user = new Patient()
    const git = (...words: readonly string[]) => execFileSync('git', ['-C', user.project, ...words])
    git('init', '-q')
    writeFileSync(join(user.project, '.gitignore'), 'node_modules')
    await user.json(['init', '--scope', 'local', '--yes'])
    if (isTracked) git('add', '.claude/settings.local.json')
    expect(await user.mend()).toMatchObject({ codes: ['token-committed'], left: [] })
    git('check-ignore', '-q', 'node_modules')
    expect(String(git('status', '--short'))).not.toContain('settings')
  })

  test('shared hooks without holdfast on the PATH, which call the launcher', async () => {
    await using user = new Patient()
    await user.json(['init', '--scope', 'project', '--yes'])
    const narrow = join(user.folder, 'narrow')
    mkdirSync(narrow)
    const put = (name: string, path: string) => symlinkSync(path, join(narrow, name))
    for (const name of ['sh', 'cat', 'git', 'bash'])
      put(name, execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim())
    const look = async (env: object = {}) => {
      const run = await user.run(['doctor', '--json'], { env: { PATH: narrow, ...env } })
      const { findings } = JSON.parse(run.stdout) as { findings: Finding[] }
      return findings.flatMap(({ level, code, fix }) => (level === 'ok' ? [] : { code, fix }))
    }
    const unnamed = { code: 'command-missing', fix: `${user.home.launcher} init --yes` }
    expect(await look()).toEqual([unnamed])
    await user.run(['daemon', 'stop'])
    const fix = `unset HOLDFAST_HTTP && ${user.home.launcher} daemon stop`
    expect(await look({ HOLDFAST_HTTP: 'off' })).toEqual([unnamed, { code: 'hook-route', fix }])
    await user.run(['daemon', 'stop'])
    rmSync(join(narrow, 'bash'))
    expect(await look()).toEqual([unnamed])
  })

  test('two installs: for the user and for the project', async () => {
    const user = changed()
    await user.json(['init', '--scope', 'project', '--yes'])
    const {
      found: [found],
      ...mended
    } = await user.mend()
    expect(mended).toEqual({ codes: ['hooks-twice'], left: [] })
    expect(found?.fix).toBe('holdfast uninstall --scope project')
  })

  test('two installs, of which it keeps the strict one', async () => {
    await using user = await another()
    const strict = ['init', '--scope', 'local', '--strict', '--yes']
    const { warnings } = await user.json<{ warnings: readonly string[] }>(strict)
    expect(warnings).toEqual([expect.stringContaining('Remove one: holdfast uninstall --scope user')])
    const {
      found: [found],
      ...mended
    } = await user.mend()
    expect(mended).toEqual({ codes: ['hooks-twice'], left: [] })
    expect(found?.fix).toBe('holdfast uninstall --scope user')
  })

  test('two installs: as a plugin and in settings', async () => {
    const user = changed()
    const plugins = { 'holdfast@here': [{ scope: 'user', installPath: resolve('plugin') }] }
    const list = join(user.clientConfig, 'plugins', 'installed_plugins.json')
    write(list, { version: 2, plugins })
    const [found, ...others] = (await user.doctor()).problems
    expect(found).toMatchObject({ code: 'hooks-twice', fix: 'claude plugin disable holdfast@here' })
    expect(others).toEqual([])
    // What the client writes for that command.
    changed((settings) => void (settings['enabledPlugins'] = { 'holdfast@here': false }))
    write(list, { version: 2, plugins })
    expect((await user.doctor()).problems).toEqual([])
  })

  test('a missing status line, without installing everything twice for users of the plugin', async () => {
    await using user = new Patient()
    const plugins = { 'holdfast@here': [{ scope: 'user', installPath: resolve('plugin') }] }
    write(join(user.clientConfig, 'plugins', 'installed_plugins.json'), { version: 2, plugins })
    write(join(user.clientConfig, 'settings.json'), { enabledPlugins: { 'holdfast@here': true } })
    const { stdout } = await user.run(['doctor'])
    expect(stdout).toContain('a plugin cannot add it')
    expect(stdout).not.toContain('holdfast init --status-line')
  })

  test('hooks that have failed, with the reason', async () => {
    const user = changed()
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
    await user.json(['init', '--scope', scope, '--yes', ...words])
    const { stdout } = await user.shell('holdfast doctor --json')
    const { findings } = JSON.parse(stdout) as { findings: { check: string; detail: string }[] }
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
