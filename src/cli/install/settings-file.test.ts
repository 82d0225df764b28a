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

test('what somebody has written since it was read is not overwritten, and nothing is left behind', () => {
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

test('a link that leads to nothing yet is followed, and one that leads in a circle is refused', () => {
  const folder = newFolder()
  symlinkSync('to/come.json', join(folder, 'settings.json'))
  expect(readSettings(join(folder, 'settings.json'))).toEqual({ path: join(folder, 'to', 'come.json') })
  symlinkSync('b', join(folder, 'a'))
  symlinkSync('a', join(folder, 'b'))
  expect(() => readSettings(join(folder, 'a'))).toThrow('leads in a circle')
})

test('only folders that nobody uses go with a file', () => {
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

test('what is no file of text is refused', () => {
  const folder = newFolder()
  expect(() => readSettings(folder)).toThrow('is no file')
  writeFileSync(join(folder, 'utf-16'), Buffer.from('\u{feff}{}', 'utf16le'))
  expect(() => readSettings(join(folder, 'utf-16'))).toThrow('no text in UTF-8')
})
