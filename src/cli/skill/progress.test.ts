import { expect, test } from 'vitest'
import { Progress } from './progress.ts'

/** A search that finds a folder every few milliseconds, and its output. */
function look({ count, each, ...io }: { count: number; each: number; json?: boolean; terminal?: boolean }) {
  const told: string[] = []
  let now = 0
  const tell = (text: string) => void told.push(text)
  {
    using progress = new Progress(
      { json: io.json ?? false, width: 80, note: tell, ...(io.terminal === true && { draw: tell }) },
      () => now,
    )
    for (let seen = 0; seen < count; seen++) {
      now += each
      progress.see('folder')
    }
    progress.see('skill')
  }
  return told
}

test.each([true, false])('a short search prints nothing, on a terminal (%s) or not', (terminal) => {
  expect(look({ count: 10, each: 10, terminal })).toEqual([])
})

test('a slow start is no long search', () => {
  expect(look({ count: 1, each: 5000 })).toEqual([])
})

test('a long search prints one line after a second, and then few more', () => {
  expect(look({ count: 99, each: 10 })).toEqual([])
  expect(look({ count: 500, each: 10 })).toEqual(['Looking for skills: 101 folders, 0 skills read'])
  expect(look({ count: 2500, each: 10 })).toHaveLength(3)
})

test('a terminal shows the progress on one line, which is cleared at the end', () => {
  const told = look({ count: 50, each: 10, terminal: true })
  expect(told).toEqual([
    'Looking for skills: 21 folders, 0 skills read',
    'Looking for skills: 31 folders, 0 skills read',
    'Looking for skills: 41 folders, 0 skills read',
    '',
  ])
})

test('a note gets its own line', () => {
  const told: string[] = []
  let now = 0
  const draw = (text: string) => void told.push(`drawn: ${text}`)
  using progress = new Progress(
    { json: false, width: 80, note: (text) => void told.push(text), draw },
    () => now,
  )
  progress.see('folder')
  now = 300
  progress.see('folder')
  progress.note('It could not be read.')
  expect(told).toEqual([
    'drawn: Looking for skills: 2 folders, 0 skills read',
    'drawn: ',
    'It could not be read.',
  ])
})

test('with --json, only a terminal shows the progress', () => {
  expect(look({ count: 500, each: 10, json: true })).toEqual([])
  expect(look({ count: 500, each: 10, json: true, terminal: true }).at(-1)).toBe('')
})
