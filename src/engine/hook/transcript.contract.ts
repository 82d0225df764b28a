import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ClientAt, clientAt, reasonOf } from './client.contract.ts'
import type { World } from '../world.contract.ts'

/** Messages that sessions keep, from the events and the transcript of a client. */
export function transcriptContract(world: () => World): void {
  const messagesOf = async (it: ClientAt) => {
    await world().store.flush()
    const rows = await it.rows(
      `select messages.* from messages join sessions on sessions.id = messages.session_id
        where sessions.native_id = '${it.session}' order by messages.timestamp, messages.id`,
    )
    return rows.map(({ role, content }) => `${role}: ${content}`)
  }
  const entry = (type: string, content: unknown, more: object = {}) =>
    `${JSON.stringify({ type, timestamp: new Date().toISOString(), message: { content, ...more } })}\n`
  const clientWithFile = async () => {
    const it = await clientAt(world())
    const path = join(it.project, 'transcript.jsonl')
    const say = (type: string, content: unknown, more?: object) =>
      appendFile(path, entry(type, content, more))
    const fire = (event: string, more: object = {}) => it.fire(event, { transcript_path: path, ...more })
    return { ...it, path, say, tell: fire }
  }

  test('prompts, calls and last messages are kept in order, without those of sub-agents', async () => {
    const it = await clientAt(world())
    await it.start()
    await it.prompt('Do it.')
    await it.use('Bash', { command: 'ls' })
    await it.use('Bash', { command: 'rm' }, { agent_id: 'sub', agent_type: 'helper' })
    const failed = {
      tool_name: 'Bash',
      tool_input: { command: 'no' },
      tool_use_id: 'f',
      error: 'Exit code 1',
    }
    await it.fire('PostToolUseFailure', failed)
    await it.fire('Stop', { last_assistant_message: 'Done.' })
    expect(await messagesOf(it)).toEqual([
      'user: Do it.',
      'tool: {"command":"ls"} → {}',
      'tool: {"command":"no"} → failed: Exit code 1',
      'assistant: Done.',
    ])
  })

  test('a message needs no commit of its own', async () => {
    const it = await clientAt(world())
    await it.start()
    await world().store.flush()
    world().watch.committed.length = 0
    await it.use('Bash', { command: 'ls' })
    const direct = world().watch.committed.filter((sql) =>
      sql.some(
        (text) =>
          text.startsWith('insert into "messages"') &&
          !sql.some((one) => one.includes('heartbeat_counter" =')),
      ),
    )
    expect(direct).toEqual([])
    expect(await messagesOf(it)).toHaveLength(1)
  })

  test('messages that a crash kept from the hooks are read from the transcript, once', async () => {
    const it = await clientWithFile()
    await writeFile(it.path, '')
    await it.tell('SessionStart', { source: 'startup' })
    await it.say('user', 'go on')
    await it.tell('UserPromptSubmit', { prompt: 'go on' })
    await it.tell('Stop', { last_assistant_message: 'First.' })
    // The client writes the end of a turn after its event.
    await it.say('assistant', [{ type: 'text', text: 'First.' }])
    await it.say('user', 'go on')
    await it.tell('UserPromptSubmit', { prompt: 'go on' })
    await it.say('assistant', [{ type: 'tool_use', id: 'seen', name: 'Bash', input: { command: 'a' } }])
    const call = { tool_name: 'Bash', tool_input: { command: 'a' }, tool_use_id: 'seen', tool_response: {} }
    await it.tell('PostToolUse', call)
    await it.say('user', [{ type: 'tool_result', tool_use_id: 'seen', content: 'A' }])
    // No daemon receives the following events.
    await it.say('assistant', [
      { type: 'text', text: 'Next.' },
      { type: 'tool_use', id: 'lost', name: 'Bash', input: { command: 'b' } },
    ])
    await it.say('user', [{ type: 'tool_result', tool_use_id: 'lost', content: 'B' }])
    await it.say('user', 'go on')
    await Promise.all([
      it.tell('SessionStart', { source: 'resume' }),
      it.tell('SessionStart', { source: 'resume' }),
    ])
    await it.tell('SessionStart', { source: 'resume' })
    expect((await messagesOf(it)).toSorted()).toEqual([
      'assistant: First.',
      'assistant: Next.',
      'tool: {"command":"a"} → {}',
      'tool: {"command":"b"} → B',
      'user: go on',
      'user: go on',
      'user: go on',
    ])
  })

  test('a partial last line of a turn is read completely later', async () => {
    const it = await clientWithFile()
    await writeFile(it.path, entry('user', 'Hällo.'))
    await it.tell('SessionStart', { source: 'startup' })
    const line = Buffer.from(entry('assistant', [{ type: 'text', text: 'Größer.' }]))
    const middle = line.indexOf('ö') + 1
    await appendFile(it.path, line.subarray(0, middle))
    await it.tell('PreCompact', { trigger: 'auto' })
    await appendFile(it.path, line.subarray(middle))
    await it.tell('SessionStart', { source: 'resume' })
    await it.tell('SessionStart', { source: 'resume' })
    expect(await messagesOf(it)).toEqual(['assistant: Größer.'])
  })

  test('a refused call is kept with the reason, and not read again from the transcript', async () => {
    const it = await clientWithFile()
    await it.tell('SessionStart', { source: 'startup' })
    await it.prompt('/flow')
    const input = { file_path: it.flow('steps/do.md') }
    await it.say('assistant', [{ type: 'tool_use', id: 'r', name: 'Read', input }])
    const answer = await it.tell('PreToolUse', { tool_name: 'Read', tool_input: input, tool_use_id: 'r' })
    await it.say('user', [
      { type: 'tool_result', tool_use_id: 'r', is_error: true, content: reasonOf(answer) },
    ])
    await it.tell('SessionStart', { source: 'resume' })
    expect(await messagesOf(it)).toEqual([
      'user: /flow',
      `tool: ${JSON.stringify(input)} → refused: ${reasonOf(answer)}`,
    ])
    expect(reasonOf(answer)).toContain('look.md')
  })

  test('notes for later are queued once before the context is compacted', async () => {
    const it = await clientAt(world())
    await it.start()
    await it.prompt('Do it.\nNote: the port is fixed.')
    await it.use('Bash', { command: 'echo "TODO: only output"' })
    await it.fire('Stop', { last_assistant_message: 'Done.\n- TODO: write the docs\n```\nFIXME: code\n```' })
    const queued = async () =>
      (await world().call('queue.list', { path: it.project })).map(
        ({ kind, content }: { kind: string; content: string }) => `${kind}: ${content}`,
      )
    await it.fire('PreCompact', { trigger: 'auto' })
    expect((await queued()).toSorted()).toEqual([
      'observation: Note: the port is fixed.',
      'observation: TODO: write the docs',
    ])
    await it.fire('PreCompact', { trigger: 'auto' })
    await it.start('compact')
    await it.fire('Stop', { last_assistant_message: 'TODO: write the docs' })
    await it.fire('PreCompact', { trigger: 'manual' })
    expect(await queued()).toHaveLength(2)
  })

  test('a missing or invalid transcript changes nothing', async () => {
    const it = await clientWithFile()
    await it.tell('SessionStart', { source: 'startup' })
    await it.tell('UserPromptSubmit', { prompt: 'Hello.' })
    await it.tell('SessionStart', { source: 'resume' })
    await writeFile(it.path, '\0garbage\n{}\n[[[[\n')
    await it.tell('SessionStart', { source: 'resume' })
    expect(await messagesOf(it)).toEqual(['user: Hello.'])
  })

  test('without a status line, the transcript gives the context usage', async () => {
    const it = await clientWithFile()
    await it.tell('SessionStart', { source: 'startup' })
    const usage = async () => {
      await world().store.flush()
      return (await it.windows()).at(-1)?.context_usage
    }
    await it.tell('Stop', { last_assistant_message: 'x' })
    expect(await usage()).toBeNull()
    await it.say('assistant', [], { usage: { input_tokens: 20_000, cache_read_input_tokens: 30_000 } })
    await it.tell('Stop', { last_assistant_message: 'y' })
    expect(await usage()).toBe(0.25)
    await it.use('Bash', { command: 'ls' })
    await it.tell('SessionStart', { source: 'compact' })
    expect(await usage()).toBeNull()
    const measured = { session_id: it.session, context_window: { used_percentage: 62 } }
    await world().call('statusline.show', { payload: measured })
    await it.tell('Stop', { last_assistant_message: 'z' })
    expect(await usage()).toBe(0.62)
  })
}
