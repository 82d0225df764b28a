import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { errorDetails, openLog } from './log.ts'

async function written(least: string | undefined, events: readonly ('debug' | 'info' | 'warn' | 'error')[]) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'daemon.log')
  const log = openLog(path, least)
  for (const level of events) log.write(level, `it was ${level}`, { text: 'two\nlines' })
  await log.close()
  return { path, lines: readFileSync(path, 'utf8').split('\n').slice(0, -1) }
}

const ALL = ['debug', 'info', 'warn', 'error'] as const

describe('the log', () => {
  test.each([
    [undefined, ['info', 'warn', 'error']],
    ['debug', [...ALL]],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
    ['nonsense', [...ALL]],
  ])('at %s holds %j', async (least, expected) => {
    const { lines } = await written(least, ALL)
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(expected)
  })

  test('is private and one line for each thing', async () => {
    const { path, lines } = await written('info', ['info'])
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

  test('that cannot be written ends nothing', async () => {
    const log = openLog('/proc/nothing/daemon.log')
    log.write('error', 'nobody hears this')
    await expect(log.close()).resolves.toBeUndefined()
  })
})

test('an error is kept with its stack and its cause', () => {
  const error = new Error('outer', { cause: new TypeError('inner') })
  expect(errorDetails(error)).toMatchObject({
    message: 'outer',
    stack: expect.stringContaining('log.test.ts'),
    cause: expect.stringContaining('TypeError: inner'),
  })
  expect(errorDetails('text')).toEqual({ message: 'text' })
})
