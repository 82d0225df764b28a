import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { formerUser, turn } from '../former-user.ts'
import { ENTRY, unwrapped, User } from '../holdfast.ts'

const CAPTURED = readFileSync('test/transcripts/claude-code.jsonl', 'utf8')
const SESSION = '22222222-2222-4222-8222-222222222222'

describe('an import', () => {
  test('lets a search find what was asked and answered before, and nothing that only a machine wrote', async () => {
    const { put, find, load } = formerUser()
    put(SESSION, CAPTURED)
    expect(await load()).toMatchObject({
      sessions: { imported: 1, recorded: 0, elsewhere: 0 },
      messages: 7,
      left_out: 0,
      lines: { not_understood: 0, too_long: 0 },
    })
    expect(await find('cerulean cache')).toEqual([SESSION])
    expect(await find('magenta')).toEqual([SESSION])
    expect(await find('ochre')).toEqual([SESSION])
    expect(await find('indigo')).toEqual([SESSION])
    for (const unsaid of ['vermilion', 'viridian', 'umber', 'sepia']) expect(await find(unsaid)).toEqual([])
  })
})

/** A transcript of many turns. */
const long = (turns: number): string =>
  Array.from({ length: turns }, (_, at) =>
    turn(`Question ${at} of heliotrope?`, `Answer ${at}.`, at + 1),
  ).join('')

describe('an import that is killed', () => {
  const TURNS = 1500

  /** How many messages of a session are stored, and how many of them are different. */
  const stored = async (user: User) => {
    const sql = 'select count(*) as total, count(distinct content) as different from messages'
    return await user.json<readonly { total: number; different: number }[]>(['query', sql])
  }

  test.each(['the command', 'the daemon'])(
    'goes on where it was, without anything twice: %s',
    async (what) => {
      const { user, put, load } = formerUser()
      put('former', long(TURNS))
      const { pid } = await user.json<{ pid: number }>(['daemon', 'start'])
      const importing = spawn(process.execPath, [ENTRY, 'import'], {
        cwd: user.project,
        env: { ...user.env },
      })
      const ended = once(importing, 'exit')
      let total = 0
      while (total === 0 && importing.exitCode === null) total = (await stored(user))[0]?.total ?? 0
      process.kill(what === 'the daemon' ? pid : (importing.pid ?? 0), 'SIGKILL')
      await ended
      const again = await load()
      expect(again.messages).toBeLessThan(2 * TURNS)
      expect(await stored(user)).toEqual([{ total: 2 * TURNS, different: 2 * TURNS }])
      expect(await load()).toMatchObject({ sessions: { up_to_date: 1, imported: 0 }, messages: 0 })
    },
  )
})

test('an import reads what a transcript got since, and leaves out what nobody can read', async () => {
  const { user, put, load, find } = formerUser()
  const first = turn('What is verdigris?', 'A green.')
  put('former', first)
  expect(await load('--dry-run')).toMatchObject({ sessions: { imported: 1 }, messages: 2 })
  expect(await user.json(['session', 'list', '--all-projects'])).toEqual([])
  expect(await load()).toMatchObject({ sessions: { imported: 1 }, messages: 2 })
  put(
    'former',
    `${first}${turn('And celadon?', 'Another.', 5)}not json\n${turn('And jade?', 'Too.', 9)}{"half`,
  )
  expect(await load()).toMatchObject({ messages: 4, lines: { read: 5, not_understood: 1 } })
  expect(await find('jade')).toEqual(['former'])
  put('huge', `${turn('What is taupe?', 'x'.repeat(17_000_000))}${turn('Is it short?', 'Yes, taupe.', 3)}`)
  expect(await load()).toMatchObject({ messages: 3, lines: { too_long: 1 } })
  expect(await find('taupe')).toEqual(['huge'])
  const listed = await user.json<readonly { native_id: string; state: string }[]>(['session', 'list'])
  expect(listed.map(({ native_id: id, state }) => `${id} ${state}`).toSorted()).toEqual([
    'former ended',
    'huge ended',
  ])
})

test('an import keeps to its project, its time and what hooks have not recorded', async () => {
  const { user, put, load, find, hook } = formerUser()
  const other = join(user.folder, 'other')
  mkdirSync(join(other, '.git'), { recursive: true })
  put('here', turn('About teal?', 'Yes.'))
  put('there', turn('About teal?', 'Yes.'), other)
  put('gone', turn('About teal?', 'Yes.'), '/gone/project')
  await hook('live', 'SessionStart', { source: 'startup' })
  put('live', turn('About teal?', 'Yes.'))
  const old = put('old', turn('About teal?', 'Yes.'))
  utimesSync(old, new Date('2020-01-01'), new Date('2020-01-01'))
  const about = { sessions: { imported: 1, elsewhere: 1, gone: 1, recorded: 1 } }
  expect(await load('--since', '7d')).toMatchObject(about)
  expect(await find('teal')).toEqual(['here'])
  expect(await load('--all-projects')).toMatchObject({ sessions: { imported: 2, up_to_date: 1 } })
  const { stdout } = await user.run(['search', 'teal', '--all-projects', '--json'])
  expect(stdout).toContain('"there"')
  expect((await user.run(['import', '--all-projects', '--project', '.'])).code).toBe(64)
})

test('an import of a folder that does not exist is refused, with the command for all projects', async () => {
  await using user = new User()
  const { code, stderr } = await user.run(['import', '--project', 'nowhere'])
  expect(code).toBe(64)
  expect(unwrapped(stderr)).toMatch(/There is no folder .*nowhere\. try: .*import --all-projects/s)
})
