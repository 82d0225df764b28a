import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { configReader, NOT_A_CONFIG, projectConfigPath, withUserConfig } from './config.ts'
import { findHome } from '../daemon/home.ts'

function scene() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const home = { config: join(folder, 'config.yaml') }
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return { folder, home, write }
}

test('the file of the project wins, and a change is seen at the next question', () => {
  const { folder, home, write } = scene()
  const faults: string[] = []
  const config = configReader(home.config, (_, { message }) => void faults.push(message))
  expect(config(folder)).toEqual({})
  write(home.config, 'tasks: mine\nlog: warn\n')
  expect(config(folder)).toEqual({ tasks: 'mine', log: 'warn' })
  write(projectConfigPath(folder), 'tasks: ours\n')
  expect(config(folder)).toEqual({ tasks: 'ours', log: 'warn' })
  expect(config('/nowhere')).toEqual({ tasks: 'mine', log: 'warn' })
  expect(faults).toEqual([])
})

test('a faulty file is reported once for each change, and the rest holds', () => {
  const { folder, home, write } = scene()
  const faults: string[] = []
  const config = configReader(home.config, ({ path }, { line }) => void faults.push(`${path}:${line}`))
  write(home.config, 'tasks: /abs\nhttp: on\n')
  mkdirSync(projectConfigPath(folder), { recursive: true })
  for (const _ of [1, 2]) expect(config(folder)).toEqual({ http: 'on' })
  expect(faults).toEqual([`${home.config}:1`, `${projectConfigPath(folder)}:1`])
})

test.each([
  ['a pipe', (path: string) => void execFileSync('mkfifo', [path])],
  ['a link to a device', (path: string) => symlinkSync('/dev/zero', path)],
  ['a large file', (path: string) => writeFileSync(path, `tasks: x\n${'#'.repeat(20_000)}`)],
])('%s in place of a config file is a fault, and nobody waits for it', (_, make) => {
  const { folder, home } = scene()
  const faults: string[] = []
  const config = configReader(home.config, ({ path }, { message }) => void faults.push(path, message))
  const path = projectConfigPath(folder)
  mkdirSync(dirname(path))
  make(path)
  expect(config(folder)).toEqual({})
  expect(faults).toEqual([path, NOT_A_CONFIG])
})

test('the environment wins over the file', () => {
  const { folder, home, write } = scene()
  write(home.config, 'stale_seconds: 60\nidle_seconds: 5\nhttp: off\ntasks: x\n')
  const env = withUserConfig({ HOME: folder, HOLDFAST_STALE_SECONDS: '7', HOLDFAST_HTTP: '' }, home.config)
  expect(findHome(env)).toMatchObject({ staleAfterSeconds: 7, idleSeconds: 5, opensHttp: false })
})

test('the file is where the standard says', () => {
  expect(findHome({ HOME: '/h', XDG_CONFIG_HOME: '/c' }).config).toBe('/c/holdfast/config.yaml')
  expect(findHome({ HOME: '/h', XDG_CONFIG_HOME: 'relative' }).config).toBe('/h/.config/holdfast/config.yaml')
})
