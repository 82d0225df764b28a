import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import { say, use } from './model-server.ts'

test('the client contacts only the model', async () => {
  await using client = await RealClient.start()
  expect(await client.run('Hello')).toMatchObject({ code: 0, stderr: '' })
  expect(client.model.requests.map(({ lane }) => lane)).toEqual(['main'])
  expect(client.model.strays).toEqual([])
})

test('a client that was killed in a tool call is resumed with the call marked as interrupted', async () => {
  await using client = await RealClient.start()
  const started = join(client.project, 'started')
  const command = 'touch started; until [ -e finish ]; do sleep 0.1; done'
  client.model.script('main', [use('Bash', { command, description: 'Wait' })])
  const conversation = client.open()
  const answer = conversation.say('Wait for it').catch((error: Error) => error.message)
  await expect.poll(() => existsSync(started), { timeout: 30_000 }).toBe(true)
  // The client writes its transcript a little later; calls that are not in it never happened.
  await expect.poll(() => hasWrittenCall(client), { timeout: 30_000 }).toBe(true)

  expect(await conversation.kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' })
  expect(await answer).toContain('ended before what was waited for')
  client.write('finish', '')

  const { sessionId } = await conversation.ended
  await client.run('Go on', { resume: sessionId })
  expect(client.model.last().toolResults()).toEqual([
    { tool: 'Bash', isError: true, text: expect.stringContaining('interrupted') },
  ])
})

function hasWrittenCall({ user: { env } }: RealClient): boolean {
  const folder = env['CLAUDE_CONFIG_DIR'] ?? ''
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .some((name) => readFileSync(join(folder, name), 'utf8').includes('"tool_use"'))
}

test('a hanging client is ended, and the error has its last output', async () => {
  await using client = await RealClient.start()
  client.model.script('main', () => new Promise(() => undefined))
  await expect(client.run('Hello', { limit: 2000 })).rejects.toThrow(
    /more than 2000 ms.*stderr.*last events/s,
  )
})

test('a script that throws ends the run with its message', async () => {
  await using client = await RealClient.start()
  client.model.script('main', () => {
    throw new Error('the story has no such turn')
  })
  const { code, events } = await client.run('Hello')
  expect(code).toBe(1)
  expect(events.at(-1)?.result).toContain('the story has no such turn')
})

test('requests of the client outside of the conversation have their own lane', async () => {
  await using client = await RealClient.start()
  const hook = { type: 'prompt', prompt: 'May this be read?', continueOnBlock: true }
  client.configure({ hooks: { PreToolUse: [{ hooks: [hook] }] } })
  client.model.script('main', [use('Read', { file_path: client.write('file.md', 'text') })])
  client.model.script('side', [say('{"ok": false, "reason": "the model says no"}')])
  await client.run('Read it')
  expect(client.model.of('side')).toHaveLength(1)
  expect(client.model.last().toolResults()).toEqual([
    { tool: 'Read', isError: true, text: expect.stringContaining('the model says no') },
  ])
})
