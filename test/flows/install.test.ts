import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { init } from '../../src/cli/commands/init.ts'
import { parseArguments } from '../../src/cli/frame/args.ts'
import { NO_HOOKS } from '../../src/cli/install/uninstall.ts'
import type { Io } from '../../src/cli/frame/io.ts'
import { ENTRY, unwrapped, User } from '../holdfast.ts'
import { Patient } from '../patient.ts'

const THEIRS =
  '{\r\n\t"model": "opus",\r\n\t"env": { "MY_API_KEY": "quite secret" },\r\n\t"hooks": {\r\n\t\t"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]\r\n\t}\r\n}'

class Owner extends User {
  readonly settings = join(this.clientConfig, 'settings.json')
  readonly local = join(this.project, '.claude', 'settings.local.json')
  readonly shared = join(this.project, '.claude', 'settings.json')
  readonly home = this.env['HOLDFAST_HOME'] ?? ''

  write(path: string, text: string, mode = 0o600): void {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    chmodSync(path, mode)
  }

  token(): string {
    return JSON.parse(readFileSync(join(this.home, 'hook.json'), 'utf8')).token
  }
}

describe('a user after init', () => {
  test('has working hooks, once however often init ran, and uninstall restores every byte', async () => {
    await using user = new Owner()
    user.write(user.settings, THEIRS, 0o640)

    const first = await user.run(['init', '--yes'])
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(
      /^Changes for claude-code: hooks for \d+ events and a status line in\s+\S+settings\.json\s+\(\d+ lines\s+added, \d+\s+removed\)\.\nCommands in the client: \d+ files in\s+\S+\/commands\.\nUndo at any time: holdfast uninstall --scope user\n/,
    )
    expect(first.stdout.match(/Test of command: passed/g)).toHaveLength(1)
    for (const secret of [user.token(), 'quite secret']) expect(first.stdout).not.toContain(secret)
    const wired = readFileSync(user.settings, 'utf8')
    expect(wired).not.toContain(user.token())
    expect(wired).toContain('\t"model": "opus",\r\n')
    expect(statSync(user.settings).mode & 0o777).toBe(0o640)
    expect(readdirSync(user.clientConfig)).toEqual(['commands', 'settings.json'])

    const again = await user.wire<{ written: boolean; diff: string[] }>()
    expect(again).toMatchObject({ written: false, diff: [] })
    const told = await user.run(['init', '--yes'])
    expect(told.stdout).toContain('\nThe settings need no change.\n')
    const strict = await user.wire<{ written: boolean }>(['--strict', '--allow-holdfast'])
    expect(strict.written).toBe(true)
    expect(readFileSync(user.settings, 'utf8')).toContain('"onFailure": "block"')
    expect(readFileSync(user.settings, 'utf8').match(/hooks": \{/g)).toHaveLength(1)

    await user.run(['daemon', 'stop'])
    expect(await user.run(['uninstall'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('byte for byte'),
    })
    expect(readFileSync(user.settings, 'utf8')).toBe(THEIRS)
    expect(readdirSync(join(user.home, 'installed'))).toEqual([])
    expect(await user.run(['uninstall'])).toMatchObject({
      code: 0,
      stdout: `${NO_HOOKS}\n`,
    })
  })

  test('keeps later changes of the settings, and only our entries are removed', async () => {
    await using user = new Owner()
    user.write(user.settings, '{"permissions": {"allow": []}}\n')
    await user.wire(['--allow-holdfast'])
    const edited = JSON.parse(readFileSync(user.settings, 'utf8'))
    edited.hooks.Stop.unshift({ hooks: [{ type: 'command', command: 'theirs' }] })
    edited.permissions.allow.push('Read')
    user.write(user.settings, JSON.stringify(edited))
    const { uninstalled } = await user.json<{ uninstalled: object[] }>(['uninstall'])
    expect(uninstalled).toMatchObject([{ scope: 'user', restored: 'entries', removed: false }])
    expect(JSON.parse(readFileSync(user.settings, 'utf8'))).toEqual({
      permissions: { allow: ['Read'] },
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'theirs' }] }] },
    })
  })

  test('hears after uninstall that the daemon still runs, and doctor misses no launcher', async () => {
    await using user = new Patient()
    await user.wire()
    const { stdout } = await user.run(['uninstall'])
    expect(stdout).toMatch(/The daemon still runs \(pid \d+\)\..*: holdfast daemon stop\n$/)
    expect((await user.doctor()).problems).toMatchObject([{ code: 'hooks-none' }])
    await user.run(['daemon', 'stop'])
    expect(await user.run(['uninstall'])).toMatchObject({ stdout: `${NO_HOOKS}\n` })
  })

  test('gets the edited settings back after another init and uninstall', async () => {
    await using user = new Owner()
    user.write(user.settings, '{"a": 1}')
    await user.wire()
    const edited = readFileSync(user.settings, 'utf8').replace('"a": 1', '"a": 2')
    user.write(user.settings, edited)
    await user.wire(['--strict'])
    await user.json(['uninstall'])
    expect(readFileSync(user.settings, 'utf8')).toBe('{"a": 2}')
  })

  test('who does not confirm is told the same command, with every choice', async () => {
    await using user = new Owner()
    const choices = ['--scope', 'local', '--strict', '--allow-holdfast', '--no-status-line']
    const { code, stderr } = await user.run(['init', ...choices])
    expect(code).toBe(1)
    expect(stderr).toContain(`try: holdfast init ${choices.join(' ')} --yes\n`)
  })

  test('who only looks hears what to add to the command, because nothing is installed yet', async () => {
    await using user = new Owner()
    const { stdout } = await user.run(['init', '--dry-run'])
    expect(unwrapped(stdout)).toContain('To allow the safe commands: add --allow-holdfast\n')
  })

  test('without settings has none again after uninstall, and no folder for them', async () => {
    await using user = new Owner()
    const { stdout } = await user.run(['init', '--scope', 'local', '--yes'])
    expect(unwrapped(stdout)).toContain(
      'To allow the safe commands: holdfast init --scope local --allow-holdfast',
    )
    expect(statSync(user.local).mode & 0o777).toBe(0o600)
    await user.json(['uninstall'])
    expect(existsSync(join(user.project, '.claude'))).toBe(false)
  })

  test('whose settings are a link keeps the link, and its target is changed', async () => {
    await using user = new Owner()
    const dotfile = join(user.folder, 'dotfiles', 'claude.json')
    user.write(dotfile, '{}\n')
    mkdirSync(user.clientConfig, { recursive: true })
    symlinkSync('../../dotfiles/claude.json', user.settings)
    await user.wire()
    expect(lstatSync(user.settings).isSymbolicLink()).toBe(true)
    expect(readFileSync(dotfile, 'utf8')).toContain('/hook/claude-code')
    await user.json(['uninstall'])
    expect(lstatSync(user.settings).isSymbolicLink()).toBe(true)
    expect(readFileSync(dotfile, 'utf8')).toBe('{}\n')
  })

  test('whose settings have comments keeps them, and reads that the client ignores that file', async () => {
    await using user = new Owner()
    const text = '{\n  // The model\n  "model": "x", // mine\n}\n'
    user.write(user.settings, text)
    const { warnings } = await user.wire<{ warnings: readonly string[] }>()
    expect(warnings).toEqual([expect.stringContaining('The client ignores this whole file, because')])
    const wired = readFileSync(user.settings, 'utf8')
    expect(wired).toContain('  // The model\n  "model": "x", // mine\n  "hooks": {')
    writeFileSync(user.settings, wired.replace('// mine', '// still mine'))
    await user.json(['uninstall'])
    expect(readFileSync(user.settings, 'utf8')).toBe(text.replace('// mine', '// still mine'))
  })

  test('who lost the backup loses only our entries', async () => {
    await using user = new Owner()
    user.write(user.settings, THEIRS)
    const { backup } = await user.wire<{ backup: string }>()
    expect(readFileSync(backup, 'utf8')).toBe(THEIRS)
    expect(statSync(backup).mode & 0o777).toBe(0o600)
    await user.run(['uninstall', '--dry-run'])
    expect(readFileSync(user.settings, 'utf8')).not.toBe(THEIRS)
    for (const name of readdirSync(dirname(backup)))
      if (name.endsWith('.original'))
        writeFileSync(join(dirname(backup), name.replace('.original', '.json')), '{')
    await user.json(['uninstall'])
    expect(readFileSync(user.settings, 'utf8')).toBe(THEIRS)
  })
})

describe('init writes and starts nothing', () => {
  test.each([
    ['with --dry-run', ['init', '--dry-run', '--diff'], 0],
    ['without --yes if no user can answer', ['init', '--diff'], 1],
  ])('%s, and shows what it would do', async (_, words, code) => {
    await using user = new Owner()
    user.write(user.settings, THEIRS)
    const shown = await user.run(words)
    expect(shown.code).toBe(code)
    expect(shown.stdout).toContain('+\t\t"SessionStart": [')
    expect(shown.stdout).toContain('POST /hook/claude-code HTTP/1.1')
    expect(readFileSync(user.settings, 'utf8')).toBe(THEIRS)
    expect(existsSync(user.home)).toBe(false)
  })

  test.each([
    ['{"hooks": {', 'The file is not valid JSON: line 1, column 12'],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'not UTF-8 text'],
  ])('for invalid settings: %j', async (text, why) => {
    await using user = new Owner()
    mkdirSync(user.clientConfig, { recursive: true })
    writeFileSync(user.settings, text)
    for (const words of [['init', '--yes'], ['uninstall']]) {
      const { code, stderr } = await user.run(words)
      expect(code).toBe(64)
      expect(stderr).toContain(user.settings)
      expect(stderr).toContain(why)
    }
    expect(readFileSync(user.settings)).toEqual(Buffer.from(text))
    expect(existsSync(user.home)).toBe(false)
  })

  test.each([
    [['--client', 'emacs'], 'choose one of claude-code.\n  try: holdfast init --client claude-code\n'],
    [['--scope', 'planet'], 'choose one of user, local, project.\n  try: holdfast init --scope user\n'],
    [['--scope', 'project', '--strict'], 'holdfast init --scope local --strict'],
    [['--strict', '--observe'], 'exclude each other'],
  ])('for %j', async (words, says) => {
    await using user = new Owner()
    const { code, stderr } = await user.run(['init', '--yes', ...words])
    expect(code).toBe(64)
    expect(stderr).toContain(says)
    expect(existsSync(user.home)).toBe(false)
  })

  test('if no hook could arrive', async () => {
    await using user = new Owner({ HOLDFAST_HTTP: 'off' })
    user.write(user.settings, THEIRS)
    const { code, stderr } = await user.run(['init', '--yes'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('HTTP is off')
    expect(readFileSync(user.settings, 'utf8')).toBe(THEIRS)
  })
})

describe('init and uninstall report', () => {
  test("the diagnostics of the user's skills, and what blocks hooks", async () => {
    await using user = new Owner()
    user.write(user.settings, '{"disableAllHooks": true}', 0o644)
    user.write(
      join(user.clientConfig, 'skills', 'good', 'SKILL.md'),
      '---\nname: good\ndescription: Does it.\n---\nText\n',
    )
    user.write(join(user.clientConfig, 'skills', 'bad', 'SKILL.md'), '---\nname: [\n---\n')
    await user.run(['skill', 'new', 'review', '--notation', 'steps'])
    const { stdout, code } = await user.run(['init', '--yes'])
    expect(code).toBe(0)
    expect(stdout).toContain('Skills: 3 found, 1 enforceable, 1 broken.')
    expect(stdout).toContain(`See: holdfast skill check ${join(user.clientConfig, 'skills')}`)
    expect(stdout).toContain('turns off every hook')
    expect(unwrapped(stdout).match(/Fix: holdfast hooks enable --scope user/g)).toHaveLength(1)
  })

  test('a route that does not work, and leaves it in place, because it allows every call', async () => {
    await using user = new Owner()
    await user.run(['daemon', 'start'])
    const { stdout, code } = await user.run(['init', '--yes'], { env: { PATH: '/nowhere' } })
    expect(code).toBe(1)
    expect(stdout).toContain('Test of command: FAILED')
    expect(stdout).toContain(`The hooks stay in ${user.settings}`)
    expect(existsSync(user.settings)).toBe(true)
  })

  test('two scopes that would send every event twice', async () => {
    await using user = new Owner()
    await user.wire()
    const bin = join(user.folder, 'bin')
    user.write(join(bin, 'holdfast'), `#!/bin/sh\nexec ${process.execPath} ${ENTRY} "$@"\n`, 0o755)
    const env = { PATH: `${bin}:${user.env['PATH']}` }
    const { warnings } = await user.wire<{ warnings: string[] }>(['--scope', 'project'], { env })
    expect(warnings).toEqual([expect.stringContaining('holdfast uninstall --scope project')])
    expect(readFileSync(user.shared, 'utf8')).not.toContain(user.folder)
    expect((await user.run(['uninstall', '--scope', 'local'])).stdout.split('\n').toSorted()).toEqual(
      [
        '',
        NO_HOOKS,
        `Still installed: ${user.shared} (holdfast uninstall --scope project --project ${user.project})`,
        `Still installed: ${user.settings} (holdfast uninstall --scope user)`,
      ].toSorted(),
    )
    const both = await user.json<{ uninstalled: object[] }>(['uninstall'])
    expect(both.uninstalled).toMatchObject([{ scope: 'user' }, { scope: 'project' }])
  })

  test('no hooks, if a project is gone or the user has removed our entries', async () => {
    await using user = new Owner()
    const other = join(user.folder, 'other')
    mkdirSync(other)
    await user.wire(['--scope', 'local'], { cwd: other })
    await user.wire(['--scope', 'local'])
    rmSync(other, { recursive: true })
    user.write(user.local, '{}')
    const { stdout } = await user.run(['uninstall', '--scope', 'user'])
    expect(stdout).toBe(`${NO_HOOKS}\n`)
  })

  test('the plugin beside our hooks, unless a narrower scope has turned it off', async () => {
    await using user = new Owner()
    user.write(user.settings, '{"enabledPlugins": {"holdfast@here": true, "other@here": true}}')
    const warnings = async () =>
      (await user.json<{ warnings: string[] }>(['init', '--dry-run', '--no-status-line'])).warnings
    expect(await warnings()).toEqual([expect.stringContaining('claude plugin disable holdfast@here')])
    user.write(user.local, '{"enabledPlugins": {"holdfast@here": false}}')
    expect(await warnings()).toEqual([])
  })

  test('its changes first, and the user decides by answering', async () => {
    await using user = new Owner()
    const said: string[] = []
    const answers = (...list: string[]) => ({
      env: user.env,
      cwd: user.project,
      entry: ENTRY,
      json: false,
      color: false,
      isTerminal: true,
      width: 80,
      out: (text: string) => void said.push(text),
      note: (text: string) => void said.push(text),
      ask: (question: string) => {
        said.push(question)
        return Promise.resolve(list.shift() ?? '')
      },
    })
    const run = (io: Io) => init.run(io, parseArguments([], init.flags, 'init'))
    const questions = () => said.filter((line) => line.endsWith('[y/N] ')).length
    expect(await run(answers('', 'y'))).toBe(1)
    expect(questions()).toBe(1)
    expect(existsSync(user.settings)).toBe(false)
    expect(existsSync(user.home)).toBe(false)
    expect(await run(answers('yes', '', ''))).toBe(0)
    expect(questions()).toBe(4)
    expect(JSON.parse(readFileSync(user.settings, 'utf8')).permissions).toBeUndefined()
    // Nothing else is left to change, so only what agents may do is asked.
    expect(await run(answers('y', 'y'))).toBe(0)
    expect(questions()).toBe(6)
    const { allow } = JSON.parse(readFileSync(user.settings, 'utf8')).permissions
    expect(allow).toContain(`Bash(${join(user.home, 'bin', 'holdfast')} step *)`)
    expect(allow).not.toContain('Bash(holdfast *)')
    expect(allow).toContain('Skill(*)')
    const firstAt = (text: string) => said.findIndex((line) => line.includes(text))
    expect(firstAt('"hooks"')).toBeLessThan(firstAt('Write these changes?'))
    expect(firstAt('Write these changes?')).toBeLessThan(firstAt('Also allow agents'))
    expect(said.at(-1)).toContain('Create a skill: holdfast skill new NAME --notation steps')
  })
})

describe('the level', () => {
  test('belongs to a project, or to all projects without one', async () => {
    await using user = new Owner()
    await user.wire(['--observe'])
    await user.json(['project', 'upsert', user.project])
    expect(await user.json(['enforce'])).toMatchObject({ level: 'observe', project: user.project })
    expect(await user.json(['enforce', 'strict'])).toMatchObject({
      level: 'strict',
      advice: [expect.stringContaining('Change it for all projects: holdfast init --scope user --strict')],
    })
    await user.json(['uninstall'])
    expect(await user.json(['enforce'])).toMatchObject({
      advice: [expect.stringContaining('holdfast init --scope local --strict')],
    })
    await user.wire(['--scope', 'local', '--strict'])
    expect(await user.json(['enforce'])).toMatchObject({ level: 'strict', advice: [] })
    expect(await user.json(['enforce', 'observe'])).toMatchObject({
      advice: [expect.stringContaining('holdfast init --scope local --observe')],
    })
    expect(await user.run(['enforce', 'harder'])).toMatchObject({ code: 64 })
    expect(await user.json(['enforce', '--session-gate', 'on'])).toMatchObject({
      level: 'observe',
      session_gate: true,
    })
    expect((await user.run(['enforce'])).stdout).toContain('Files can change only during an effort.')
    expect(await user.json(['enforce', '--session-gate', 'off'])).toMatchObject({ session_gate: false })
    expect(await user.run(['enforce', '--session-gate', 'maybe'])).toMatchObject({ code: 64 })
    expect(await user.json(['enforce', 'strict', '--default'])).toEqual({ project: null, level: 'strict' })
    expect(await user.json(['enforce'])).toMatchObject({ level: 'observe' })
    expect(await user.json(['project', 'upsert', user.folder])).toMatchObject({ level: 'strict' })
  })
})

test.each([['user'], ['local'], ['project']])(
  'strict hooks that enforce asks for beside scope %s leave one install, as init and doctor agree',
  async (scope) => {
    await using user = new Patient()
    await user.wire(['--scope', scope])
    await user.json(['enforce', 'strict'])
    const { advice } = await user.json<{ advice: readonly string[] }>(['enforce'])
    const asked = /holdfast init .*/.exec(advice[0] ?? '')?.[0]
    const { warnings } = JSON.parse((await user.shell(`${asked} --yes --json`)).stdout) as {
      warnings: readonly string[]
    }
    const removal = warnings.flatMap((one) => /holdfast uninstall .*/.exec(one)?.[0] ?? [])
    const { problems } = await user.doctor()
    expect(removal).toEqual(problems.map(({ fix }) => fix))
    expect(removal).toHaveLength(scope === 'project' ? 1 : 0)
    expect(await user.mend()).toMatchObject({ left: [] })
    expect(await user.json(['enforce'])).toMatchObject({ level: 'strict', advice: [] })
  },
)

describe('the status', () => {
  const NONE = 'No hooks are installed here, so nothing is enforced. Run: holdfast init'

  test('says what is enforced only where hooks are installed, in whichever scope', async () => {
    await using user = new Owner()
    await user.json(['project', 'upsert', '.'])
    const status = async (...words: readonly string[]) => (await user.run(['status', ...words])).stdout
    expect(await status()).toContain(NONE)
    expect(await status()).not.toContain('enforced here')
    await user.wire(['--scope', 'local'])
    expect(await status()).toContain('Explicit plans are enforced here; inferred plans only advise.')
    expect(await status()).not.toContain('No hooks')
    const inside = join(user.project, 'inside')
    mkdirSync(inside)
    expect((await user.run(['status'], { cwd: inside })).stdout).toContain('plans are enforced here')
    expect((await user.run(['status', user.project], { cwd: user.folder })).stdout).not.toContain(NONE)
    await user.json(['enforce', 'strict'])
    expect(await status()).toContain('Explicit plans are strictly enforced here')
  })

  test('counts the hooks of the plugin, and works where the project is gone', async () => {
    await using user = new Owner()
    await user.json(['project', 'upsert', '.'])
    const plugins = { 'holdfast@here': [{ scope: 'user', installPath: resolve('plugin') }] }
    user.write(
      join(user.clientConfig, 'plugins', 'installed_plugins.json'),
      JSON.stringify({ version: 2, plugins }),
    )
    user.write(user.settings, '{"enabledPlugins": {"holdfast@here": true}}')
    expect((await user.run(['status'])).stdout).toContain('plans are enforced here')
    user.write(user.settings, '{')
    expect(await user.run(['status'])).toMatchObject({ code: 0 })
    rmSync(user.project, { recursive: true })
    const gone = await user.run(['status', user.project], { cwd: user.folder })
    expect(gone).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('a pause', () => {
  test('works without a daemon, appears in the status, and ends on request', async () => {
    await using user = new Owner()
    const { paused_until: until } = await user.json<{ paused_until: string }>(['pause', '2h'])
    expect(existsSync(join(user.home, 'daemon.json'))).toBe(false)
    expect(Date.parse(until)).toBeGreaterThan(Date.now() + 3_600_000)
    await user.json(['project', 'upsert', '.'])
    const { stdout } = await user.run(['status'])
    expect(stdout).toMatch(/Enforcement is paused; the pause ends in [12] h\./)
    expect(stdout).not.toContain('enforced here')
    await user.json(['pause', 'off'])
    expect((await user.run(['status'])).stdout).not.toContain('Enforcement is paused')
  })

  test.each(['', '5', '0m', '-5m', 'tomorrow', '99d'])('cannot be %j', async (text) => {
    await using user = new Owner()
    expect(await user.run(['pause', '--', text])).toMatchObject({ code: 64 })
    expect(existsSync(user.home)).toBe(false)
  })
})
