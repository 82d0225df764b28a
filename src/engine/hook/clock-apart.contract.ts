import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { timestamp } from '../../model/clock.ts'
import { clientAt } from './client.contract.ts'
import type { World } from '../world.contract.ts'

/** A machine whose clock differs from ours, which is that of a server. */
export function clockApartContract(world: () => World): void {
  test.each([
    ['behind', 600_000],
    ['ahead of', -600_000],
  ])(
    'a transcript of a machine whose clock is ten minutes %s ours is read all the same',
    async (_, ahead) => {
      const { clock } = world().context
      world().putAhead(ahead)
      onTestFinished(() => world().putAhead(0))
      const it = await clientAt(world())
      const path = join(it.project, 'transcript.jsonl')
      /** A client writes the time of its machine. */
      const say = (type: string, text: string) => {
        const message = { content: [{ type: 'text', text }] }
        const line = { type, uuid: crypto.randomUUID(), timestamp: timestamp(clock.now() - ahead), message }
        return appendFile(path, `${JSON.stringify(line)}\n`)
      }
      const tell = (event: string, more: object) => it.fire(event, { transcript_path: path, ...more })
      await tell('SessionStart', { source: 'startup' })
      await tell('UserPromptSubmit', { prompt: 'Do it.' })
      await say('assistant', 'I look first.')
      await tell('Stop', { last_assistant_message: 'Done.' })
      const rows = await it.rows(
        `select messages.content from messages join sessions on sessions.id = messages.session_id
        where sessions.native_id = '${it.session}'`,
      )
      expect(rows.map(({ content }) => String(content)).toSorted()).toEqual([
        'Do it.',
        'Done.',
        'I look first.',
      ])
    },
  )
}
