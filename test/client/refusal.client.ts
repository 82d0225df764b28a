import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import { deny, HookRecorder, hookSettings } from './hook-recorder.ts'
import { say, use, useAll } from './model-server.ts'

test('the model reads the reason of a refusal instead of the file', async () => {
  await using client = await RealClient.start()
  await using hooks = await new HookRecorder().listen()
  const file = client.write('steps/02.md', 'what is in the file\n')
  client.configure(hooks.settings('PreToolUse'))
  hooks.reply = () => deny('read steps/01.md first')
  client.model.script('main', [use('Read', { file_path: file }), say('Then the first one.')])

  const { code, events } = await client.run('Read the second step')

  expect(code).toBe(0)
  expect(events.at(-1)).toMatchObject({ type: 'result', result: 'Then the first one.' })
  expect(hooks.events).toMatchObject([{ tool_name: 'Read', tool_input: { file_path: file } }])
  expect(client.model.last().toolResults()).toEqual([
    { tool: 'Read', isError: true, text: expect.stringContaining('read steps/01.md first') },
  ])
  expect(client.model.last().mentions('what is in the file')).toBe(false)
})

test('of parallel calls, only the refused one does not reach the model', async () => {
  await using client = await RealClient.start()
  await using hooks = await new HookRecorder().listen()
  const first = client.write('steps/01.md', 'the first step\n')
  const second = client.write('steps/02.md', 'the second step\n')
  client.configure(hooks.settings('PreToolUse'))
  hooks.reply = ({ tool_input }) => (tool_input?.['file_path'] === second ? deny('not yet') : undefined)
  client.model.script('main', [useAll(use('Read', { file_path: first }), use('Read', { file_path: second }))])

  await client.run('Read both steps')

  expect(client.model.last().toolResults()).toEqual([
    { tool: 'Read', isError: false, text: expect.stringContaining('the first step') },
    { tool: 'Read', isError: true, text: expect.stringContaining('not yet') },
  ])
})

test.each([
  { policy: 'is allowed', more: {}, isError: false, text: 'the step' },
  {
    policy: 'is refused with onFailure block',
    more: { onFailure: 'block' },
    isError: true,
    text: 'onFailure',
  },
])('if a hook gets no answer, the tool call $policy', async ({ more, isError, text }) => {
  await using client = await RealClient.start()
  const file = client.write('step.md', 'the step\n')
  client.configure(hookSettings(['PreToolUse'], await closedUrl(), more))
  client.model.script('main', [use('Read', { file_path: file })])

  await client.run('Read the step')

  expect(client.model.last().toolResults()).toEqual([
    { tool: 'Read', isError, text: expect.stringContaining(text) },
  ])
})

test('if the hooks die between two calls of a turn, the second call is allowed', async () => {
  await using client = await RealClient.start()
  const hooks = await new HookRecorder().listen()
  const file = client.write('step.md', 'the step\n')
  client.configure(hooks.settings('PreToolUse'))
  hooks.reply = () => deny('not while I live')
  client.model.script('main', async (request) => {
    const results = request.toolResults()
    if (results.length === 1) await hooks[Symbol.asyncDispose]()
    return results.length < 2 ? use('Read', { file_path: file }) : say('Read.')
  })

  await client.run('Read the step')

  expect(client.model.last().toolResults()).toEqual([
    { tool: 'Read', isError: true, text: expect.stringContaining('not while I live') },
    { tool: 'Read', isError: false, text: expect.stringContaining('the step') },
  ])
})

/** A loopback address where a server has just stopped. */
async function closedUrl(): Promise<string> {
  await using gone = await new HookRecorder().listen()
  return gone.url
}
