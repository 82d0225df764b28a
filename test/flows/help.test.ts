import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands/index.ts'
import { methods } from '../../src/cli/frame/methods.ts'
import { User } from '../holdfast.ts'

let user: User
beforeAll(async () => {
  user = new User()
  await user.run(['daemon', 'start'])
})
afterAll(() => user[Symbol.asyncDispose]())

describe('help', () => {
  test('lists every command, and each has its own help', async () => {
    const { stdout } = await user.run(['--help'])
    for (const word of [
      'status',
      'fleet',
      'ledger',
      'project',
      'task',
      'effort',
      'session',
      'agent',
      'query',
      'rpc',
      'daemon',
      'doctor',
    ])
      expect(stdout).toContain(word)
    for (const name of ['init', 'statusline', 'completion', 'hooks enable', 'span tree'])
      expect(stdout).toMatch(new RegExp(`^  ${name} {2,}[A-Z][^]*?\\.$`, 'm'))
    expect((await user.run(['help', 'effort', 'phase'])).stdout).toContain(
      'Usage: holdfast effort phase EFFORT LABEL',
    )
    for (const words of [
      ['effort', '--help'],
      ['help', 'effort'],
      ['--help', 'effort'],
    ])
      expect((await user.run(words)).stdout).toContain('holdfast effort start DIR SKILL')
    expect((await user.run(['query', '--help'])).stdout).toContain('fleet_status')
  })

  test('lists all methods with rpc --list and --describe, without a daemon', async () => {
    await using other = new User()
    const listed = await other.json<{ method: string }[]>(['rpc', '--list'])
    expect(listed.map(({ method }) => method)).toEqual(methods.map(({ name }) => name))
    const described = await other.json<{ params: { required: string[] } }>([
      'rpc',
      '--describe',
      'db.effort.start',
    ])
    expect(described.params.required).toEqual(['task_id', 'skill'])
    expect((await other.json<{ running: boolean }>(['daemon', 'status'])).running).toBe(false)
  })

  test('is data with --json', async () => {
    const all = await user.json<{ name: string }[]>([])
    expect(all.map(({ name }) => name)).toContain('effort phase')
    for (const words of [
      ['help', '--json'],
      ['--json', 'help'],
    ])
      expect(JSON.parse((await user.run(words)).stdout)).toEqual(all)
    expect(await user.json(['help', 'effort', 'phase'])).toMatchObject([
      { name: 'effort phase', flags: { proof: { kind: 'value' } } },
    ])
  })

  test('shows flags for programs only with --all', async () => {
    const key = '--idempotency-key'
    for (const words of [
      ['help'],
      ['help', 'artifact', 'put'],
      ['artifact', 'put', '--help'],
      ['help', 'artifact'],
    ])
      expect((await user.run(words)).stdout).not.toContain(key)
    for (const words of [
      ['help', '--all'],
      ['--help', '--all'],
      ['help', 'artifact', 'put', '--all'],
      ['artifact', 'put', '--all', '--help'],
      ['help', 'artifact', '--all'],
    ])
      expect((await user.run(words)).stdout).toContain(key)
    expect((await user.run(['help', 'artifact', 'put', '--json'])).stdout).not.toContain('idempotency_key')
    expect((await user.run(['help', 'artifact', 'put', '--json', '--all'])).stdout).toContain(
      'idempotency_key',
    )
    // A command may have its own flag of that name.
    expect((await user.run(['help', 'skill', 'list'])).stdout).toContain('--all')
  })

  test('with --all has every command with its arguments', async () => {
    const { stdout } = await user.run(['help', '--all'])
    for (const { name, usage } of commands) expect(stdout).toContain(`  ${`${name} ${usage}`.trimEnd()}`)
  })

  test('with --all has every flag below its command', async () => {
    const { stdout } = await user.run(['help', '--all'])
    const below = Map.groupBy(stdout.split('\n').filter(isCommandOrFlag), inOrder())
    for (const { name, usage, flags } of commands) {
      const listed = (below.get(`${name} ${usage}`.trimEnd()) ?? []).join('\n')
      for (const [flag, { advanced }] of Object.entries(flags)) {
        const form = `--${flag.replaceAll('_', '-')}`
        expect({ name, flag, listed: advanced === true ? stdout : listed }).toEqual({
          name,
          flag,
          listed: expect.stringMatching(new RegExp(`^ +${form}\\b`, 'm')),
        })
      }
    }
  })

  test('leaves the version to --version', async () => {
    for (const word of ['--version', '-V', '-v'])
      expect((await user.run([word])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

/** Lines that begin a command or one of its flags. */
const isCommandOrFlag = (line: string): boolean => /^(?: {2}[a-z]| {4}--)/.test(line)

/** Assigns each flag to the command above it. */
function inOrder(): (line: string) => string {
  let command = ''
  return (line) => {
    if (!line.startsWith('    ')) command = line.trim().split(/ {2,}/)[0] ?? ''
    return command
  }
}

describe('color', () => {
  const ESCAPE = '\u001B['
  test.each([
    ['is off in a pipe', {}, [], false],
    ['is on if forced', { FORCE_COLOR: '1' }, [], true],
    ['is off with NO_COLOR', { FORCE_COLOR: '1', NO_COLOR: '1' }, [], false],
    ['is off with --no-color', { FORCE_COLOR: '1' }, ['--no-color'], false],
  ])('%s', async (_, env, words, painted) => {
    expect((await user.run(['doctor', ...words], { env })).stdout.includes(ESCAPE)).toBe(painted)
  })
})
