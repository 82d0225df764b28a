import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { machineOf } from './machine.ts'

function home() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-machine-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return { folder, machine: join(folder, 'machine-id') }
}

test('a home has one id for ever, private to its user, and another home has another', () => {
  const [one, other] = [home(), home()]
  const first = machineOf(one)
  expect(first.label).toBe(hostname())
  expect(machineOf(one)).toEqual(first)
  expect(statSync(one.machine).mode & 0o777).toBe(0o600)
  expect(readdirSync(one.folder)).toEqual(['machine-id'])
  expect(machineOf(other).machine_id).not.toBe(first.machine_id)
})

test('an id that cannot be read is replaced once', () => {
  const it = home()
  writeFileSync(it.machine, '')
  const { machine_id } = machineOf(it)
  expect(machine_id).toMatch(/^[0-9a-f-]{36}$/)
  expect(machineOf(it).machine_id).toBe(machine_id)
})
