import { randomUUID } from 'node:crypto'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { timestamp } from '../../model/clock.ts'
import type { World } from '../world.contract.ts'
import { clientAt } from './client.contract.ts'

/** The last words of a turn, where its transcript has the same words earlier. */
export function lastWordsContract(world: () => World): void {
  test('the last words of a turn are kept, although the same words stand earlier in its transcript', async () => {
    const it = await clientAt(world())
    const transcript_path = join(it.project, 'transcript.jsonl')
    const say = (type: string, text: string) => {
      const at = timestamp(world().context.clock.now())
      const message = { content: [{ type: 'text', text }] }
      const line = JSON.stringify({ type, uuid: randomUUID(), timestamp: at, message })
      return appendFile(transcript_path, `${line}\n`)
    }
    const tell = (event: string, more: object) => it.fire(event, { transcript_path, ...more })
    const kept = async () => {
      await world().store.flush()
      const rows = await it.rows(
        `select m.* from messages m join sessions s on s.id = m.session_id
          where s.native_id = '${it.session}' order by m.timestamp, m.id`,
      )
      return rows.map(({ role, content }) => `${role}: ${content}`)
    }
    await tell('SessionStart', { source: 'startup' })
    await tell('UserPromptSubmit', { prompt: 'Do it.' })
    await say('user', 'Do it.')
    await say('assistant', 'Done.')
    world().advance(6 * 60_000)
    // The client writes the last line of a turn later than it sends the hook.
    await tell('Stop', { last_assistant_message: 'Done.' })
    expect(await kept()).toEqual(['user: Do it.', 'assistant: Done.', 'assistant: Done.'])
    await say('assistant', 'Done.')
    await tell('PreCompact', { trigger: 'auto' })
    expect(await kept()).toEqual(['user: Do it.', 'assistant: Done.', 'assistant: Done.'])
  })
}
