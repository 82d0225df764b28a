import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Door } from './door.ts'
import { findHome } from './home.ts'
import { newKeys, readKeys, writeKeys } from './keys.ts'
import type { Log } from './log.ts'
import type { Served } from './routes/served.ts'

const log: Log = { write: () => undefined, close: () => undefined }

function newHome() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-door-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return findHome({ HOME: folder, HOLDFAST_HOME: folder })
}

test('no key is told for a port that another program has, because callers would send it there', async () => {
  const home = newHome()
  const stranger = createServer().listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  onTestFinished(() => void stranger.close())
  writeKeys(home, newKeys({ port: (stranger.address() as { port: number }).port }))
  const before = readFileSync(home.hookKey, 'utf8')
  const told: string[] = []
  const noting: Log = { ...log, write: () => void told.push(readFileSync(home.hookKey, 'utf8')) }
  const served = {} as Served
  const door = new Door({ home, log: noting, served, callers: {} })
  await door.hold()
  onTestFinished(() => door.close(0))
  expect(told[0]).toBe(before)
  expect(readKeys(home).port).toBe(door.status.port)
})

test('whoever comes to a held port waits, and is answered once the door opens', async () => {
  const home = newHome()
  const served = { dispatch: () => Promise.resolve({ reply: { heard: true } }) } as unknown as Served
  const door = new Door({ home, log, served, callers: {} })
  onTestFinished(() => door.close(0))
  await door.hold()
  const { port, hook } = readKeys(home)
  const call = () =>
    fetch(`http://127.0.0.1:${port}/hook/toy`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${hook}`, 'Content-Type': 'application/json' },
      body: '{}',
    })
  const gone = connect(port ?? 0)
  await once(gone, 'connect')
  gone.resetAndDestroy()
  const early = [call(), call()]
  door.openSoon()
  for (const answer of await Promise.all([...early, call()]))
    expect(await answer.json()).toEqual({ heard: true })
  expect(door.status).toMatchObject({ listening: true, port, problem: null })
})

test('a port that is held and never opened is free again after the close', async () => {
  const home = newHome()
  const door = new Door({ home, log, served: {} as Served, callers: {} })
  await door.hold()
  const { port } = readKeys(home)
  const waiting = connect(port ?? 0)
  await once(waiting, 'connect')
  await door.close(0)
  await once(waiting, 'close')
  const next = createServer().listen(port, '127.0.0.1')
  await once(next, 'listening')
  expect(next.address()).toMatchObject({ port })
  next.close()
})
