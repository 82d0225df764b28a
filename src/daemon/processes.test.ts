import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { findProcess, isRunning } from './processes.ts'

test.runIf(process.platform === 'linux')(
  'a process runs until it has ended, and its number alone is not it',
  async () => {
    const child = spawn('sleep', ['600'])
    const pid = child.pid ?? 0
    const { id, ticks, parent } = findProcess(pid) ?? { id: '', ticks: 0, parent: 0 }
    expect(parent).toBe(process.pid)
    expect(isRunning(id)).toBe(true)
    expect(isRunning(`${pid}:${ticks - 1}`)).toBe(false)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(isRunning(id)).toBe(false)
  },
)
