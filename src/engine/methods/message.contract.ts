import { describe, expect, test } from 'vitest'
import { failure, type World } from '../world.contract.ts'

/** What the messages of a session promise. */
export function messageContract(world: () => World): void {
  const start = async () => await world().call('db.session.start', { task_id: await world().task() })

  // INV_DB_PRIMARY_FOR_TRANSCRIPTS
  describe('a transcript', () => {
    test('is kept completely and in order, and read page by page', async () => {
      const { id: session_id, effort_id } = await start()
      const said = [
        { role: 'user', content: '' },
        { role: 'assistant', content: 'ünïcode 🦀 and\nlines' },
        { role: 'tool', content: '{"a":1}', tool_name: 'Read' },
        { role: 'system', content: 'x'.repeat(100_000) },
      ]
      const seq = await world().lastSeq()
      for (const message of said) await world().call('db.messages.append', { session_id, ...message })
      const all = await world().call('db.messages.list', { session_id })
      expect(all).toMatchObject(said.map((message) => ({ session_id, tool_name: null, ...message })))
      const page = await world().call('db.messages.list', { session_id, limit: 2, offset: 1 })
      expect(page).toEqual(all.slice(1, 3))
      expect(await world().since(seq)).toMatchObject(
        said.map(({ role }) => ({ event_type: 'message.appended', effort_id, payload: { role } })),
      )
    })

    test('is read in pages that a caller can receive, however large its messages are', async () => {
      const session = await start()
      const content = 'x'.repeat(900_000)
      for (let count = 0; count < 6; count++)
        await world().call('db.messages.append', { session_id: session.id, role: 'tool', content })
      const page = (offset: number) => world().call('db.messages.list', { session_id: session.id, offset })
      expect([(await page(0)).length, (await page(5)).length, (await page(6)).length]).toEqual([5, 1, 0])
    })

    test('belongs to an existing session', async () => {
      const missing = { session_id: 999_999_999 }
      for (const work of [
        () => world().call('db.messages.list', missing),
        () => world().call('db.messages.append', { ...missing, role: 'user', content: '' }),
      ])
        expect(await failure(work())).toMatchObject({ code: 'not-found', field: 'session_id' })
    })
  })
}
