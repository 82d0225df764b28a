import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { missingFolders, readSettings, removeSettings, replaceSettings } from './settings-file.ts'

const root = mkdtempSync(join(tmpdir(), 'holdfast-settings-'))
afterAll(() => rmSync(root, { recursive: true }))
let folders = 0
const newFolder = () => {
  const folder = join(root, `folder-${++folders}`)
  mkdirSync(folder)
  return folder
}

test('a file that changed since it was read is not overwritten, and no temporary file stays', () => {
  const folder = newFolder()
  const path = join(folder, 'settings.json')
  writeFileSync(path, 'first')
  const file = readSettings(path)
  writeFileSync(path, 'second')
  expect(() => replaceSettings(file, 'ours')).toThrow(expect.objectContaining({ code: 'conflict' }))
  expect(() => removeSettings(file, [])).toThrow(expect.objectContaining({ code: 'conflict' }))
  const missing = readSettings(join(folder, 'other.json'))
  writeFileSync(join(folder, 'other.json'), '')
  expect(() => replaceSettings(missing, 'ours')).toThrow(expect.objectContaining({ code: 'conflict' }))
  expect(readFileSync(path, 'utf8')).toBe('second')
  expect(readdirSync(folder)).toEqual(['other.json', 'settings.json'])
})

test('new files are private, and shared ones are not', () => {
  const folder = newFolder()
  const [own, shared] = [join(folder, 'a', 'own.json'), join(folder, 'b', 'shared.json')]
  replaceSettings(readSettings(own), '{}')
  replaceSettings(readSettings(shared), '{}', { isShared: true })
  expect([own, join(folder, 'a')].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700])
  const open = 0o777 & ~process.umask()
  expect([shared, join(folder, 'b')].map((path) => statSync(path).mode & 0o777)).toEqual([open & 0o666, open])
})

test('a link to a missing file is followed, and a circular link is refused', () => {
  const folder = newFolder()
  symlinkSync('to/come.json', join(folder, 'settings.json'))
  expect(readSettings(join(folder, 'settings.json'))).toEqual({ path: join(folder, 'to', 'come.json') })
  symlinkSync('b', join(folder, 'a'))
  symlinkSync('a', join(folder, 'b'))
  expect(() => readSettings(join(folder, 'a'))).toThrow('circular link')
})

test('only empty folders are removed with a file', () => {
  const folder = newFolder()
  const path = join(folder, 'x', 'y', 'settings.json')
  const missing = missingFolders(path)
  expect(missing).toEqual([join(folder, 'x', 'y'), join(folder, 'x')])
  replaceSettings(readSettings(path), '{}')
  writeFileSync(join(folder, 'x', 'theirs'), '')
  removeSettings(readSettings(path), missing)
  expect(readdirSync(folder)).toEqual(['x'])
  expect(readdirSync(join(folder, 'x'))).toEqual(['theirs'])
})

test('a folder or a file that is not UTF-8 text is refused', () => {
  const folder = newFolder()
  expect(() => readSettings(folder)).toThrow('is not a file')
  writeFileSync(join(folder, 'utf-16'), Buffer.from('\u{feff}{}', 'utf16le'))
  expect(() => readSettings(join(folder, 'utf-16'))).toThrow('not UTF-8 text')
})
