import { execFile, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
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
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import about from '../../package.json' with { type: 'json' }
import { bundle } from '../../scripts/build.ts'
import { expectStory } from '../demo-story.ts'
import { createDatabase } from '../postgres.ts'
import { sharedPostgres } from '../shared.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..')

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-package-')))
const prefix = join(folder, 'prefix')
const installed = join(prefix, 'lib', 'node_modules', 'holdfast')
const BIN = join(installed, 'bin', 'holdfast.js')

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

  test('gives authors the module holdfast/workflow, with its types', async () => {
    const text = `import { workflow } from 'holdfast/workflow'\nconsole.log(workflow('x', []).name)`
    const words = ['--input-type=module', '--eval', text]
    expect((await run(process.execPath, words, { env, cwd: installed })).stdout).toBe('x\n')
    expect(existsSync(join(installed, 'dist/workflow.d.ts'))).toBe(true)
  })

  test('has the names holdfast and engine', async () => {
    for (const name of ['holdfast', 'engine'])
      expect((await holdfast([name, '--version'])).stdout).toBe(`${about.version}\n`)
  })

  test('has what a user needs and no development files, without dependencies', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    const needed =
      'README.md LICENSE CHANGELOG.md bin/holdfast.js dist/THIRD_PARTY.txt plugin/hooks/hooks.json plugin/bin/holdfast plugin/program/bin/holdfast.js plugin/program/dist/cli.cjs .claude-plugin/marketplace.json'
    expect(files).toEqual(expect.arrayContaining(needed.split(' ')))
    expect(
      files
        .filter((file) => !/(^examples|\bcontents\/skills)\//.test(file))
        .filter((file) => /^(src|test|bench|scripts|node_modules)\b|(?<!\.d)\.ts$|\.test\./.test(file)),
    ).toEqual([])
  })

  test('includes the plugin, whose skills pass the check', async () => {
    const { stdout } = await holdfast([
      'holdfast',
      'skill',
      'check',
      join(installed, 'plugin', 'skills'),
      '--json',
    ])
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
  test.each(['cli', 'quick', 'every'])('loads %s without the libraries of the daemon', (name) => {
    const text = readFileSync(join(installed, 'dist', `${name}.cjs`), 'utf8')
    const packages = [...text.matchAll(/^\/\/ node_modules\/(.*?)\//gm)].map(([, one]) => one)
    expect(['jsonc-parser', 'diff']).toEqual(expect.arrayContaining([...new Set(packages)]))
    expect(text).not.toMatch(/ZodObject|SelectQueryBuilder|pg-protocol/)
  })

  test('is complete, even if several are built at once', async () => {
    const dist = join(folder, 'dist')
    await Promise.all([bundle(dist), bundle(dist), bundle(dist)])
    const programs =
      'cli config daemon damage-worker erase-worker every index-worker pg quick skill-worker skills statusline'
    const others = ['THIRD_PARTY.txt', 'contents', 'workflow.js', 'workflow.d.ts']
    const files = [...others, ...programs.split(' ').map((name) => `${name}.cjs`)]
    expect(readdirSync(dist).toSorted()).toEqual(files.toSorted())
    expect(globSync(join(folder, 'dist.*'))).toEqual([])
  })
})

/** A user without Holdfast and with only an old Node, or none, on the PATH. */
class Newcomer {
  readonly home = mkdtempSync(join(folder, 'new-'))
  readonly commands = join(this.home, '.local', 'bin')
  readonly versions = join(this.home, '.local/share/holdfast/versions')
  readonly state = join(this.home, '.local/state/holdfast')
  readonly env = { HOME: this.home, PATH: [this.commands, '/usr/bin', '/bin'].join(delimiter) }

  constructor() {
    onTestFinished(() => {
      if (existsSync(this.state)) this.holdfast('daemon', 'stop')
    })
  }

  run(program: string, words: readonly string[], around: NodeJS.ProcessEnv = this.env) {
    const options = { encoding: 'utf8', env: around, cwd: this.home } as const
    const { status, stdout, stderr } = spawnSync(program, words, options)
    return { status, stdout, stderr }
  }

  /** Runs the `init` of a package with our Node, as npx does. */
  init(from: string, ...words: readonly string[]) {
    return this.run(process.execPath, [join(from, 'bin/holdfast.js'), 'init', '--yes', ...words])
  }

  holdfast(...words: readonly string[]) {
    return this.run(join(this.commands, 'holdfast'), words)
  }

  /** The version that the running daemon was started from. */
  daemonOf(): string | undefined {
    const { pid } = JSON.parse(readFileSync(join(this.state, 'daemon.json'), 'utf8')) as { pid: number }
    const command = spawnSync('ps', ['-o', 'args=', '-p', `${pid}`], { encoding: 'utf8' }).stdout
    return /versions\/([^/]+)\/bin/.exec(command)?.[1]
  }
}

describe('init of the package', () => {
  test('keeps its own copy with its Node, is upgraded live, and leaves nothing', () => {
    const user = new Newcomer()
    writeFileSync(join(user.home, 'mine'), '')
    const first = user.init(installed)
    expect(first).toMatchObject({ status: 0, stderr: '' })
    expect(first.stdout).toContain('Undo at any time: holdfast uninstall --scope user\n')
    expect(first.stdout.split('\n').length).toBeLessThan(24)
    const [before = ''] = readdirSync(user.versions)
    expect(before).toMatch(new RegExp(`^${about.version}-[0-9a-f]{12}$`))
    expect(user.daemonOf()).toBe(before)
    expect(user.holdfast('doctor', '--json')).toMatchObject({ status: 0 })
    expect(user.run(join(user.state, 'bin/holdfast'), ['--version'], {}).stdout).toBe(`${about.version}\n`)

    const newer = join(user.home, 'newer')
    cpSync(installed, newer, { recursive: true })
    writeFileSync(join(newer, 'README.md'), 'Another build.\n')
    expect(user.init(newer)).toMatchObject({ status: 0, stderr: '' })
    const [after = ''] = readdirSync(user.versions)
    expect(readdirSync(user.versions)).toEqual([after])
    expect(after).not.toBe(before)
    expect(user.daemonOf()).toBe(after)
    // From the copy itself, nothing is copied again.
    expect(user.holdfast('init', '--yes')).toMatchObject({ status: 0 })
    expect(readdirSync(user.versions)).toEqual([after])

    mkdirSync(join(user.home, '.holdfast'))
    user.holdfast('init', '--scope', 'local', '--yes')
    expect(user.holdfast('uninstall', '--all')).toMatchObject({ status: 1 })
    const gone = user.holdfast('uninstall', '--all', '--yes')
    expect(gone).toMatchObject({ status: 0, stderr: '' })
    expect(gone.stdout).toContain(`Stays: ${join(user.home, '.holdfast')}\n`)
    const left = readdirSync(user.home, { recursive: true, withFileTypes: true })
    expect(
      left.filter((one) => !one.isDirectory() && !one.parentPath.startsWith(newer)).map(({ name }) => name),
    ).toEqual(['mine'])
  })

  test('keeps a copy that a daemon or a launcher of another home uses', () => {
    const user = new Newcomer()
    user.init(installed)
    const [used = ''] = readdirSync(user.versions)
    const other = { ...user.env, HOLDFAST_HOME: join(user.home, 'other') }
    const newer = join(user.home, 'newer')
    cpSync(installed, newer, { recursive: true })
    writeFileSync(join(newer, 'README.md'), 'Another build.\n')
    const words = [join(newer, 'bin/holdfast.js'), 'init', '--yes', '--scope', 'local']
    expect(user.run(process.execPath, words, other)).toMatchObject({ status: 0 })
    expect(readdirSync(user.versions)).toHaveLength(2)
    expect(readdirSync(user.versions)).toContain(used)
    const all = user.run(join(user.commands, 'holdfast'), ['uninstall', '--all', '--yes'], other)
    expect(all.stdout).toContain(`Stays: ${user.state}\n`)
    expect(user.holdfast('daemon', 'stop')).toMatchObject({ status: 0 })
    user.holdfast('uninstall', '--all', '--yes')
    expect(existsSync(user.versions)).toBe(false)
  })

  test('leaves the files of others, and says what to do about the PATH', () => {
    const user = new Newcomer()
    mkdirSync(user.commands, { recursive: true })
    writeFileSync(join(user.commands, 'engine'), 'theirs')
    const bare = { ...user.env, PATH: '/usr/bin:/bin' }
    const words = [join(installed, 'bin/holdfast.js'), 'init', '--yes']
    const { stdout } = user.run(process.execPath, words, bare)
    expect(stdout.replaceAll(/\n +/g, ' ')).toContain(
      `${user.commands} is not on your PATH. To call holdfast by its name: export PATH="$HOME/.local/bin:$PATH"\n`,
    )
    expect(stdout).toContain(`${user.state}/bin/holdfast status\n`)
    expect(readFileSync(join(user.commands, 'engine'), 'utf8')).toBe('theirs')
    user.holdfast('uninstall', '--all', '--yes')
    expect(readdirSync(user.commands)).toEqual(['engine'])
  })
})

test('a clone runs its sources, not an older build of them', () => {
  const clone = mkdtempSync(join(folder, 'clone-'))
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(clone, path)), { recursive: true })
    writeFileSync(join(clone, path), text)
  }
  cpSync(join(installed, 'bin'), join(clone, 'bin'), { recursive: true })
  put('package.json', '{"type": "module"}')
  put('dist/cli.cjs', "console.log('built')")
  put('src/cli/main.ts', "console.log('source' satisfies string)")
  const words = [join(clone, 'bin/holdfast.js'), 'status']
  expect(spawnSync(process.execPath, words, { encoding: 'utf8', env }).stdout).toBe('source\n')
})

describe('a too old Node', () => {
  const older = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((place) => join(place, 'node'))
    .find((node) => Number(versionOf(node).split('.')[0]) < 24)
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.3.0' } })`

  test('finds a newer one on the PATH, and gives its exit code', () => {
    const done = start(process.execPath, ['--import', `data:text/javascript,${pretend}`], env.PATH)
    expect(done).toMatchObject({ status: 64, stderr: expect.stringContaining('nonsense') })
  })

  test('gets one sentence with the required version and how to get it', () => {
    const told = start(process.execPath, ['--import', `data:text/javascript,${pretend}`], '')
    expect(told).toEqual(refusal('22.3.0'))
  })

  test('gets it in a real old version too', ({ skip }) => {
    skip(older === undefined, 'there is no older Node')
    expect(start(older ?? '', [], '')).toEqual(refusal(versionOf(older ?? '')))
  })
})

const versionOf = (node: string): string =>
  spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim().slice(1) ?? 'none'

function start(node: string, options: readonly string[], PATH: string) {
  const { status, stdout, stderr } = spawnSync(node, [...options, BIN, 'nonsense'], {
    encoding: 'utf8',
    env: { ...env, PATH },
  })
  return { status, stdout, stderr }
}

const refusal = (version: string) => ({
  status: 69,
  stdout: '',
  stderr: `holdfast needs Node 24.12 or newer, and this is ${version}; try: npx --yes --package=${process.platform === 'linux' ? `node-linux-${process.arch}` : 'node'}@24 -- node ${BIN} nonsense\n`,
})
