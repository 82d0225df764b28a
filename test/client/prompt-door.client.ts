import { expect, inject, test } from 'vitest'
import { RealClient } from './client.ts'
import { say, use } from './model-server.ts'

/** As root, the client bypasses permissions only in a sandbox; this variable claims one. */
const FREELY = { env: { IS_SANDBOX: '1' }, args: ['--permission-mode', 'bypassPermissions'] }
const ONLY_THE_USER = 'only the user can loosen the rules'

async function strictClient(): Promise<RealClient> {
  const client = await RealClient.start()
  await client.user.json(['init', '--scope', 'user', '--yes'])
  await client.user.json(['enforce', 'strict'])
  return client
}

test('a client that an agent starts does not pause, with whatever session and environment', async () => {
  await using client = await strictClient()
  const program = `'${inject('clientProgram')}' -p`
  const hidden = 'env -u CLAUDE_CODE_SESSION_ID -u CLAUDECODE -u CLAUDE_PID'
  for (const start of [
    `${hidden} ${program}`,
    `${program} --resume "$CLAUDE_CODE_SESSION_ID"`,
    `s=$CLAUDE_CODE_SESSION_ID; ${hidden} ${program} --resume "$s"`,
  ]) {
    const script = client.write('ask.sh', `${start} '/holdfast-pause 1d' </dev/null\n`)
    const ask = use('Bash', { command: `exec sh ${script}`, description: 'Ask' })
    client.model.script('main', [ask, say('Nested.'), say('Tried.')])
    const before = client.model.requests.length
    await client.run('Try it', FREELY)
    expect(client.model.requests.slice(before).some((one) => one.mentions(ONLY_THE_USER))).toBe(true)
    expect(await client.user.json(['status'])).toMatchObject({ paused: false })
  }
})

test('a tool that would submit a pause later is refused', async () => {
  await using client = await strictClient()
  const prompt = '/holdfast-pause 1d'
  client.model.script('main', [
    use('CronCreate', { cron: '* * * * *', prompt, recurring: false }),
    use('ScheduleWakeup', { delaySeconds: 60, reason: 'Later', prompt }),
    say('Done.'),
  ])
  await client.run('Try it', FREELY)
  const refused = { isError: true, text: expect.stringContaining(ONLY_THE_USER) }
  expect(client.model.last().toolResults()).toMatchObject([refused, refused])
})
