import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { EngineError } from '../model/error.ts'
import { keyFinder } from './ai-key.ts'

let folder: string
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'holdfast-keys-'))))
afterEach(async () => await rm(folder, { recursive: true }))

const KEY = 'sk-a-secret'

async function put(mode: number, text = `${KEY}\n`): Promise<string> {
  const path = join(folder, 'voyage')
  await writeFile(path, text)
  await chmod(path, mode)
  return path
}

function failure(env: Record<string, string> = {}): EngineError {
  try {
    keyFinder(env, folder)('voyage')
  } catch (error) {
    return error as EngineError
  }
  throw new TypeError('The key was used.')
}

test('a key comes from the environment, else from a private file', async () => {
  expect(keyFinder({}, folder)('voyage')).toBeUndefined()
  await put(0o600)
  expect(keyFinder({}, folder)('voyage')).toBe(KEY)
  expect(keyFinder({ VOYAGE_API_KEY: 'other' }, folder)('voyage')).toBe('other')
  expect(keyFinder({ VOYAGE_API_KEY: ' ' }, folder)('voyage')).toBe(KEY)
  expect(keyFinder({}, folder)('openai')).toBeUndefined()
})

test.each([0o640, 0o604, 0o660, 0o644])('a file with mode %o is not used', async (mode) => {
  const path = await put(mode)
  expect(failure()).toMatchObject({ code: 'forbidden', hint: `chmod 600 ${path}` })
})

test('a link, a folder and a large file are not used', async () => {
  const path = await put(0o600)
  await symlink(path, join(folder, 'openai'))
  expect(() => keyFinder({}, folder)('openai')).toThrow(EngineError)
  await mkdir(join(folder, 'gemini'))
  expect(() => keyFinder({}, folder)('gemini')).toThrow(EngineError)
  await put(0o600, 'x'.repeat(5000))
  expect(failure()).toMatchObject({ code: 'forbidden' })
})

test('a key that no header can carry is refused, and not shown', async () => {
  await put(0o600, `${KEY}\nx-evil: 1`)
  expect(failure()).toMatchObject({ code: 'invalid' })
  expect(JSON.stringify([failure(), failure().message])).not.toContain(KEY)
})
