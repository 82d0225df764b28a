import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { age, contentOf, InstallingUser, OURS, shipped } from '../installing-user.ts'

function aUser(): InstallingUser {
  const user = new InstallingUser()
  onTestFinished(async () => await user[Symbol.asyncDispose]())
  return user
}

/** What a story does around each kill. */
interface Around {
  readonly words: readonly string[]
  readonly before: () => Promise<unknown>
  readonly after: () => Promise<unknown>
}

/** Kills a command before each change of the disk in turn, until it comes to its end; returns how often. */
async function killEach(user: InstallingUser, { words, before, after }: Around): Promise<number> {
  for (let at = 1; ; at++) {
    await before()
    const NODE_OPTIONS = `--import=${resolve('test/dying.ts')}`
    const env = { NODE_OPTIONS, HOLDFAST_TEST_DIES_AT: String(at) }
    const { code } = await user.process(['skill', ...words], { env })
    if (code === 0) return at - 1
    await after()
  }
}

test('an update that is killed at any step leaves the old skill or the new one, and the same command finishes it', async () => {
  const user = aUser()
  const [mine, explore] = [{ 'MINE.md': 'Mine.\n' }, 'agents/explore.md']
  const fresh = { ...shipped('planner'), ...mine }
  await user.install('planner')
  writeFileSync(join(user.skill('planner'), 'MINE.md'), mine['MINE.md'])
  let old = {}
  const [seen, told]: [unknown[], unknown[]] = [[], []]
  const kills = await killEach(user, {
    words: ['install', 'planner'],
    before() {
      age(user.skill('planner'), 'SKILL.md')
      age(user.own('agents'), 'explore.md')
      old = user.installed('planner')
      return Promise.resolve()
    },
    async after() {
      const there = user.installed('planner')
      // Between two moves, the folder of skills has neither, and doctor says so.
      if (!existsSync(user.skill('planner'))) told.push((await user.found()).at(0)?.fix)
      else seen.push(isDeepStrictEqual(there, old) || isDeepStrictEqual(there, fresh))
      expect(await user.run(['skill', 'install', 'planner'])).toMatchObject({ code: 0, stderr: '' })
      expect(user.installed('planner')).toEqual(fresh)
      expect(readFileSync(user.own(explore))).toEqual(readFileSync(join(OURS, explore)))
      expect(readdirSync(user.own()).toSorted()).toEqual(['agents', 'skills'])
    },
  })
  expect(kills).toBeGreaterThan(10)
  expect(new Set(seen)).toEqual(new Set([true]))
  expect(told).toEqual(['holdfast skill install planner'])
})

test('an uninstallation that is killed at any step leaves no half skill, and the same command finishes it', async () => {
  const user = aUser()
  const whole = { ...shipped('planner') }
  const seen: unknown[] = []
  const kills = await killEach(user, {
    words: ['uninstall', '--all'],
    before: () => user.install('planner'),
    async after() {
      const there = user.installed('planner')
      seen.push(!('SKILL.md' in there) || isDeepStrictEqual(there, whole))
      await user.json(['skill', 'uninstall', '--all'])
      expect(contentOf(user.own())).toEqual({})
    },
  })
  expect(kills).toBeGreaterThan(10)
  expect(new Set(seen)).toEqual(new Set([true]))
})
