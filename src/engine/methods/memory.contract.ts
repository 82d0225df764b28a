import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ForgottenMark, SALT_SETTING, settingOf } from '../../store/forgotten.ts'
import { keepSetting } from '../../store/setting.ts'
import { forgottenDigest, markOfText } from '../session/forgotten.ts'
import type { Params, World } from '../world.contract.ts'

/** A part of a transcript of a session that nobody knows. */
const part = (world: World, more: Params = {}): Params => ({
  client: 'claude-code',
  session: world.name('former'),
  cwd: world.project,
  transcript: '/home/user/former.jsonl',
  from: 0,
  to: 100,
  messages: [
    { role: 'user', content: 'Why does the cerulean cache expire?', at: '2026-01-01T00:00:00.000Z', id: 'a' },
    { role: 'assistant', content: 'It lives for a minute.', at: '2026-01-01T00:01:00.000Z', id: 'b' },
  ],
  ...more,
})

/** A call that succeeds, for each method of memory that changes something. */
export const MEMORY_CHANGES = {
  'memory.import': (world: World) => part(world),
  'memory.forget': ({ name }: World) => ({ session: name('former') }),
  'memory.resume': () => ({}),
}

/** The same for the others. */
export const MEMORY_READS = {
  'memory.status': () => ({}),
  'memory.known': ({ project, name }: World) => ({
    path: project,
    sessions: [{ session: name('former'), cwd: project }],
  }),
}

/** What the import of earlier sessions promises. */
export function importContract(world: () => World): void {
  const stateOf = async (session: unknown, cwd = world().project, path?: string) => {
    const [known] = await world().call('memory.known', {
      sessions: [{ session, cwd }],
      ...(path !== undefined && { path }),
    })
    return known
  }
  const said = async (native_id: unknown) => {
    const [{ id }] = await world().call('db.session.find', { native_id })
    const messages: readonly { role: string; content: string; timestamp: string }[] = await world().call(
      'db.messages.list',
      { session_id: id },
    )
    return messages.map(({ content }) => content)
  }

  describe('an import', () => {
    test('stores an earlier session as one that is over, with its times and its words', async () => {
      const given = part(world())
      expect(await world().call('memory.import', given)).toMatchObject({
        state: 'imported',
        offset: 100,
        stored: 2,
        project_id: world().projectId,
      })
      const [session] = await world().call('db.session.find', { native_id: given['session'] })
      expect(session).toMatchObject({
        client: 'claude-code',
        created_at: '2026-01-01T00:00:00.000Z',
        ended_at: '2026-01-01T00:01:00.000Z',
        ended_reason: 'finished',
      })
      expect(await said(given['session'])).toEqual([
        'Why does the cerulean cache expire?',
        'It lives for a minute.',
      ])
      const listed: readonly { native_id: string; state: string; about: string }[] = await world().call(
        'db.session.list',
        { path: world().project, limit: 1000 },
      )
      expect(listed.find(({ native_id: id }) => id === given['session'])).toMatchObject({
        state: 'ended',
        about: 'Why does the cerulean cache expire?',
      })
    })

    test('goes on where it was, and stores a part that is sent twice only once', async () => {
      const given = part(world())
      await world().call('memory.import', given)
      expect(await stateOf(given['session'])).toMatchObject({ state: 'begun', offset: 100 })
      expect(await world().call('memory.import', given)).toMatchObject({
        state: 'moved',
        offset: 100,
        stored: 0,
      })
      const more = [{ role: 'user', content: 'And now?', at: '2026-01-02T00:00:00.000Z' }]
      const rest = { ...given, from: 100, to: 150, messages: more }
      expect(await world().call('memory.import', rest)).toMatchObject({ state: 'imported', stored: 1 })
      expect(await stateOf(given['session'])).toMatchObject({ offset: 150 })
      expect(await said(given['session'])).toHaveLength(3)
      const [session] = await world().call('db.session.find', { native_id: given['session'] })
      expect(session.ended_at).toBe('2026-01-02T00:00:00.000Z')
    })

    test('stores a part once, even if two send it at the same moment', async () => {
      const given = part(world())
      const both = await Promise.all([1, 2].map(() => world().call('memory.import', given)))
      expect(both.map(({ state }) => state as string).toSorted()).toEqual(['imported', 'moved'])
      expect(await said(given['session'])).toHaveLength(2)
    })

    test('leaves a session alone that hooks have recorded', async () => {
      const { name, project, call } = world()
      const session = name('native')
      await call('hooks.sessionStart', { session_id: session, cwd: project, source: 'startup' })
      expect(await stateOf(session)).toMatchObject({ state: 'recorded' })
      expect(await call('memory.import', part(world(), { session }))).toMatchObject({
        state: 'recorded',
        stored: 0,
      })
      expect(await said(session)).toEqual([])
    })

    test('masks secrets before they are stored', async () => {
      const key = `ghp_${'a1B2'.repeat(9)}`
      const messages = [{ role: 'user', content: `Use ${key} for it.`, at: '2026-01-01T00:00:00.000Z' }]
      const given = part(world(), { messages })
      await world().call('memory.import', given)
      expect(await said(given['session'])).toEqual(['Use [masked: github-token] for it.'])
      expect(JSON.stringify(await world().everything())).not.toContain(key)
    })

    test('knows sessions of other projects, of folders that are gone, and of removed worktrees', async () => {
      const { name, project, call } = world()
      const other = join(project, '..', name('other'))
      await mkdir(join(other, '.git'), { recursive: true })
      expect(await stateOf(name('former'), other, project)).toMatchObject({
        state: 'elsewhere',
        project: other,
      })
      expect(await stateOf(name('former'), other)).toMatchObject({ state: 'new' })
      expect(await stateOf(name('former'), '/gone/away')).toMatchObject({ state: 'gone', project: null })
      expect(await stateOf(name('former'), join(other, 'removed/worktree'))).toMatchObject({ state: 'new' })
      expect(await stateOf(name('former'), join(project, 'removed'))).toMatchObject({ state: 'new', project })
      const gone = await call('memory.import', part(world(), { cwd: '/gone/away' }))
      expect(gone).toMatchObject({ state: 'gone', stored: 0 })
    })

    test('brings back nothing that is forgotten: no session, no folder, no text', async () => {
      const { name, project, store, call } = world()
      const salt = randomBytes(8).toString('hex')
      const until = '2026-06-01T00:00:00.000Z'
      const forget = (marks: readonly ForgottenMark[]) =>
        store.transact(async (tx) => {
          await keepSetting(tx, { name: SALT_SETTING, value: salt })
          for (const mark of marks) await keepSetting(tx, settingOf(mark))
        })
      const folder = join(project, '..', name('other'))
      await mkdir(join(folder, 'packages/a'), { recursive: true })
      const session = name('former')
      const mark = (kind: 'session' | 'folder', what: string) => ({
        kind,
        digest: forgottenDigest(salt, kind, what),
        until,
      })
      await forget([
        mark('session', session),
        mark('folder', folder),
        markOfText(salt, 'Viridian Key', until),
      ])
      const put = (more: Params) => call('memory.import', part(world(), more))
      expect(await put({ session })).toMatchObject({ state: 'forgotten', stored: 0, left_out: 2 })
      expect(await stateOf(session)).toMatchObject({ state: 'forgotten' })
      expect(await put({ cwd: join(folder, 'packages/a') })).toMatchObject({ state: 'forgotten', stored: 0 })
      expect(await put({ cwd: join(folder, 'gone') })).toMatchObject({ stored: 0 })
      const copied = { content: 'Why?', role: 'user', at: '2026-01-01T00:00:00.000Z', origin: session }
      const own = { content: 'Because.', role: 'assistant', at: '2026-01-01T00:01:00.000Z' }
      const fork = { session: name('fork'), messages: [copied, own] }
      expect(await put(fork)).toMatchObject({ state: 'imported', stored: 1, left_out: 1 })
      expect(await said(fork.session)).toEqual(['Because.'])
      const later = [{ role: 'user', content: 'Later.', at: '2026-07-01T00:00:00.000Z' }]
      expect(await put({ cwd: folder, messages: later })).toMatchObject({ state: 'imported', stored: 1 })
      const messages = [
        { role: 'user', content: 'Where is the VIRIDIAN key, then?', at: '2026-01-01T00:00:00.000Z' },
        { role: 'assistant', content: 'The viridian  key is elsewhere.', at: '2026-01-01T00:01:00.000Z' },
        { role: 'user', content: 'viridian key', at: '2026-07-01T00:00:00.000Z' },
      ]
      const given = part(world(), { messages })
      expect(await call('memory.import', given)).toMatchObject({ stored: 2, left_out: 1 })
      expect(await said(given['session'])).toEqual(['The viridian  key is elsewhere.', 'viridian key'])
      await store.transact(async (tx) => {
        for (const one of ['session', 'folder', 'text'])
          await tx.execute({
            sql: `delete from settings where name like 'forgotten.${one}%'`,
            parameters: [],
          })
      })
    })
  })
}
