import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { nodeFiles } from '../../files/node.ts'
import type { Context } from '../call/context.ts'
import { bodyIn } from './step-body.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-body-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A step file as a daemon sees it whose clock runs ahead of the disk. */
function stepFile(name: string, ahead: number, isKnown = false) {
  const file = join(folder, name)
  const counts = { reads: 0 }
  const read: typeof nodeFiles.read = (request) => {
    counts.reads++
    return nodeFiles.read(request)
  }
  const clock = { now: () => Date.now() + ahead, ...(isKnown && { ahead }) }
  const context = { files: { ...nodeFiles, read }, clock } as Context
  return {
    counts,
    write: (text: string) => writeFileSync(file, text),
    body: async () => (await bodyIn(context, file))?.lines.map(({ text }) => text),
  }
}

test('a step file is read again only after it changed', async () => {
  const { counts, write, body } = stepFile('kept.md', 60_000)
  write('Do it.\n')
  expect([await body(), await body()]).toEqual([['Do it.'], ['Do it.']])
  expect(counts.reads).toBe(1)
  await expect
    .poll(async () => {
      write('Do more.\n')
      return await body()
    })
    .toEqual(['Do more.'])
})

test('a file that changed just now is not kept, because a disk may tell the same time twice', async () => {
  const { write, body } = stepFile('fresh.md', 0)
  for (const text of ['Do it.', 'Do more.', 'Be done.']) {
    write(`${text}\n`)
    expect(await body()).toEqual([text])
  }
})

test('nor if our clock is ahead of that of the disk', async () => {
  const { write, body } = stepFile('ahead.md', 600_000, true)
  for (const text of ['Do it.', 'Do more.', 'Be done.']) {
    write(`${text}\n`)
    expect(await body()).toEqual([text])
  }
})

test('a missing file has no body', async () => {
  expect(await stepFile('none.md', 0).body()).toBeUndefined()
})
