import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openLog } from '../../daemon/log.ts'
import { endOf, lastLines, linesAfter, type LogLine } from './log-file.ts'

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-logs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'daemon.log')
}

const all = { isWanted: () => true }
const eventsOf = (lines: readonly LogLine[]) => lines.map(({ event }) => event)

test('the newest lines come oldest first, also from rotated logs', () => {
  const path = temporary()
  const log = openLog(path, { maxBytes: 500 })
  for (let count = 0; count < 15; count++) log.write('info', `event ${count}`)
  expect(eventsOf(lastLines(path, 10, all))).toEqual(
    Array.from({ length: 10 }, (_, index) => `event ${index + 5}`),
  )
  expect(eventsOf(lastLines(path, 1, all))).toEqual(['event 14'])
  expect(lastLines(path, 0, all)).toEqual([])
  expect(eventsOf(lastLines(path, 9, { isWanted: ({ event }) => event.endsWith('1') }))).toContain('event 11')
})

test('lines that are written later are left to the follower', async () => {
  const path = temporary()
  const log = openLog(path)
  log.write('info', 'before')
  const until = endOf(path)
  log.write('info', 'after')
  expect(eventsOf(lastLines(path, 10, { ...all, until }))).toEqual(['before'])
  expect(await linesAfter(path, until).next()).toMatchObject({ value: { event: 'after' } })
})

test('a missing log has no lines', () => {
  expect(lastLines(temporary(), 10, all)).toEqual([])
})

test('invalid lines are skipped', () => {
  const path = temporary()
  const log = openLog(path)
  log.write('info', 'one')
  appendFileSync(path, '{"time":"half a li\n\n7\nnull\n{"level":"unknown"}\n')
  log.write('info', 'two')
  expect(eventsOf(lastLines(path, 10, all))).toEqual(['one', 'two'])
})

test('a follower gets each line once, however often the log is rotated', async () => {
  const path = temporary()
  const log = openLog(path, { maxBytes: 1000 })
  log.write('info', 'before')
  const lines = linesAfter(path, endOf(path))
  const seen: string[] = []
  for (let count = 0; count < 60; count++) {
    log.write('info', `event ${count}`)
    const { value } = (await lines.next()) as { value: LogLine }
    seen.push(value.event)
  }
  expect(seen).toEqual(Array.from({ length: 60 }, (_, index) => `event ${index}`))
})

test('a follower waits for the log to exist and for complete lines', async () => {
  const path = temporary()
  const lines = linesAfter(path, endOf(path))
  const first = lines.next()
  writeFileSync(`${path}.new`, '{"level":"info","event":"ha')
  renameSync(`${path}.new`, path)
  appendFileSync(path, 'lf"}\n')
  expect(await first).toMatchObject({ value: { event: 'half' } })
})
