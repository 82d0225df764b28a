import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findHome } from '../../daemon/home.ts'
import { VERSION } from '../../daemon/version.ts'
import { planOf } from './install.ts'

test('a program goes to the folder of the copies, and gets the names that are free', () => {
  const user = newUser()
  const calls = `holdfast and engine in ${user.commands} call it.`
  expect(user.plan('package')).toBe(`${PROGRAM} goes to ${user.home.programs}, with its Node; ${calls}`)
  user.put('.local/bin/engine')
  expect(user.plan('package')).toMatch(`; holdfast in ${user.commands} calls it.`)
  user.put('.local/bin/holdfast')
  expect(user.plan('package')).toBe(`${PROGRAM} goes to ${user.home.programs}, with its Node.`)
})

test('a copy is where it stays, as after the first start of the executable', () => {
  const user = newUser()
  const plan = user.plan('.local/share/holdfast/versions/1')
  expect(plan).toMatch(`${PROGRAM} is in ${user.home.programs}, with its Node; `)
})

test('a newer version stays in charge', () => {
  const user = newUser()
  const launched = { node: process.execPath, entry: user.put('newer.js'), version: '999.0.0' }
  user.put('.local/state/holdfast/bin/holdfast', `#!/bin/sh\n# ${JSON.stringify(launched)}\n`)
  expect(user.plan('package')).toBe('Version 999.0.0 is installed already, so it stays in charge.')
})

const PROGRAM = `Version ${VERSION} of the program`

function newUser() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-plan-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const env = { HOME: folder, PATH: '' }
  const home = findHome(env)
  const put = (name: string, text = ''): string => {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { mode: 0o755 })
    return path
  }
  const plan = (name: string) => {
    put(join(name, 'package.json'), '{"name": "holdfast"}')
    return planOf({ entry: put(join(name, 'bin/holdfast.js')), env }, home)
  }
  return { home, put, plan, commands: join(folder, '.local/bin') }
}
