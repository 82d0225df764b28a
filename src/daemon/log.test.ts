import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { errorDetails, oldLogs, openLog } from './log.ts'

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'daemon.log')
}

const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n').slice(0, -1)

const entriesOf = (path: string) =>
  linesOf(path)
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { level: string; event: string; repeated?: number })

function written(least: string | undefined, events: readonly ('debug' | 'info' | 'warn' | 'error')[]) {
  const path = temporary()
  const log = openLog(path, least === undefined ? {} : { least })
  for (const level of events) log.write(level, `it was ${level}`, { text: 'two\nlines' })
  log.close()
  return { path, lines: linesOf(path) }
}

const ALL = ['debug', 'info', 'warn', 'error'] as const

describe('the log', () => {
  test.each([
    [undefined, ['info', 'warn', 'error']],
    ['debug', [...ALL]],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
    // An unknown level is logged first.
    ['nonsense', ['warn', 'info', 'warn', 'error']],
  ])('at %s holds %j', (least, expected) => {
    const { lines } = written(least, ALL)
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(expected)
  })

  test('is private and has one line for each event', () => {
    const { path, lines } = written('info', ['info'])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      level: 'info',
      pid: process.pid,
      event: 'it was info',
      text: 'two\nlines',
    })
  })

  test('that cannot be written stops nothing', () => {
    const log = openLog('/proc/nothing/daemon.log')
    log.write('error', 'nobody hears this')
    expect(() => log.close()).not.toThrow()
  })

  test('writes the lines that failed before with the next line that succeeds', () => {
    const path = temporary()
    const log = openLog(path)
    log.write('info', 'one')
    renameSync(path, `${path}.old`)
    mkdirSync(path)
    log.write('info', 'two')
    rmdirSync(path)
    renameSync(`${path}.old`, path)
    log.write('info', 'three')
    expect(entriesOf(path).map(({ event }) => event)).toEqual(['one', 'two', 'three'])
  })

  test('writes the same failure once a minute, with its count', () => {
    const path = temporary()
    let now = 0
    const log = openLog(path, { now: () => now })
    const fail = () =>
      log.write('warn', 'hook fault', { problem: 'It failed.', cause: errorDetails(new Error('full')) })
    for (let times = 0; times < 1000; times++) fail()
    log.write('warn', 'hook fault', { problem: 'It failed.', cause: errorDetails(new Error('another')) })
    expect(entriesOf(path)).toHaveLength(2)
    now = 60_000
    fail()
    fail()
    log.close()
    expect(entriesOf(path).map(({ repeated }) => repeated)).toEqual([undefined, undefined, 999, 1])
  })

  test('that grows too long is rotated, and three old logs are kept', () => {
    const path = temporary()
    const log = openLog(path, { maxBytes: 1000 })
    for (let count = 0; count < 100; count++) log.write('info', `event ${count}`)
    const names = [path, ...oldLogs(path)]
    expect(readdirSync(dirname(path)).toSorted()).toEqual(names.map((name) => basename(name)))
    for (const name of names.slice(1)) expect(statSync(name).size).toBeLessThan(1200)
    // The newest lines, in order and without gaps.
    const events = names.toReversed().flatMap((name) => entriesOf(name).map(({ event }) => event))
    const first = 100 - events.length
    expect(first).toBeGreaterThan(0)
    expect(events).toEqual(Array.from({ length: events.length }, (_, index) => `event ${first + index}`))
  })

  test('writes a failure again after a minute, even if the clock was set back by a day', () => {
    const path = temporary()
    let now = 100_000_000
    const log = openLog(path, { now: () => now })
    log.write('warn', 'hook fault')
    now -= 86_400_000
    for (let times = 0; times < 3; times++) log.write('warn', 'hook fault')
    expect(entriesOf(path)).toHaveLength(2)
  })

  test('writes every success', () => {
    const path = temporary()
    const log = openLog(path)
    for (let times = 0; times < 3; times++) log.write('info', 'listening')
    expect(entriesOf(path)).toHaveLength(3)
  })
})

test('an error is logged with its stack and its cause', () => {
  const error = new Error('outer', { cause: new TypeError('inner') })
  expect(errorDetails(error)).toMatchObject({
    message: 'outer',
    stack: expect.stringContaining('log.test.ts'),
    cause: expect.stringContaining('TypeError: inner'),
  })
  expect(errorDetails('text')).toEqual({ message: 'text' })
})
