import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { replaceSource } from '../../store/search.ts'
import type { Forgetting } from '../call/context.ts'
import { NOTHING } from '../../store/forget.ts'
import { forgetIn } from '../../store/forget-all.ts'
import { clientIn, skillOf } from '../hook/client.contract.ts'
import { targetsOf } from './forget-targets.ts'
import { type Answer, failure, type World } from '../world.contract.ts'

/** Stands for the files of a home, which the engine does not have. */
export const FORGETS_NOTHING: Forgetting = {
  count: () => Promise.resolve(NOTHING),
  forget: () => Promise.resolve(NOTHING),
  status: () => undefined,
  resume: () => false,
}

const STEPS = { one: 'consumes: [user-request]\nproduces: [a]', two: 'consumes: [a]\nproduces: [b]' }

/** What forgetting removes from the database. */
export function forgetContract(world: () => World): void {
  /** A project in which a session worked on an effort of a skill, and said a word wherever it can. */
  const sessionAbout = async (word: string, project?: string) => {
    const folder = project ?? join(world().project, '..', world().name('about'))
    await mkdir(join(folder, '.git'), { recursive: true })
    const it = clientIn(world(), folder)
    await it.add('asking', skillOf('asking', STEPS))
    await it.start()
    await it.prompt(`/asking why ${word} is slow`)
    await it.read(join(folder, '.claude/skills/asking/steps/one.md'))
    await it.use('Bash', { command: `grep ${word} .` })
    await it.use('Write', { file_path: join(folder, `${word}.ts`), content: word })
    const effort = (await it.efforts()).at(-1)
    await world().call('artifact.put', {
      effort_id: effort.id,
      name: 'a',
      evidence: { said: word },
    })
    await world().call('db.effort.dehydrate', {
      effort_id: effort.id,
      payload: { summary: `About ${word}.` },
    })
    await world().call('queue.add', {
      project_id: await projectOf(folder),
      kind: 'bug',
      content: `${word} leaks`,
      effort_id: effort.id,
    })
    await it.fire('Stop', { last_assistant_message: `The ${word} waits.` })
    const source = { project_id: await projectOf(folder), source_type: 'message', source_path: it.session }
    const about = { ...source, digest: '1', at: new Date().toISOString() }
    const text = `The ${word} waits.`
    await world().store.transact((tx) =>
      replaceSource(tx, about, [{ line: 1, heading: 'answer', text, words: '' }]),
    )
    return { ...it, folder, effort }
  }
  const projectOf = async (path: string): Promise<number> =>
    (await world().call('db.project.list', { path }))[0].id
  const end = (it: { fire: (event: string, more: object) => Promise<unknown> }) =>
    it.fire('SessionEnd', { reason: 'other' })
  /** The tables with a row that has a word. */
  const tablesWith = async (word: string): Promise<readonly string[]> => {
    const all = await world().everything()
    return Object.entries(all).flatMap(([table, rows]) =>
      rows.some((row) =>
        Object.values(row as object).some((value) =>
          String(value).toLowerCase().includes(word.toLowerCase()),
        ),
      )
        ? [table]
        : [],
    )
  }
  /** Without the files of a home, which a world does not have. */
  const forget = async (wanted: { session?: string; path?: string; text?: string }, dryRun = false) => {
    const { store, call } = world()
    await call('memory.forget', { ...wanted, dry_run: true })
    await store.flush()
    const root =
      wanted.path === undefined ? undefined : (await call('db.project.list', { path: wanted.path }))[0]
    const targets = await store.transact((tx) =>
      targetsOf(
        tx,
        wanted.session !== undefined
          ? { kind: 'session', id: wanted.session }
          : root === undefined
            ? { kind: 'text', text: wanted.text ?? '' }
            : { kind: 'project', id: root.id },
        new Date().toISOString(),
      ),
    )
    return await forgetIn((run) => store.transact(run), { targets, dryRun })
  }
  const idsOf = (it: { session: string }) => world().call('db.session.find', { native_id: it.session })

  describe('forget', () => {
    test('deletes a session with everything that it said, and what it alone worked on', async () => {
      const it = await sessionAbout('Zygomorphic')
      const other = await sessionAbout('halcyonian', it.folder)
      await end(it)
      const before = await tablesWith('zygomorphic')
      for (const table of ['messages', 'embeddings', 'efforts', 'queue', 'dehydrations', 'life_event'])
        expect(before).toContain(table)
      const dry = await forget({ session: it.session }, true)
      expect(await tablesWith('zygomorphic')).toEqual(before)
      const gone = await forget({ session: it.session })
      expect(gone).toEqual(dry)
      expect(gone).toMatchObject({ sessions: 1, efforts: 1 })
      expect(await tablesWith('zygomorphic')).toEqual([])
      expect(await tablesWith(it.session)).toEqual([])
      expect(await idsOf(it)).toEqual([])
      expect(await tablesWith('halcyonian')).toContain('messages')
      expect(await idsOf(other)).toHaveLength(1)
      expect(await world().call('db.effort.get', { effort_id: other.effort.id })).toMatchObject({
        request: 'why halcyonian is slow',
      })
    })

    test('keeps every entry of the ledger, without its content, and refuses other changes again', async () => {
      const it = await sessionAbout('umbellate')
      await end(it)
      const count = async () => (await world().everything())['life_event']?.length ?? 0
      const before = await count()
      await forget({ session: it.session })
      expect(await count()).toBeGreaterThanOrEqual(before)
      const change = world().store.transact((tx) =>
        tx.execute({ sql: `update life_event set payload = 'x'`, parameters: [] }),
      )
      await expect(change).rejects.toThrow('Append-only')
    })

    test('refuses a session that is open, and a project with one', async () => {
      const it = await sessionAbout('petrichor')
      const refused = await failure(world().call('memory.forget', { session: it.session }))
      expect(refused).toMatchObject({ code: 'conflict' })
      expect(refused.hint).toMatch(/^holdfast session finish \d+$/)
      expect(await failure(world().call('memory.forget', { path: it.folder }))).toMatchObject({
        code: 'conflict',
      })
      expect(await tablesWith('petrichor')).toContain('messages')
      await end(it)
      await forget({ session: String((await idsOf(it))[0].id) })
      expect(await tablesWith('petrichor')).toEqual([])
    })

    test('takes the words out of an effort that others go on with, and leaves the effort', async () => {
      const it = await sessionAbout('sesquipedal')
      await end(it)
      const other = clientIn(world(), it.folder)
      await other.start()
      await world().call('commands.session.continue', { effort_id: it.effort.id, native_id: other.session })
      await forget({ session: it.session })
      // The folder of the task goes on under its name.
      expect((await tablesWith('sesquipedal')).toSorted()).toEqual([
        'artifacts',
        'efforts',
        'queue',
        'sessions',
        'tasks',
      ])
      expect(await world().call('db.effort.get', { effort_id: it.effort.id })).toMatchObject({
        request: null,
      })
      await end(other)
    })

    test('deletes all sessions of a project, and leaves its level and its skills', async () => {
      const it = await sessionAbout('quixotry')
      await end(it)
      const kept = await sessionAbout('gloaming')
      await world().call('db.project.setLevel', { path: it.folder, level: 'strict' })
      const dry = await forget({ path: it.folder }, true)
      expect(await forget({ path: it.folder })).toEqual(dry)
      expect(await tablesWith('quixotry')).toEqual([])
      expect(await tablesWith(it.session)).toEqual([])
      const [project] = await world().call('db.project.list', { path: it.folder })
      expect(project).toMatchObject({ level: 'strict' })
      const skills: readonly Answer[] = await world().call('db.skills.list', { project_id: project.id })
      expect(skills.map(({ name }) => name)).toContain('asking')
      expect(await tablesWith('gloaming')).toContain('messages')
      const again = clientIn(world(), it.folder)
      await again.start()
      await again.prompt('A new beginning.')
      expect(await tablesWith('A new beginning.')).toContain('messages')
      await end(again)
      await end(kept)
    })

    test('takes a text out of everything that was said, whatever its case, also while sessions are open', async () => {
      const it = await sessionAbout('Verschränkung "x"')
      const gone = await forget({ text: 'VERSCHRÄNKUNG "x"' })
      expect(gone.messages).toBeGreaterThanOrEqual(3)
      expect(await tablesWith('verschränkung "x"')).toEqual([])
      expect(await tablesWith(String.raw`verschränkung \"x\"`)).toEqual([])
      expect(await idsOf(it)).toHaveLength(1)
      expect(await it.prompt('Go on.')).toBeDefined()
      expect(await world().call('db.effort.get', { effort_id: it.effort.id })).toMatchObject({
        request: null,
      })
      await end(it)
    })

    test('wants one thing, and finds nothing where nothing is', async () => {
      expect(await failure(world().call('memory.forget', {}))).toMatchObject({ code: 'invalid' })
      expect(await failure(world().call('memory.forget', { session: 'a', text: 'abc' }))).toMatchObject({
        code: 'invalid',
      })
      expect(await failure(world().call('memory.forget', { path: '/' }))).toMatchObject({ code: 'not-found' })
      expect(await forget({ session: 'nobody' })).toMatchObject({ sessions: 0, messages: 0 })
      expect(await forget({ text: '%_\\' })).toMatchObject({ messages: 0 })
    })
  })
}
