import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { findHome } from '../../daemon/home.ts'
import type { Io } from '../frame/io.ts'
import { setConfig, unsetConfig } from './config.ts'

let io: Io
let path: string
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const env = { HOME: folder, HOLDFAST_HOME: join(folder, 'home') }
  path = findHome(env).config
  io = {
    env,
    cwd: folder,
    entry: '/opt/holdfast.js',
    json: true,
    color: false,
    isTerminal: false,
    width: 80,
    out: () => undefined,
    note: () => undefined,
  }
})

const given = (...positionals: string[]) => ({ positionals, values: {}, switches: new Set<string>() })

test('a config file without a setting is removed, with the folder that was made for it', async () => {
  await setConfig(io, given('log', 'debug'))
  expect(readFileSync(path, 'utf8')).toBe('log: debug\n')
  unsetConfig(io, given('log'))
  expect(existsSync(dirname(path))).toBe(false)
})

test('a config file that still says something stays', async () => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '# mine\n')
  await setConfig(io, given('log', 'debug'))
  unsetConfig(io, given('log'))
  expect(readFileSync(path, 'utf8')).toContain('# mine')
})

test('a link to a config file stays, and other files beside it', async () => {
  mkdirSync(dirname(path), { recursive: true })
  const real = join(dirname(path), 'real.yaml')
  writeFileSync(real, 'log: debug\n')
  symlinkSync(real, path)
  unsetConfig(io, given('log'))
  expect(lstatSync(path).isSymbolicLink()).toBe(true)
  expect(readFileSync(real, 'utf8').trim()).toBe('')
})
