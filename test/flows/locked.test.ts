import { execFileSync, execSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Lock } from '../../src/model/lock.ts'
import { settings } from '../../src/clients/claude-code/install.ts'
import { User } from '../holdfast.ts'
import { asOlder } from '../older-hooks.ts'

const OWN =
  '{\n  // mine\n  "sandbox": { "enabled": false, "excludedCommands": ["docker *"] },\n  "model": "opus"\n}\n'

/** A user whose machine has the programs that the sandbox needs, if `has`, and a project with a skill. */
async function lockable(has: readonly string[] = ['bwrap', 'socat']): Promise<User> {
  const user = new User()
  await user.json(['skill', 'new', 'deploy', '--notation', 'steps'])
  const bin = join(user.folder, 'bin')
  mkdirSync(bin)
  for (const name of has) {
    writeFileSync(join(bin, name), '#!/bin/sh\n')
    chmodSync(join(bin, name), 0o755)
  }
  const rest = has.length === 2 ? user.env['PATH'] : dirname(user.holdfast)
  return Object.assign(user, { env: { ...user.env, PATH: `${bin}:${rest}` } })
}

const local = (user: User): string => join(user.project, '.claude/settings.local.json')
const lockOf = (user: User): Lock | undefined => settings.read(readFileSync(local(user), 'utf8')).lock

test('init --locked says what it costs, and keeps steps, skills, settings and our home from agents', async () => {
  await using user = await lockable()
  const { code, stdout } = await user.run(['init', '--locked', '--yes'])
  expect(code).toBe(0)
  expect(stdout).toContain('cost: Shells of the agent cannot read')
  expect(stdout).toContain('Level: locked.')
  const { level } = await user.json<{ level: string }>(['enforce'])
  expect(level).toBe('locked')
  const lock = lockOf(user)
  const hidden = [join(user.project, '.claude/skills/deploy/steps'), user.env['HOLDFAST_HOME']]
  expect(new Set(lock?.unread)).toEqual(new Set(hidden))
  for (const held of ['.claude/skills', '.claude/settings.local.json', '.mcp.json', '.holdfast/config.yaml'])
    expect(lock?.unwritten).toContain(join(user.project, held))
  expect(lock?.unwritten).toContain(user.env['HOLDFAST_HOME'])
})

test.each([
  [['socat'], 'bwrap', 'bubblewrap'],
  [[], 'bwrap and socat', 'bubblewrap socat'],
])('with %j it names what is missing in one line, and changes nothing', async (has, missing, packages) => {
  await using user = await lockable(has)
  const { code, stderr } = await user.run(['init', '--locked', '--yes'])
  expect(code).not.toBe(0)
  expect(stderr).toContain(`Level locked needs ${missing}`)
  expect(stderr).toContain(`sudo apt install ${packages}`)
  expect(existsSync(local(user))).toBe(false)
})

test('own settings stay, a foreign way out is told, and uninstall restores them byte for byte', async () => {
  await using user = await lockable()
  writeFileSync(local(user), OWN)
  const { warnings } = await user.wire<{ warnings: readonly string[] }>(['--locked'])
  expect(warnings.join()).toContain('docker * runs outside of the sandbox')
  const text = readFileSync(local(user), 'utf8')
  expect(text).toContain('// mine')
  expect(text).toContain('docker *')
  await user.json(['uninstall'])
  expect(readFileSync(local(user), 'utf8')).toBe(OWN)
})

test('own changes after locking stay too, and a lower level takes only the sandbox out', async () => {
  await using user = await lockable()
  writeFileSync(local(user), OWN)
  await user.wire(['--locked'])
  writeFileSync(local(user), readFileSync(local(user), 'utf8').replace('"opus"', '"haiku"'))
  await user.wire(['--scope', 'local', '--strict'])
  expect(lockOf(user)).toBeUndefined()
  await user.json(['uninstall'])
  expect(readFileSync(local(user), 'utf8')).toBe(OWN.replace('"opus"', '"haiku"'))
})

test('enforce locked sets it up, and enforce strict says how to take the sandbox out', async () => {
  await using user = await lockable()
  expect(await user.json(['enforce', 'locked'])).toMatchObject({ level: 'locked', advice: [] })
  expect(lockOf(user)).toBeDefined()
  const { advice } = await user.json<{ advice: readonly string[] }>(['enforce', 'strict'])
  expect(advice.join()).toContain('holdfast init --scope local --strict')
  await user.json(['uninstall'])
  await user.json(['enforce', 'locked'])
  // Hooks of the user stay, so those of the project can go with the sandbox.
  await user.wire()
  const wide = await user.json<{ advice: readonly string[] }>(['enforce', 'strict'])
  expect(wide.advice.join()).toContain('Remove it: holdfast uninstall --scope local')
  await user.json(['uninstall', '--scope', 'local'])
  const open = await user.json<{ advice: readonly string[] }>(['enforce', '--project', user.project])
  expect(open.advice.join()).not.toContain('andbox')
})

test('a locked project without a sandbox is told by enforce', async () => {
  await using user = await lockable()
  await user.wire()
  await user.json(['enforce', 'locked'])
  await user.json(['uninstall', '--scope', 'local'])
  const { advice } = await user.json<{ advice: readonly string[] }>(['enforce'])
  expect(advice.join()).toBe('No sandbox holds shells here. Set it up: holdfast init --scope local --locked')
})

/** What doctor says about hooks and the lock of a project, besides that no client is here to prove it. */
async function problems(user: User) {
  const { stdout } = await user.run(['doctor', '--json'])
  const { findings } = JSON.parse(stdout) as Found
  return findings.flatMap(({ check, code, fix }) =>
    ['hooks', 'lock'].includes(check) && code !== null && code !== 'lock-unproved' ? [{ code, fix }] : [],
  )
}

const userWays = (user: User) => settings.read(readFileSync(join(user.clientConfig, 'settings.json'), 'utf8'))

// In a terminal, the client of a locked project asks about each http hook of any settings.
test.each(['--enforce', '--strict'])(
  'hooks of the user with %s become commands beside a lock',
  async (level) => {
    await using user = await lockable()
    await user.wire([level])
    const path = join(user.clientConfig, 'settings.json')
    const before = readFileSync(path, 'utf8')
    await asOlder(user)
    const older = readFileSync(path, 'utf8')
    const locked = await user.wire<Record<'costs' | 'warnings', readonly string[]>>(['--locked'])
    expect(locked.costs.join()).toContain(`The hooks in ${path} become commands`)
    expect(locked.warnings.join()).not.toContain('twice')
    expect(userWays(user).ways.map(({ kind }) => kind)).not.toContain('http')
    expect(userWays(user).failsClosed).toBe(level === '--strict')
    expect(await problems(user)).toEqual([])
    // Hooks that were written before, or by hand, are told with the command that works.
    writeFileSync(path, older)
    const renew = 'holdfast init --scope user --yes'
    expect(await problems(user)).toEqual(expect.arrayContaining([{ code: 'hook-http', fix: renew }]))
    await user.json(renew.split(' ').slice(1))
    expect(await problems(user)).toEqual([])
    await user.json(['uninstall', '--scope', 'local'])
    await user.wire()
    expect(readFileSync(path, 'utf8')).toBe(before)
    await user.json(['uninstall'])
    expect(existsSync(path)).toBe(false)
  },
)

test('a new skill is held after init runs again', async () => {
  await using user = await lockable()
  await user.wire(['--locked'])
  await user.json(['skill', 'new', 'audit', '--notation', 'steps'])
  const steps = join(user.project, '.claude/skills/audit/steps')
  expect(lockOf(user)?.unread).not.toContain(steps)
  await user.wire(['--scope', 'local'])
  expect(lockOf(user)?.unread).toContain(steps)
})

test.each(['user', 'project'])('a project is not locked in the settings of scope %s', async (scope) => {
  await using user = await lockable()
  const { code, stderr } = await user.run(['init', '--locked', '--scope', scope, '--yes'])
  expect(code).not.toBe(0)
  expect(stderr).toContain('holdfast init --scope local --locked')
})

test('all projects at once cannot be locked', async () => {
  await using user = await lockable()
  const { code, stderr } = await user.run(['enforce', 'locked', '--default'])
  expect(code).not.toBe(0)
  expect(stderr).toContain('Each project is locked by itself.')
})

interface Found {
  readonly findings: readonly { check: string; code: string | null; fix: string | null }[]
}

/** What doctor finds about the lock, besides that no client is here to prove it. */
async function found(user: User, env: Readonly<Record<string, string>> = {}) {
  const { stdout } = await user.run(['doctor', '--json'], { env })
  const { findings } = JSON.parse(stdout) as Found
  return findings.flatMap(({ check, code, fix }) =>
    check === 'lock' && code !== 'lock-unproved' ? [{ code, fix }] : [],
  )
}

const AGAIN = 'holdfast init --scope local --locked --yes'

test('doctor says what opens a lock, and its commands close it', async () => {
  await using user = await lockable()
  await user.wire(['--locked'])
  expect(await found(user)).toEqual([])
  const init = () => user.json(AGAIN.split(' ').slice(1))

  await user.json(['skill', 'new', 'audit', '--notation', 'steps'])
  expect(await found(user)).toEqual([{ code: 'lock-behind', fix: AGAIN }])
  await init()

  const text = readFileSync(local(user), 'utf8')
  writeFileSync(local(user), text.replace('"failIfUnavailable": true', '"failIfUnavailable": false'))
  expect(await found(user)).toEqual([{ code: 'lock-off', fix: AGAIN }])
  await init()
  expect(await found(user)).toEqual([])

  const foreign = join(user.clientConfig, 'settings.json')
  mkdirSync(user.clientConfig, { recursive: true })
  writeFileSync(foreign, '{"sandbox":{"excludedCommands":["docker *"]}}')
  expect(await found(user)).toEqual([{ code: 'lock-foreign', fix: `edit ${foreign}` }])
  writeFileSync(foreign, '{}')

  const bare = { PATH: dirname(user.holdfast) }
  expect(await found(user, bare)).toContainEqual({
    code: 'lock-programs',
    fix: 'sudo apt install bubblewrap socat',
  })
})

test('doctor proves nothing without the client, and says so', async () => {
  await using user = await lockable()
  await user.wire(['--locked'])
  const { stdout } = await user.run(['doctor'])
  expect(stdout).toContain('Not proved: claude does not start')
})

test('steps that git tracks are told, with the command that keeps them from being committed as deleted', async () => {
  await using user = await lockable()
  const git = (...words: readonly string[]) =>
    execFileSync('git', words, { cwd: user.project, encoding: 'utf8' })
  git('init', '-q')
  git('add', '-A')
  const { warnings } = await user.wire<{ warnings: readonly string[] }>(['--locked'])
  expect(warnings.join('\n')).toContain('git tracks .claude/skills/deploy/steps')
  for (const { code, fix } of await found(user)) {
    expect(code).toBe('lock-git')
    if (fix?.startsWith('move') === false) execSync(fix, { cwd: user.project })
  }
  const steps = () => git('ls-files', '-t', '.claude/skills/deploy/steps')
  expect(steps()).toMatch(/^S /)
  const left = await found(user)
  expect(left).toEqual([{ code: 'lock-git', fix: 'move the skill out of the repository' }])
  // Without the sandbox, what git was told would only hide the files of the user.
  const lower = ['init', '--scope', 'local', '--strict', '--yes']
  const told = await user.json<{ warnings: readonly string[] }>([...lower, '--dry-run'])
  const [shows] = /(?<=Fix: )git .*/.exec(told.warnings.join('\n')) ?? []
  const gone = await user.json<{ warnings: readonly string[] }>(['uninstall'])
  expect(gone.warnings.join('\n')).toContain(`Fix: ${shows}`)
  expect(gone.warnings.join('\n')).toContain('.git/info/exclude still hides')
  execSync(shows ?? '', { cwd: user.project })
  expect(steps()).not.toMatch(/^S /m)
})
