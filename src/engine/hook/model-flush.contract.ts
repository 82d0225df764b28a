import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { WITH_MODELS } from '../../ai/loopback.contract.ts'
import { join } from 'node:path'
import { type ClientAt, clientIn } from './client.contract.ts'
import { type Answer, type World, writeFiles } from '../world.contract.ts'

/** What a model finds in a session before its compaction. */
export function modelFlushContract(world: () => World): void {
  /** A session in a project, with a model or without one, that has said something. */
  const spoken = async (folder: string): Promise<ClientAt> => {
    const it = clientIn(world(), join(world().project, world().name('repo'), folder))
    await writeFiles({ '.git/HEAD': '' }, it.project)
    await it.start()
    await it.prompt('Make the violet page.\nNote: the port is fixed.')
    await it.fire('Stop', { last_assistant_message: 'I will ask about the key later.' })
    return it
  }
  const answers = (...notes: readonly string[]) =>
    world().models.tricks.push({
      change: (answer) => ({
        ...answer,
        choices: [{ message: { content: JSON.stringify(notes) }, finish_reason: 'stop' }],
      }),
    })
  const queued = async (it: ClientAt): Promise<readonly string[]> =>
    (await world().call('queue.list', { path: it.project })).map(({ content }: Answer) => content)
  const entriesOf = async (it: ClientAt) => {
    const rows = await it.rows(
      `select event_type, payload from life_event where session_id = '${it.session}' order by seq`,
    )
    return rows
      .filter(({ event_type }) => event_type === 'queue.flushed')
      .map(({ payload }) => JSON.parse(payload))
  }
  /** The model is asked beside the hook. */
  const flushed = async (it: ClientAt, count = 1) => {
    for (;;) {
      const entries = await entriesOf(it)
      if (entries.length >= count) return entries
      await sleep(10)
    }
  }

  describe('a compaction with a model', () => {
    test('puts what the model finds into the queue, beside the marked notes, which are there at once', async () => {
      const it = await spoken(WITH_MODELS)
      answers('Ask about the key.')
      await it.fire('PreCompact', { trigger: 'auto' })
      expect(await queued(it)).toContain('Note: the port is fixed.')
      expect(await flushed(it)).toEqual([{ by: 'openai-compatible/large', notes: 1 }])
      expect(await queued(it)).toContain('Ask about the key.')
      const asked = JSON.stringify(world().models.requests.at(-1)?.body)
      expect(asked).toContain('I will ask about the key later.')
      expect(asked).toContain('- Note: the port is fixed.')
    })

    test('waits for no model, keeps the marked notes if it fails, and says why', async () => {
      const it = await spoken(WITH_MODELS)
      world().models.tricks.push({ status: 401, body: { error: { message: 'no' } } })
      expect(await it.fire('PreCompact', { trigger: 'auto' })).toMatchObject({ decision: 'allow' })
      expect(await flushed(it)).toMatchObject([{ notes: 0, missed: expect.any(String) as string }])
      expect(await queued(it)).toEqual(['Note: the port is fixed.'])
    })

    test('asks once for a context, and takes what it cannot read for nothing', async () => {
      const it = await spoken(WITH_MODELS)
      const before = world().models.requests.length
      await it.fire('PreCompact', { trigger: 'auto' })
      await flushed(it)
      await it.fire('PreCompact', { trigger: 'auto' })
      await it.start('compact')
      await it.prompt('Go on')
      await it.fire('PreCompact', { trigger: 'manual' })
      expect(await flushed(it, 2)).toMatchObject([{ notes: 0 }, { notes: 0 }])
      expect(world().models.requests.length).toBe(before + 2)
    })

    test('asks nobody where no model is set', async () => {
      const it = await spoken('plain')
      const before = world().models.requests.length
      await it.fire('PreCompact', { trigger: 'auto' })
      // The one with a model is asked later than this one would have been.
      const other = await spoken(WITH_MODELS)
      await other.fire('PreCompact', { trigger: 'auto' })
      await flushed(other)
      expect(world().models.requests.length).toBe(before + 1)
      expect(await entriesOf(it)).toEqual([])
    })
  })
}
