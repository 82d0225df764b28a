import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { filesWith, formerUser, turn } from '../former-user.ts'

interface Gone {
  readonly forgotten: boolean
  readonly sessions: number
  readonly messages: number
  readonly problem: string | null
}

/** Words that stand nowhere else. */
const [ONE, TWO, KEPT] = ['zygomorphic', 'quixotry', 'halcyonian']

/** A user with imported sessions, a recorded one, and backups that hold all of them. */
async function remembering() {
  const it = formerUser()
  const { user, put, load, hook } = it
  put('former-one', turn(`Why is the ${ONE} cache slow?`, `The ${TWO} of ${ONE} takes a minute.`))
  put('former-two', turn(`What of the ${KEPT} queue?`, `It is ${KEPT} still.`, 10))
  await load()
  await hook('witnessed', 'SessionStart', { source: 'startup' })
  await hook('witnessed', 'UserPromptSubmit', { prompt: `Look at the ${TWO} of the ${KEPT} once more.` })
  await hook('witnessed', 'Stop', { last_assistant_message: `The ${KEPT} holds.` })
  await hook('witnessed', 'SessionEnd', { reason: 'other' })
  await user.run(['index'])
  await user.run(['backup'])
  await user.run(['search', TWO])
  await user.run(['backup'])
  return it
}

describe('forget', () => {
  test('a session is in no file of the home any more, and no import brings it back', async () => {
    const { user, find, load, home } = await remembering()
    expect(filesWith(home, [ONE]).length).toBeGreaterThanOrEqual(3)
    expect(await user.json<Gone>(['forget', '--session', 'former-one', '--dry-run'])).toMatchObject({
      sessions: 1,
      messages: 2,
      forgotten: false,
    })
    expect(await find(ONE)).toEqual(['former-one'])
    expect(await user.json<Gone>(['forget', '--session', 'former-one', '--yes'])).toMatchObject({
      sessions: 1,
      messages: 2,
      forgotten: true,
      problem: null,
    })
    expect(await find(ONE)).toEqual([])
    expect(await find(KEPT)).toEqual(['former-two', 'witnessed'])
    expect(await load()).toMatchObject({ sessions: { forgotten: 1, imported: 0 } })
    expect(await load('--all-projects')).toMatchObject({ sessions: { forgotten: 1, imported: 0 } })
    expect(await find(ONE)).toEqual([])
    expect(existsSync(join(home, 'forgetting.json'))).toBe(false)
    await user.run(['daemon', 'stop'])
    expect(filesWith(home, [ONE, 'former-one'])).toEqual([])
    expect(filesWith(home, [KEPT]).length).toBeGreaterThanOrEqual(3)
  })

  test('a session does not come back by a copy of its transcript under another name, nor by its fork', async () => {
    const { user, put, find, load } = formerUser()
    const said = `{"sessionId":"former-one","forkedFrom":null,`
    const copied = `{"sessionId":"fork","forkedFrom":{"sessionId":"former-one"},`
    const old = turn(`Why is the ${ONE} cache slow?`, `The ${ONE} takes a minute.`)
    put('former-one', old.replaceAll(/^\{/gm, said))
    await load()
    await user.json<Gone>(['forget', '--session', 'former-one', '--yes'])
    put('copy', old.replaceAll(/^\{/gm, said))
    put('fork', old.replaceAll(/^\{/gm, copied) + turn(`And the ${KEPT} queue?`, 'It is fast.', 10))
    expect(await load()).toMatchObject({ sessions: { imported: 1, forgotten: 2 }, messages: 2, left_out: 4 })
    expect(await find(ONE)).toEqual([])
    expect(await find(KEPT)).toEqual(['fork'])
  })

  test('what a session under hooks said is in no file of the home any more', async () => {
    const { user, find, home } = await remembering()
    expect(await user.json<Gone>(['import', '--forget', '--session', 'witnessed', '--yes'])).toMatchObject({
      sessions: 1,
      messages: 2,
      problem: null,
    })
    expect(await find(KEPT)).toEqual(['former-two'])
    await user.run(['daemon', 'stop'])
    expect(filesWith(home, ['holds', 'once more', 'witnessed'])).toEqual([])
  })

  test('a text is in no file of the home any more, whoever said it, and no import brings it back', async () => {
    const { user, put, find, load, home } = await remembering()
    const gone = await user.json<Gone>(['forget', '--pattern', TWO.toUpperCase(), '--yes'])
    expect(gone).toMatchObject({ messages: 2, sessions: 0, problem: null })
    expect(await find(TWO)).toEqual([])
    expect(await find(ONE)).toEqual(['former-one'])
    put('former-three', turn(`Tell me of ${TWO}.`, `The answer needs none of it.`, 20))
    expect(await load()).toMatchObject({ sessions: { imported: 1 }, messages: 1, left_out: 1 })
    expect(await find(TWO)).toEqual([])
    await user.run(['daemon', 'stop'])
    expect(filesWith(home, [TWO])).toEqual([])
    expect(filesWith(home, [ONE]).length).toBeGreaterThanOrEqual(3)
  })

  test('all sessions of a project are in no file of the home any more', async () => {
    const { user, load, home } = await remembering()
    const asked = await user.run(['forget', '--project', '.'])
    expect(asked).toMatchObject({ code: 1 })
    expect(asked.stderr).toContain('holdfast forget --project . --yes')
    expect(await user.json<Gone>(['forget', '--project', '.', '--yes'])).toMatchObject({
      sessions: 3,
      problem: null,
    })
    expect(await load('--all-projects')).toMatchObject({ sessions: { imported: 0 }, messages: 0 })
    await user.run(['daemon', 'stop'])
    expect(filesWith(home, [ONE, TWO, KEPT])).toEqual([])
  })

  test('a deletion that is killed at any moment is completed by the next start, which says so', async () => {
    for (const wait of [0, 30, 200]) {
      const { user, home } = await remembering()
      const words = ['forget', '--pattern', TWO, '--yes', '--json']
      const { pid } = await user.json<{ pid: number }>(['daemon', 'status'])
      const deleting = user.process(words)
      const file = join(home, 'forgetting.json')
      while (!existsSync(file) && existsSync(home)) {
        const ended = await Promise.race([deleting, sleep(1, undefined)])
        if (ended !== undefined) break
      }
      await sleep(wait)
      process.kill(pid, 'SIGKILL')
      await deleting
      const status = await user.json<{ problem: string | null }>(['forget', '--status'])
      expect(status).toMatchObject({ step: 'done', problem: null })
      await user.run(['daemon', 'stop'])
      expect(filesWith(home, [TWO])).toEqual([])
      expect(existsSync(file)).toBe(false)
    }
  })
})
