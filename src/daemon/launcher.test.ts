import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findHome } from './home.ts'
import {
  canLaunch,
  durableEntry,
  holdfastOnPath,
  keepLauncher,
  readLauncher,
  removeLauncher,
  writeLauncher,
} from './launcher.ts'
import { VERSION } from './version.ts'

const NODE = process.execPath

function scene() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast o\'launch "$x" ')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const put = (path: string, text: string, mode = 0o755) => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text, { mode })
    return file
  }
  const home = findHome({ HOME: folder, HOLDFAST_HOME: join(folder, 'my home') })
  const tells = 'console.log(JSON.stringify([process.env.HOLDFAST_HOME, ...process.argv.slice(2)]))\n'
  return { folder, put, home, entry: put('a program/holdfast.cjs', tells) }
}

const run = (launcher: string, words: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  spawnSync(launcher, words, { encoding: 'utf8', env })

describe('a launcher', () => {
  test('runs the program with every argument in its own home, whatever the environment', () => {
    const { home, entry } = scene()
    writeLauncher(home, { node: NODE, entry })
    expect(statSync(home.launcher).mode & 0o777).toBe(0o700)
    const words = ['log', 'it\'s "a" $HOME `x`', '', '-']
    for (const env of [{}, { HOLDFAST_HOME: '/elsewhere', PATH: '' }])
      expect(JSON.parse(run(home.launcher, words, env).stdout)).toEqual([home.folder, ...words])
    expect(canLaunch(home)).toBe(true)
  })

  test('says how to install a program that is gone', () => {
    const { home, entry } = scene()
    writeLauncher(home, { node: NODE, entry })
    rmSync(entry)
    expect(run(home.launcher, [])).toMatchObject({
      status: 69,
      stdout: '',
      stderr: `holdfast: ${entry} no longer exists. Install it again, in a clone of holdfast: npx holdfast init\n`,
    })
    expect(canLaunch(home)).toBe(false)
  })

  test('is replaced by the same or a newer version, and by an older one only if it does not run', () => {
    const { home, entry, put } = scene()
    const other = put('other.cjs', '')
    const versionIs = (version: string) =>
      writeFileSync(
        home.launcher,
        readFileSync(home.launcher, 'utf8').replace(/"version":"[^"]*"/, `"version":"${version}"`),
      )
    writeLauncher(home, { node: NODE, entry })
    writeLauncher(home, { node: NODE, entry: other })
    expect(readLauncher(home)).toEqual({ version: VERSION, node: NODE, entry: other })
    keepLauncher(home, { node: NODE, entry })
    expect(readLauncher(home)?.entry).toBe(other)
    versionIs('0.0.1')
    keepLauncher(home, { node: NODE, entry })
    expect(readLauncher(home)).toEqual({ version: VERSION, node: NODE, entry })
    versionIs('99.0.0')
    writeLauncher(home, { node: NODE, entry: other })
    expect(readLauncher(home)?.entry).toBe(entry)
    rmSync(entry)
    writeLauncher(home, { node: NODE, entry: other })
    expect(readLauncher(home)).toEqual({ version: VERSION, node: NODE, entry: other })
  })

  test('prefers a program that stays to one in the npx cache', () => {
    const { home, entry, put } = scene()
    const cached = put('_npx/1/holdfast.cjs', '')
    keepLauncher(home, { node: NODE, entry: cached })
    expect(readLauncher(home)?.entry).toBe(cached)
    keepLauncher(home, { node: NODE, entry })
    writeLauncher(home, { node: NODE, entry: cached })
    expect(readLauncher(home)?.entry).toBe(entry)
  })

  test.each(['', 'garbage', '#!/bin/sh\n# {"version":', '#!/bin/sh\n# null\n'])('replaces %j', (text) => {
    const { home, entry, put } = scene()
    put('my home/bin/holdfast', text)
    chmodSync(home.folder, 0o700)
    keepLauncher(home, { node: NODE, entry })
    expect(canLaunch(home)).toBe(true)
  })

  test('is removed without the other files of its folder', () => {
    const { home, entry, put } = scene()
    writeLauncher(home, { node: NODE, entry })
    removeLauncher(home)
    expect(existsSync(dirname(home.launcher))).toBe(false)
    writeLauncher(home, { node: NODE, entry })
    const theirs = put('my home/bin/theirs', '')
    removeLauncher(home)
    expect([existsSync(home.launcher), existsSync(theirs)]).toEqual([false, true])
  })
})

test('holdfast on the PATH counts only where every shell finds it', () => {
  const { folder, put } = scene()
  put('node_modules/.bin/holdfast', '')
  put('_npx/2/holdfast', '')
  put('plain/holdfast', '', 0o644)
  mkdirSync(join(folder, 'dir', 'holdfast'), { recursive: true })
  const pathOf = (...names: readonly string[]) => ({
    PATH: names.map((name) => join(folder, name)).join(':'),
  })
  expect(holdfastOnPath(pathOf('node_modules/.bin', '_npx/2', 'plain', 'dir'))).toBeUndefined()
  expect(holdfastOnPath({ PATH: 'bin::.' })).toBeUndefined()
  expect(holdfastOnPath({})).toBeUndefined()
  const real = put('bin/holdfast', '')
  expect(holdfastOnPath(pathOf('plain', 'bin'))).toBe(real)
})

test('an npx run in a checkout uses the checkout, to which the cache only links', () => {
  const { folder, put } = scene()
  const program = put('checkout/bin/holdfast.js', '')
  mkdirSync(join(folder, '_npx/1/node_modules/.bin'), { recursive: true })
  symlinkSync('../../../checkout', join(folder, '_npx/1/node_modules/holdfast'))
  const entry = join(folder, '_npx/1/node_modules/.bin/holdfast')
  symlinkSync('../holdfast/bin/holdfast.js', entry)
  expect(durableEntry(entry, {})).toBe(program)
})

test('an npx run uses the installed program if that is ours and not older', () => {
  const { folder, put } = scene()
  const entry = put('_npx/1/node_modules/holdfast/bin/holdfast.js', '')
  const installed = put('lib/holdfast/bin/holdfast.js', '')
  const about = (name: string, version: string) =>
    put('lib/holdfast/package.json', JSON.stringify({ name, version }))
  mkdirSync(join(folder, 'bin'))
  symlinkSync(installed, join(folder, 'bin', 'holdfast'))
  const env = { PATH: join(folder, 'bin') }
  for (const [name, version] of [
    ['holdfast', '0.0.1'],
    ['other', VERSION],
  ] as const) {
    about(name, version)
    expect(durableEntry(entry, env)).toBe(entry)
  }
  about('holdfast', VERSION)
  expect(durableEntry(entry, env)).toBe(installed)
  expect(durableEntry('/opt/holdfast.js', env)).toBe('/opt/holdfast.js')
  expect(durableEntry(entry, {})).toBe(entry)
})
