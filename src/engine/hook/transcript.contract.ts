import { randomUUID } from 'node:crypto'
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { timestamp } from '../../model/clock.ts'
import { type ClientAt, clientAt, reasonOf } from './client.contract.ts'
import type { Answer, World } from '../world.contract.ts'

/** Messages that sessions keep, from the events and the transcript of a client. */
export function transcriptContract(world: () => World): void {
  const messagesOf = async (it: ClientAt) => {
    await world().store.flush()
    return await onDisk(it)
  }
  /** On disk, without the pending state. */
  const onDisk = async (it: ClientAt) =>
    (
      await it.rows(
        `select messages.* from messages join sessions on sessions.id = messages.session_id
          where sessions.native_id = '${it.session}' order by messages.timestamp, messages.id`,
      )
    ).map(({ role, content }) => `${role}: ${content}`)
  const listed = async (it: ClientAt): Promise<readonly string[]> => {
    const id = Number((await it.windows()).at(-1)?.id)
    const list: Answer[] = await world().call('db.messages.list', { session_id: id, limit: 1000 })
    return list.map(({ role, content }) => `${role}: ${content}`)
  }
  const entry = (type: string, content: unknown, more: object = {}, flags: object = {}) =>
    `${JSON.stringify({ type, uuid: randomUUID(), timestamp: timestamp(world().context.clock.now()), message: { content, ...more }, ...flags })}\n`
  const spoken = (words: string) => [{ type: 'text', text: words }]
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

  test('prompts, refusals and last messages are on disk before the answer, with the calls before them', async () => {
    const it = await clientAt(world())
    await it.start()
    await it.prompt('/flow')
    expect(await onDisk(it)).toEqual(['user: /flow'])
    await it.use('Bash', { command: 'ls' })
    const refused = await it.read(it.flow('steps/do.md'))
    const said = [
      'user: /flow',
      'tool: {"command":"ls"} → {}',
      `tool: {"file_path":"${it.flow('steps/do.md')}"} → refused: ${reasonOf(refused)}`,
    ]
    expect(await onDisk(it)).toEqual(said)
    // A refused call is over, whatever happens to the daemon now.
    expect((await it.windows()).at(-1)?.open_calls).toBe('[]')
    await it.fire('Stop', { last_assistant_message: 'Done.' })
    await it.prompt('Go on.')
    expect(await onDisk(it)).toEqual([...said, 'assistant: Done.', 'user: Go on.'])
  })

  test('messages are listed at once, in order and once, while others are written', async () => {
    const it = await clientAt(world())
    await it.start()
    await it.prompt('Do it.')
    const expected = ['user: Do it.']
    for (let round = 0; round < 10; round++) {
      await it.use('Bash', { command: `echo ${round}` })
      expected.push(`tool: {"command":"echo ${round}"} → {}`)
      expect(await listed(it)).toEqual(expected)
      await it.use('Bash', { command: `ls ${round}` })
      expected.push(`tool: {"command":"ls ${round}"} → {}`)
      const [before, after] = await Promise.all([
        listed(it),
        world()
          .store.flush()
          .then(() => listed(it)),
      ])
      expect([before, after]).toEqual([expected, expected])
    }
  })

  test('the text within a turn is read at its end, once, wherever the client has its last message by then', async () => {
    const it = await clientWithFile()
    await it.tell('SessionStart', { source: 'startup' })
    await it.tell('UserPromptSubmit', { prompt: 'Do it.' })
    await it.say('user', 'Do it.')
    await it.say('assistant', spoken('Done.'))
    await it.use('Bash', { command: 'ls' })
    await it.say('assistant', spoken('Done.'))
    await it.tell('Stop', { last_assistant_message: 'Done.' })
    const first = ['user: Do it.', 'assistant: Done.', 'tool: {"command":"ls"} → {}', 'assistant: Done.']
    expect((await onDisk(it)).toSorted()).toEqual(first.toSorted())
    await it.tell('UserPromptSubmit', { prompt: 'More.' })
    await it.say('user', 'More.')
    await it.say('assistant', spoken('Done.'))
    await it.tell('Stop', { last_assistant_message: 'Done.' })
    await it.say('assistant', spoken('Done.'))
    const second = ['user: More.', 'assistant: Done.', 'assistant: Done.']
    expect(await onDisk(it)).toHaveLength(6)
    await it.tell('Stop', {})
    await it.tell('SessionEnd', { reason: 'other' })
    expect((await listed(it)).toSorted()).toEqual([...first, ...second].toSorted())
  })

  test('a compaction within a turn finds the notes and last words in the transcript', async () => {
    const it = await clientWithFile()
    await it.tell('SessionStart', { source: 'startup' })
    await it.tell('UserPromptSubmit', { prompt: '/flow' })
    await it.say('assistant', spoken('TODO: fix the port'))
    await it.tell('PreCompact', { trigger: 'auto' })
    const queue: Answer[] = await world().call('queue.list', { path: it.project })
    expect(queue.map(({ content }) => content)).toEqual(['TODO: fix the port'])
    const [note] = await it.rows(
      `select payload from dehydrations join efforts on efforts.id = effort_id where task_id like '${it.project}%'`,
    )
    expect(note?.payload).toContain('The agent said: TODO: fix the port')
    // The client writes these lines later.
    const summary = { isCompactSummary: true }
    await appendFile(it.path, entry('user', 'This session is being continued.', {}, summary))
    await it.tell('SessionStart', { source: 'compact' })
    await it.tell('Stop', { last_assistant_message: 'Done.' })
    expect((await messagesOf(it)).toSorted()).toEqual([
      'assistant: Done.',
      'assistant: TODO: fix the port',
      'user: /flow',
    ])
  })

  test('a handover note of a killed client has the last words of its transcript', async () => {
    const it = await clientWithFile()
    await it.tell('SessionStart', { source: 'startup' })
    await it.tell('UserPromptSubmit', { prompt: '/flow' })
    await it.use('Bash', { command: 'ls' })
    await it.say('assistant', spoken('Nobody heard this.'))
    await it.tell('SessionStart', { source: 'resume' })
    const [note] = await it.rows(
      `select payload from dehydrations join efforts on efforts.id = effort_id where task_id like '${it.project}%'`,
    )
    expect(note?.payload).toContain('The agent said: Nobody heard this.')
  })

  test('the history that a client copies into a fork belongs to the first session', async () => {
    const it = await clientWithFile()
    await it.tell('SessionStart', { source: 'fork' })
    await it.tell('Stop', { last_assistant_message: 'Done.' })
    const old = entry('assistant', spoken('An old word.')).replace(/"timestamp":"\d{4}/, '"timestamp":"2020')
    await appendFile(it.path, old)
    await it.say('assistant', spoken('A new word.'))
    await it.tell('Stop', {})
    expect((await messagesOf(it)).toSorted()).toEqual(['assistant: A new word.', 'assistant: Done.'])
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
