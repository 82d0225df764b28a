import { execFile, spawnSync } from 'node:child_process'
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import about from '../../package.json' with { type: 'json' }
import { bundle } from '../../scripts/build.ts'
import { expectStory } from '../demo-story.ts'
import { createDatabase } from '../postgres.ts'
import { sharedPostgres } from '../shared.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..')
const BIN = join(ROOT, 'bin', 'holdfast.js')

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-package-')))
const prefix = join(folder, 'prefix')
const installed = join(prefix, 'lib', 'node_modules', 'holdfast')

/** A user with Node and npm, and without Holdfast. */
const env = {
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  HOME: join(folder, 'home'),
  npm_config_cache: join(folder, 'cache'),
  npm_config_update_notifier: 'false',
}

const holdfast = (words: readonly string[], more: object = {}) =>
  run(join(prefix, 'bin', words[0] ?? ''), words.slice(1), { env: { ...env, ...more }, cwd: folder })

const newDatabase = async () => createDatabase(await sharedPostgres())

beforeAll(async () => {
  await run('npm', ['pack', '--pack-destination', folder], { env, cwd: ROOT })
  const tarball = join(folder, `holdfast-${about.version}.tgz`)
  await run('npm', ['install', '--global', '--prefix', prefix, '--offline', tarball], { env, cwd: folder })
})

afterAll(async () => {
  await holdfast(['holdfast', 'daemon', 'stop']).catch(() => undefined)
  rmSync(folder, { recursive: true, force: true })
})

describe('the package, installed into an empty prefix without a network', () => {
  test('passes doctor with its own daemon, and stops', async () => {
    const { stdout } = await holdfast(['holdfast', 'doctor', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ healthy: true })
    const status = await holdfast(['engine', 'daemon', 'status', '--json'])
    expect(JSON.parse(status.stdout)).toMatchObject({ running: true, version: about.version })
    const stopped = await holdfast(['holdfast', 'daemon', 'stop', '--json'])
    expect(JSON.parse(stopped.stdout)).toMatchObject({ stopped: true })
  })

  test('replays the demo, and leaves nothing of it', async () => {
    const { stdout } = await holdfast(['holdfast', 'demo', '--json'], { TMPDIR: folder })
    expectStory(JSON.parse(stdout))
    expect(globSync(join(folder, 'holdfast-demo-*'))).toEqual([])
  })

  test('works with PostgreSQL', async () => {
    const shared = { HOLDFAST_HOME: join(folder, 'shared'), HOLDFAST_DATABASE_URL: await newDatabase() }
    const { stdout } = await holdfast(['holdfast', 'doctor', '--json'], shared).finally(() =>
      holdfast(['holdfast', 'daemon', 'stop'], shared),
    )
    expect(JSON.parse(stdout)).toMatchObject({ healthy: true })
  })

  test('runs a workflow module on request', async () => {
    await holdfast(['holdfast', 'skill', 'new', 'mine', '--notation', 'workflow', '--in', 'skills'])
    const { stdout } = await holdfast(['holdfast', 'skill', 'check', 'skills', '--run-modules', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ skills: [{ plan: 'workflow', steps: 3 }], diagnostics: [] })
  })

  test('has the names holdfast and engine', async () => {
    for (const name of ['holdfast', 'engine'])
      expect((await holdfast([name, '--version'])).stdout).toBe(`${about.version}\n`)
  })

  test('has what a user needs and no development files, without dependencies', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    const needed = [
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'bin/holdfast.js',
      'dist/THIRD_PARTY.txt',
      'plugin/hooks/hooks.json',
      '.claude-plugin/marketplace.json',
    ]
    expect(files).toEqual(expect.arrayContaining(needed))
    expect(
      files.filter((file) => /^(src|test|bench|scripts|node_modules)\b|\.ts$|\.test\./.test(file)),
    ).toEqual([])
  })

  test('includes the plugin, whose skills pass the check', async () => {
    const { stdout } = await holdfast(['holdfast', 'skill', 'check', join(installed, 'plugin'), '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ skills: [{ name: 'working-with-holdfast' }], diagnostics: [] })
  })

  test('tells the commands and standards that it ships, where a phase names them', async () => {
    const contents = join(installed, 'dist', 'contents')
    const names = readdirSync(join(contents, '.directives/commands')).map((name) => `§${name.slice(0, -3)}`)
    expect(names.length).toBeGreaterThan(0)
    const phases = [{ label: '0', name: 'Do', commands: names, standards: ['SIGILS.md'] }]
    const text = `---\nname: do\ndescription: Does.\n---\n\n\`\`\`json\n${JSON.stringify({ phases })}\n\`\`\`\n`
    mkdirSync(join(folder, '.claude/skills/make'), { recursive: true })
    writeFileSync(join(folder, '.claude/skills/make/SKILL.md'), text)
    const { stdout } = await holdfast(['holdfast', 'effort', 'start', 'tasks/one', 'make'])
    for (const name of names)
      expect(stdout).toContain(`${name}, from ${contents}/.directives/commands/${name.slice(1)}.md:`)
    expect(stdout).toContain(`SIGILS.md, from ${contents}/SIGILS.md:`)
  })

  test('draws a status line with the program that has no dependencies', async () => {
    const { stdout, stderr } = await holdfast(['holdfast', 'statusline'])
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' })
  })

  test('names the license of every package inside it', () => {
    const text = readFileSync(join(installed, 'dist', 'THIRD_PARTY.txt'), 'utf8')
    for (const name of ['kysely', 'pg', 'zod'] as const)
      expect(text).toContain(`${name} ${about.devDependencies[name]} (MIT)`)
    expect(text.match(/permission/gi)?.length).toBeGreaterThan(10)
  })

  test('keeps compiled code only in folders that no one else can write', async () => {
    await holdfast(['holdfast', '--version'])
    const cache = statSync(join(env.HOME, '.cache', 'holdfast'))
    expect(cache.mode & 0o777).toBe(0o700)
  })

  test('passes publint', async () => {
    const { messages } = await publint({ pkgDir: installed, strict: true, pack: false })
    expect(messages).toEqual([])
  })
})

describe('the bundle', () => {
  test('starts a command without the libraries of the daemon', () => {
    const text = readFileSync(join(installed, 'dist', 'cli.cjs'), 'utf8')
    const packages = [...text.matchAll(/^\/\/ node_modules\/(.*?)\//gm)].map(([, name]) => name)
    expect([...new Set(packages)]).toEqual(['jsonc-parser', 'diff'])
    expect(text).not.toMatch(/ZodObject|SelectQueryBuilder|pg-protocol/)
  })

  test('is complete, even if several are built at once', async () => {
    const dist = join(folder, 'dist')
    await Promise.all([bundle(dist), bundle(dist), bundle(dist)])
    expect(readdirSync(dist).toSorted()).toEqual([
      'THIRD_PARTY.txt',
      'cli.cjs',
      'config.cjs',
      'contents',
      'daemon.cjs',
      'pg.cjs',
      'skills.cjs',
      'statusline.cjs',
    ])
    expect(globSync(join(folder, 'dist.*'))).toEqual([])
  })
})

describe('a too old Node', () => {
  const older = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((place) => join(place, 'node'))
    .find((node) => Number(versionOf(node).split('.')[0]) < 24)

  test('gets one sentence with the required version', () => {
    const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.3.0' } })`
    const told = start(process.execPath, ['--import', `data:text/javascript,${pretend}`])
    expect(told).toEqual(refusal('22.3.0'))
  })

  test('gets it in a real old version too', ({ skip }) => {
    skip(older === undefined, 'there is no older Node')
    expect(start(older ?? '', [])).toEqual(refusal(versionOf(older ?? '')))
  })
})

const versionOf = (node: string): string =>
  spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim().slice(1) ?? 'none'

function start(node: string, options: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(node, [...options, BIN, 'status'], { encoding: 'utf8', env })
  return { status, stdout, stderr }
}

const refusal = (version: string) => ({
  status: 69,
  stdout: '',
  stderr: `holdfast needs Node 24.12 or newer, and this is ${version}; try: npm install -g node@24\n`,
})
