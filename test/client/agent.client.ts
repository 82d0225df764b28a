import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import { HookRecorder, tell } from './hook-recorder.ts'
import { say, use } from './model-server.ts'

test('hooks identify a sub-agent by its id, and it reads nothing of the thread that started it', async () => {
  await using client = await RealClient.start()
  await using hooks = await new HookRecorder().listen()
  client.configure(hooks.settings('SessionStart', 'SubagentStart', 'PreToolUse'))
  hooks.reply = (event) => {
    if (event.hook_event_name === 'SessionStart') return tell(event, 'the recap of the parent')
    if (event.hook_event_name === 'SubagentStart') return tell(event, 'a word to the sub-agent')
  }
  const delegate = { description: 'Count', prompt: 'Count to one', subagent_type: 'general-purpose' }
  client.model.script('main', [use('Agent', { ...delegate, run_in_background: false })])
  client.model.script('agent', [
    use('Bash', { command: 'echo one', description: 'Count' }),
    say('It is one.'),
  ])

  const { sessionId } = await client.run('What the user wants')

  const [first, second] = client.model.of('agent')
  const agentId = first?.agentId
  expect(agentId).toBeDefined()
  expect(hooks.named('PreToolUse').map(({ tool_name, agent_id }) => ({ tool_name, agent_id }))).toEqual([
    { tool_name: 'Agent', agent_id: undefined },
    { tool_name: 'Bash', agent_id: agentId },
  ])
  expect(new Set(hooks.events.map(({ session_id }) => session_id))).toEqual(new Set([sessionId]))

  expect(first?.userTexts()).toContain('Count to one')
  expect(first?.mentions('a word to the sub-agent')).toBe(true)
  expect(second?.toolResults()).toEqual([{ tool: 'Bash', isError: false, text: 'one' }])
  for (const request of client.model.of('agent')) {
    expect(request.mentions('What the user wants')).toBe(false)
    expect(request.mentions('the recap of the parent')).toBe(false)
  }

  expect(client.model.last().toolResults()).toEqual([
    { tool: 'Agent', isError: false, text: expect.stringContaining('It is one.') },
  ])
  expect(client.model.last().mentions('a word to the sub-agent')).toBe(false)
})
