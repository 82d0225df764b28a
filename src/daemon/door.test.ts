import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { Door } from './door.ts'
import { findHome } from './home.ts'
import { newKeys, readKeys, writeKeys } from './keys.ts'
import type { Log } from './log.ts'
import type { Served } from './routes/served.ts'

test('no key is told for a port that another program has, because callers would send it there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-door-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const home = findHome({ HOME: folder, HOLDFAST_HOME: folder })
  const stranger = createServer().listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  onTestFinished(() => void stranger.close())
  writeKeys(home, newKeys({ port: (stranger.address() as { port: number }).port }))
  const before = readFileSync(home.hookKey, 'utf8')
  const told: string[] = []
  const log: Log = { write: () => void told.push(readFileSync(home.hookKey, 'utf8')), close: () => undefined }
  const served = {} as Served
  const door = new Door({ home, log, served, callers: {} })
  door.openSoon()
  while (!door.status.listening) await sleep(5)
  onTestFinished(() => door.close(0))
  expect(told[0]).toBe(before)
  expect(readKeys(home).port).toBe(door.status.port)
})
