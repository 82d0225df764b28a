import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { walk } from './walk.ts'

function tree(...files: string[]): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-walk-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), '')
  }
  return root
}

test('finds matching files in order, and skips folders that are never of interest', async () => {
  const root = tree('b.md', 'a/2.md', 'a/1.MD', 'a/x.txt', 'node_modules/n.md', '.git/g.md')
  const { files, folders, unread } = await walk(root, /\.md$/i)
  expect(files).toEqual(['a/1.MD', 'a/2.md', 'b.md'])
  expect([...folders]).toEqual([
    ['', root],
    ['a', join(root, 'a')],
  ])
  expect(unread).toEqual([])
})

test('follows each link once, so that a cycle ends, and skips broken links', async () => {
  const root = tree('a/1.md')
  symlinkSync(root, join(root, 'a', 'circle'))
  symlinkSync('a', join(root, 'b'))
  symlinkSync('nowhere', join(root, 'c.md'))
  expect((await walk(root, /\.md$/)).files).toEqual(['a/1.md'])
})

test('stops at its limit, and reports what it has not seen', async () => {
  const root = tree('a/1.md', 'b/2.md', 'c/3.md')
  const { files, unread } = await walk(root, /\.md$/, 2)
  expect(files).toEqual(['a/1.md'])
  expect(unread).toEqual([join(root, 'b'), join(root, 'c')])
})

test('reports every folder that it reads', async () => {
  let seen = 0
  await walk(tree('a/b/1.md', 'c/2.md', 'node_modules/n.md'), /\.md$/, Infinity, { onFolder: () => seen++ })
  expect(seen).toBe(4)
})

test('fails if the root is missing', async () => {
  await expect(walk(join(tree(), 'missing'), /x/)).rejects.toThrow('ENOENT')
})

test('reads many folders at once, and always finds the same in the same order', async () => {
  const paths = Array.from({ length: 300 }, (_, at) => `${at % 7}/${at % 5}/${at}/x.md`)
  const root = tree(...paths)
  symlinkSync(join(root, '3'), join(root, '0', 'linked'))
  symlinkSync('nowhere', join(root, '1', 'gone'))
  const first = await walk(root, /\.md$/)
  expect(first.files).toHaveLength(300)
  // The link comes first, so the folder itself is not visited again.
  expect(first.files.filter((file) => file.startsWith('3/'))).toEqual([])
  expect([...first.files]).toEqual(first.files.toSorted())
  expect(first.broken).toEqual(['1/gone'])
  for (let again = 0; again < 3; again++) expect(await walk(root, /\.md$/)).toEqual(first)
})

test('a folder that is too deep is reported, and the others are read', async () => {
  const root = tree('a/1.md', 'b/2.md')
  const deep = Array.from({ length: 40 }, () => 'd').join('/')
  mkdirSync(join(root, 'b', deep), { recursive: true })
  const { files, unread } = await walk(root, /\.md$/)
  expect(files).toEqual(['a/1.md', 'b/2.md'])
  expect(unread).toEqual([join(root, 'b', Array.from({ length: 32 }, () => 'd').join('/'))])
})
