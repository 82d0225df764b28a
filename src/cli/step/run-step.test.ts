import { mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Io } from '../frame/io.ts'
import { runStep } from './run-step.ts'

function runAt(command: string, longest: number) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-run-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const io: Io = {
    env: { PATH: process.env['PATH'], HOME: folder, HOLDFAST_HOME: join(folder, 'home') },
    cwd: folder,
    entry: '/opt/holdfast.js',
    json: true,
    color: false,
    isTerminal: false,
    width: 80,
    out: () => undefined,
    note: () => undefined,
  }
  const run = { effort_id: 1, step: 'a', visit: 1, command, folder, input: {}, token: 'x' }
  return { folder, result: runStep(io, run, longest) }
}

test('a command that takes too long and does not listen is killed with what it started, and has failed', async () => {
  const { folder, result } = runAt(
    `trap '' TERM; (while :; do echo x >> marks; sleep 0.05; done) & while :; do sleep 0.1; done`,
    500,
  )
  expect(await result).toMatchObject({ outcome: 'fail', reason: expect.stringContaining('did not end') })
  const { size } = statSync(join(folder, 'marks'))
  await sleep(500)
  expect(statSync(join(folder, 'marks')).size).toBe(size)
}, 20_000)
