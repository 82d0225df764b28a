import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import { type HookEvent, HookRecorder, tell } from './hook-recorder.ts'
import type { ModelRequest } from './model-request.ts'
import { say, use } from './model-server.ts'

const recap = (event: HookEvent) => tell(event, `recap after ${event.source}`)
const readsRecap = (request: ModelRequest, source: string) =>
  request.systemTexts().some((text) => text.includes(`recap after ${source}`))

test('the context of SessionStart is in the first request of a new session and of a resumed one', async () => {
  await using client = await RealClient.start()
  await using hooks = await new HookRecorder().listen()
  client.configure(hooks.settings('SessionStart'))
  hooks.reply = recap

  const { sessionId } = await client.run('The first prompt')
  expect(readsRecap(client.model.last(), 'startup')).toBe(true)

  await client.run('The second prompt', { resume: sessionId })
  expect(hooks.events).toMatchObject([
    { source: 'startup', session_id: sessionId },
    { source: 'resume', session_id: sessionId },
  ])
  expect(client.model.last().userTexts()).toContain('The first prompt')
  expect(readsRecap(client.model.last(), 'resume')).toBe(true)
})

test('after /compact the model reads the summary and a new recap, not the old messages', async () => {
  await using client = await RealClient.start()
  await using hooks = await new HookRecorder().listen()
  client.configure(hooks.settings('SessionStart', 'PreCompact', 'PostCompact'))
  hooks.reply = (event) => (event.hook_event_name === 'SessionStart' ? recap(event) : undefined)
  client.model.script('compaction', [say('<analysis>-</analysis><summary>the summary</summary>')])

  const conversation = client.open()
  await conversation.say('The first prompt')
  await conversation.say('/compact keep the numbers')
  await conversation.say('The second prompt')
  expect(await conversation.end()).toMatchObject({ code: 0 })

  expect(hooks.names()).toEqual(['SessionStart', 'PreCompact', 'SessionStart', 'PostCompact'])
  expect(hooks.named('SessionStart').at(-1)).toMatchObject({ source: 'compact' })
  expect(client.model.last('compaction').lastUserText()).toContain('keep the numbers')
  const next = client.model.last()
  expect(next.lastUserText()).toContain('The second prompt')
  expect(next.mentions('the summary')).toBe(true)
  expect(next.mentions('The first prompt')).toBe(false)
  expect(readsRecap(next, 'startup')).toBe(false)
  expect(readsRecap(next, 'compact')).toBe(true)
})

test('an automatic compaction during a turn includes the recap too', async () => {
  await using client = await RealClient.start()
  await using hooks = await new HookRecorder().listen()
  client.configure(hooks.settings('SessionStart'))
  hooks.reply = recap
  const step = (n: number) => use('Bash', { command: `echo step ${n}`, description: `Step ${n}` })
  client.model.script('main', [
    { ...step(1), inputTokens: 20_000 },
    { ...step(2), inputTokens: 40_000 },
    { ...step(3), inputTokens: 60_000 },
    { ...step(4), inputTokens: 90_000 },
    say('Done.'),
  ])

  await client.run('All the steps', { args: ['--autocompact', '100k'] })

  expect(hooks.events.map(({ source }) => source)).toEqual(['startup', 'compact'])
  expect(client.model.of('compaction')).toHaveLength(1)
  expect(client.model.requests.at(-1)?.lane).toBe('main')
  expect(readsRecap(client.model.last(), 'compact')).toBe(true)
})
