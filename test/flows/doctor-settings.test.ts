import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Finding, Patient } from '../patient.ts'
import { another, settingsOf, WiredPatient, write } from '../wired-patient.ts'

vi.setConfig({ testTimeout: 300_000 })

const hooked = new WiredPatient()

beforeAll(() => hooked.init())

afterAll(() => hooked[Symbol.asyncDispose]())

describe('doctor finds and its command fixes:', () => {
  test('hooks that the settings with the highest precedence disable', async () => {
    const user = hooked.changed((settings) => void (settings['disableAllHooks'] = true))
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

  test('settings that are not JSON', async () => {
    const user = hooked.changed()
    write(join(user.project, '.claude', 'settings.json'), '{')
    expect(await user.mend()).toMatchObject({ codes: ['settings-unreadable'], left: [] })
  })

  test('settings with comments, which the client ignores, and uninstall restores every byte', async () => {
    await using user = new Patient()
    const text = '{\n  // The model\n  "model": "x", // mine\n}\n'
    write(settingsOf(user), text)
    chmodSync(settingsOf(user), 0o600)
    await user.wire()
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
    await user.wire(['--strict'])
    await user.run(['uninstall'])
    expect(readFileSync(settingsOf(user), 'utf8').trim()).toBe('// mine\n{}')
  })

  test('a permission of an older version for every command of ours', async () => {
    await using user = new Patient()
    await user.wire(['--allow-holdfast'])
    const settings = JSON.parse(readFileSync(settingsOf(user), 'utf8')) as { permissions: object }
    const old = { ...settings, permissions: { allow: ['Bash(holdfast *)'] } }
    write(settingsOf(user), JSON.stringify(old))
    expect(await user.mend()).toMatchObject({ codes: ['permission-broad'], left: [] })
    const renewed = readFileSync(settingsOf(user), 'utf8')
    expect(renewed).not.toContain('Bash(holdfast *)')
    expect(renewed).toContain('/bin/holdfast step *)')
  })

  test.each([
    ['in a file without a final newline', false],
    ['after it was committed', true],
  ])('settings of this machine that git would commit, with other ignored files, %s', async (_, isTracked) => {
    await using user = new Patient()
    const git = (...words: readonly string[]) => execFileSync('git', ['-C', user.project, ...words])
    git('init', '-q')
    writeFileSync(join(user.project, '.gitignore'), 'node_modules')
    await user.wire(['--scope', 'local'])
    if (isTracked) git('add', '.claude/settings.local.json')
    expect(await user.mend()).toMatchObject({ codes: ['token-committed'], left: [] })
    git('check-ignore', '-q', 'node_modules')
    expect(String(git('status', '--short'))).not.toContain('settings')
  })

  test('shared hooks without holdfast on the PATH, which call the launcher', async () => {
    await using user = new Patient()
    await user.wire(['--scope', 'project'])
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
    const user = hooked.changed()
    await user.wire(['--scope', 'project'])
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
    const user = hooked.changed()
    const plugins = { 'holdfast@here': [{ scope: 'user', installPath: resolve('plugin') }] }
    const list = join(user.clientConfig, 'plugins', 'installed_plugins.json')
    write(list, { version: 2, plugins })
    const [found, ...others] = (await user.doctor()).problems
    expect(found).toMatchObject({ code: 'hooks-twice', fix: 'claude plugin disable holdfast@here' })
    expect(others).toEqual([])
    // What the client writes for that command.
    hooked.changed((settings) => void (settings['enabledPlugins'] = { 'holdfast@here': false }))
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
})
