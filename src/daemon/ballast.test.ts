import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { EngineError } from '../model/error.ts'
import type { Database } from '../store/database.ts'
import { Ballast, withBallast } from './ballast.ts'
import { findHome } from './home.ts'

function ballast(folder = mkdtempSync(join(tmpdir(), 'holdfast-ballast-'))) {
  const home = findHome({ HOLDFAST_HOME: folder })
  const told: string[] = []
  const log = {
    write: (level: string, event: string) => void told.push(`${level} ${event}`),
    close: () => undefined,
  }
  const one = new Ballast({ home, log })
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { home, told, one }
}

test('is made where there is room, private and whole, and made again after it was given up', async () => {
  const { home, told, one } = ballast()
  for (let round = 1; round <= 2; round++) {
    await one.look()
    expect(statSync(home.ballast)).toMatchObject({ size: 16 * 1_048_576 })
    expect(statSync(home.ballast).mode & 0o777).toBe(0o600)
    expect(one.status).toMatchObject({ has_ballast: true })
    expect(one.giveUp()).toBe(true)
    expect(one.givenUp).toBe(round)
  }
  expect(told).toContain('error disk full')
})

test('that is there is left as it is', async () => {
  const { home, told, one } = ballast()
  writeFileSync(home.ballast, 'x')
  await one.look()
  expect(readFileSync(home.ballast, 'utf8')).toBe('x')
  expect(told).toEqual([])
})

test('that a daemon was killed over while making it does not stay', () => {
  const { home } = ballast()
  const [stray, kept] = [`${home.ballast}.4711`, home.ballast]
  for (const path of [stray, kept]) writeFileSync(path, 'x')
  const { one } = ballast(home.folder)
  expect([existsSync(stray), existsSync(kept)]).toEqual([false, true])
  expect(one.status).toMatchObject({ has_ballast: true })
})

test('that is not there cannot be given up', () => {
  const { one } = ballast()
  expect(one.giveUp()).toBe(false)
  expect(one.status).toMatchObject({ has_ballast: false })
})

/** A database that is full until there is room. */
function fullDatabase(isFull: () => boolean): { database: Database; tries: () => number } {
  let tries = 0
  const transact = async <T>(): Promise<T> => {
    tries++
    const refuses = isFull()
    // Both are on their way before the first has failed.
    await sleep(1)
    if (refuses) throw new EngineError('storage-full', 'The disk is full.')
    return 'done' as T
  }
  return { database: { transact } as unknown as Database, tries: () => tries }
}

test('what a full disk has refused is done once more, for all who were refused at once', async () => {
  const { home, one } = ballast()
  writeFileSync(home.ballast, 'in the way')
  const { database, tries } = fullDatabase(() => existsSync(home.ballast))
  const both = [1, 2].map(() => withBallast(database, one).transact(() => Promise.resolve('')))
  expect(await Promise.all(both)).toEqual(['done', 'done'])
  expect(tries()).toBe(4)
})

test('a disk that stays full is told after one more try, and at once when nothing is left to give up', async () => {
  const { home, one } = ballast()
  writeFileSync(home.ballast, 'in the way')
  const { database, tries } = fullDatabase(() => true)
  const change = () => withBallast(database, one).transact(() => Promise.resolve(''))
  await expect(change()).rejects.toThrow('The disk is full.')
  expect(tries()).toBe(2)
  await expect(change()).rejects.toThrow('The disk is full.')
  expect(tries()).toBe(3)
})

test('another failure is no reason to give it up', async () => {
  const { home, one } = ballast()
  writeFileSync(home.ballast, '')
  const transact = () => Promise.reject(new EngineError('unavailable', 'Locked.'))
  await expect(
    withBallast({ transact } as unknown as Database, one).transact(() => Promise.resolve('')),
  ).rejects.toThrow('Locked.')
  expect(existsSync(home.ballast)).toBe(true)
})
