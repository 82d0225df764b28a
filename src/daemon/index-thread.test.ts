import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { IndexThread } from './index-thread.ts'

test('a question right after the thread was ended has a new one answer it', async () => {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-thread-'))
  writeFileSync(join(root, 'a.md'), 'x')
  const thread = new IndexThread(undefined)
  expect(await thread.ask({ kind: 'files', root })).toEqual(['a.md'])
  thread.close()
  expect(await thread.ask({ kind: 'files', root })).toEqual(['a.md'])
  thread.close()
})

test('what an ended thread was asked fails, and holds nobody up', async () => {
  const thread = new IndexThread(undefined)
  const answer = thread.ask({ kind: 'files', root: '/' })
  thread.close()
  await expect(answer).rejects.toThrow(/ended/)
})
