import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import { say, use } from './model-server.ts'

const run = (text: string, command: string, inputTokens?: number) => ({
  ...use('Bash', { command, description: 'Run it' }),
  text,
  ...(inputTokens !== undefined && { inputTokens }),
})

/** The real client with hooks from `holdfast init`. */
async function hooked() {
  const client = await RealClient.start()
  await client.user.json(['init', '--scope', 'user', '--yes'])
  const said = async () => {
    const rows = await client.user.json<{ role: string; content: string }[]>([
      'query',
      'select role, content from messages order by session_id, timestamp, id',
    ])
    return rows.map(({ role, content }) => `${role}: ${content}`)
  }
  return { client, said }
}

test('everything that was said in a turn is kept in order and once, and so is a resumed turn', async () => {
  const { client, said } = await hooked()
  await using _ = client
  client.model.script('main', [run('I look.', 'echo one'), run('I look.', 'echo two'), say('Done.')])
  const { sessionId } = await client.run('Look around')
  const first = [
    'user: Look around',
    'assistant: I look.',
    expect.stringContaining('echo one') as string,
    'assistant: I look.',
    expect.stringContaining('echo two') as string,
    'assistant: Done.',
  ]
  expect(await said()).toEqual(first)
  client.model.script('main', [run('Again.', 'echo three'), say('Done.')])
  await client.run('Look again', { resume: sessionId })
  const second = ['user: Look again', 'assistant: Again.', expect.stringContaining('echo three') as string]
  expect(await said()).toEqual([...first, ...second, 'assistant: Done.'])
  // A fork copies what was said before, which belongs to the first session.
  await client.run('Look elsewhere', { resume: sessionId, args: ['--fork-session'] })
  expect((await said()).slice(10)).toEqual(['user: Look elsewhere', 'assistant: Done.'])
})

test('a compaction in the middle of a turn puts what the agent noted before into the queue', async () => {
  const { client, said } = await hooked()
  await using _ = client
  client.model.script('main', [
    run('TODO: fix the port', 'sleep 1', 20_000),
    run('Next.', 'echo two', 40_000),
    run('Next.', 'echo three', 60_000),
    run('Next.', 'echo four', 90_000),
    say('Done.'),
  ])
  await client.run('All the steps', { args: ['--autocompact', '100k'] })
  expect(client.model.of('compaction')).toHaveLength(1)
  const queue = await client.user.json<{ content: string }[]>(['queue', 'list'])
  expect(queue.map(({ content }) => content)).toEqual(['TODO: fix the port'])
  const texts = (await said()).filter((text) => !text.startsWith('tool: '))
  expect(texts).toEqual([
    'user: All the steps',
    'assistant: TODO: fix the port',
    'assistant: Next.',
    'assistant: Next.',
    'assistant: Next.',
    'assistant: Done.',
  ])
})
