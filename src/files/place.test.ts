import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { place } from './place.ts'

// Processes of two machines on one disk may have the same number too.
test('two that place the same file at once do not take each other’s work', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-place-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'file')
  const { promise: bothBegun, resolve } = Promise.withResolvers<void>()
  let begun = 0
  const placed = ['one', 'two'].map((text) =>
    place(path, async (fresh) => {
      writeFileSync(fresh, text)
      if (++begun === 2) resolve()
      await bothBegun
      expect(readFileSync(fresh, 'utf8')).toBe(text)
    }),
  )
  await Promise.all(placed)
  expect(['one', 'two']).toContain(readFileSync(path, 'utf8'))
  expect(readdirSync(folder)).toEqual(['file'])
})
