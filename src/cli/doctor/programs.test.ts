import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findHome } from '../../daemon/home.ts'
import { VERSION } from '../../daemon/version.ts'
import type { Io } from '../frame/io.ts'
import { groups } from './groups/index.ts'
import { thisMachine } from './machine.ts'
import { Scene } from './scene.ts'

const checks = groups.flatMap((group) => group.checks)

/** A user with our hooks in the settings of the client, and with only the programs that a test gives them. */
class Visitor {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-programs-')))
  readonly config = join(this.folder, '.claude')
  env: Record<string, string> = {
    HOME: this.folder,
    HOLDFAST_HOME: join(this.folder, 'home'),
    PATH: '/usr/bin:/bin',
  }
  entry = '/opt/holdfast.js'

  constructor() {
    onTestFinished(() => rmSync(this.folder, { recursive: true }))
  }

  put(path: string, value: unknown, mode = 0o644): string {
    const file = join(this.folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value), { mode })
    return file
  }

  hook(): this {
    const command = 'exec 2>/dev/null;POST /hook/claude-code HTTP/1.1'
    this.put('.claude/settings.json', { hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } })
    return this
  }

  /** A folder of the PATH with a `holdfast` of a version. */
  command(folder: string, version: string): string {
    const path = this.put(`${folder}/holdfast`, `#!/bin/sh\necho ${version}\n`, 0o755)
    this.env = { ...this.env, PATH: [this.env['PATH'], dirname(path)].join(delimiter) }
    return path
  }

  /** Our plugin, as the client lists it, read from a marketplace in a folder. */
  plugin(): string {
    const market = join(this.folder, 'market')
    for (const name of ['.claude-plugin', 'plugin/.claude-plugin', 'plugin/bin', 'plugin/hooks'])
      cpSync(resolve(name), join(market, name), { recursive: true })
    const copy = { installPath: join(this.config, 'plugins/cache/holdfast') }
    this.put('.claude/plugins/installed_plugins.json', { plugins: { 'holdfast@holdfast': [copy] } })
    const source = { source: 'directory', path: market }
    this.put('.claude/plugins/known_marketplaces.json', { holdfast: { source } })
    return market
  }

  async look(code: string) {
    const nothing = () => undefined
    const terminal = { json: true, color: false, isTerminal: false, width: 80, out: nothing, note: nothing }
    const io: Io = { ...terminal, cwd: this.folder, entry: this.entry, env: this.env }
    const managed = () => join(this.folder, 'managed-settings.json')
    using scene = new Scene(io, findHome(this.env), { ...thisMachine, managed })
    return (await checks.find((check) => check.code === code)?.look(scene)) ?? []
  }
}

test('command-missing: agents cannot call holdfast by its name', async () => {
  const user = new Visitor()
  expect(await user.look('command-missing')).toEqual([])
  user.hook()
  expect(await user.look('command-missing')).toMatchObject([{ fix: 'holdfast init --yes' }])
  const copy = user.put('.local/share/holdfast/versions/1/holdfast', '#!/bin/sh\n', 0o755)
  mkdirSync(join(user.folder, '.local/bin'))
  symlinkSync(copy, join(user.folder, '.local/bin/holdfast'))
  const [problem] = await user.look('command-missing')
  const options = { encoding: 'utf8', env: user.env } as const
  const PATH = execFileSync('/bin/sh', ['-c', `${problem?.fix}; printf %s "$PATH"`], options)
  user.env = { ...user.env, PATH }
  expect(await user.look('command-missing')).toEqual([])
})

test('command-missing: the plugin brings the command', async () => {
  const user = new Visitor().hook()
  const market = user.plugin()
  expect(await user.look('command-missing')).toEqual([])
  rmSync(join(market, 'plugin/bin'), { recursive: true })
  expect(await user.look('command-missing')).toHaveLength(1)
})

test('copy-old and copies-several: what shells run as holdfast', async () => {
  const user = new Visitor()
  const first = user.command('first', VERSION)
  user.command('others', 'Another program')
  expect([await user.look('copy-old'), await user.look('copies-several')]).toEqual([[], []])
  const last = user.command('last', '0.0.1')
  expect(await user.look('copy-old')).toEqual([])
  expect(await user.look('copies-several')).toEqual([
    { detail: expect.stringContaining(`${first} (${VERSION}), ${last} (0.0.1)`), fix: `rm ${last}` },
  ])
  rmSync(first)
  expect(await user.look('copies-several')).toEqual([])
  expect(await user.look('copy-old')).toEqual([
    {
      detail: `${last} is version 0.0.1, but this is ${VERSION}.`,
      fix: `${process.execPath} /opt/holdfast.js init --yes`,
    },
  ])
})

test('plugin-dead: its folder is gone, or its script does not run', async () => {
  const user = new Visitor()
  const market = user.plugin()
  user.command('commands', VERSION)
  expect(await user.look('plugin-dead')).toEqual([])
  const script = join(market, 'plugin/bin/holdfast')
  chmodSync(script, 0o644)
  const instead = 'claude plugin disable holdfast@holdfast && holdfast init --yes'
  expect(await user.look('plugin-dead')).toEqual([
    { detail: expect.stringContaining(`${script} does not run`), fix: instead },
  ])
  rmSync(market, { recursive: true })
  expect(await user.look('plugin-dead')).toEqual([
    { detail: expect.stringContaining('is gone'), fix: instead },
  ])
  user.entry = resolve('bin/holdfast.js')
  const root = resolve('.')
  const fix = `npm --prefix ${root} run build && claude plugin marketplace add ${root}`
  expect(await user.look('plugin-dead')).toMatchObject([{ fix }])
})

test('plugin-old: the plugin, or what it carries', async () => {
  const user = new Visitor()
  user.plugin()
  expect(await user.look('plugin-old')).toEqual([])
  const carried = user.put('market/plugin/program/package.json', { version: '0.0.2' })
  const said = (path: string, version: string, fix: string) => ({
    detail: expect.stringContaining(`${path} says ${version}, and this is ${VERSION}.`),
    fix,
  })
  const instead = 'claude plugin disable holdfast@holdfast && holdfast init --yes'
  expect(await user.look('plugin-old')).toEqual([said(carried, '0.0.2', instead)])
  user.put('market/bin/holdfast.js', '')
  user.put('market/src/cli/main.ts', '')
  user.put('market/package.json', { name: 'holdfast' })
  const build = `npm --prefix ${join(user.folder, 'market')} run build`
  expect(await user.look('plugin-old')).toEqual([said(carried, '0.0.2', build)])
  rmSync(join(user.config, 'plugins/known_marketplaces.json'))
  const manifest = user.put('.claude/plugins/cache/holdfast/.claude-plugin/plugin.json', { version: '0.0.1' })
  const update = 'claude plugin update holdfast@holdfast'
  expect(await user.look('plugin-old')).toEqual([said(manifest, '0.0.1', update)])
})
