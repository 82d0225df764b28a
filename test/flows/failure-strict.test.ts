import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { findHome } from '../../src/daemon/home.ts'
import { FAILURES } from '../failures.ts'
import type { User } from '../holdfast.ts'
import { atWork } from '../user-at-work.ts'

/** The others would show the same again. */
const SAME_IN_STRICT = new Set([
  'the daemon is stopped',
  'no file can grow',
  'the home is read-only at its start',
])
const STRICT_FAILURES = Object.entries(FAILURES).filter(([name]) => !SAME_IN_STRICT.has(name))

test.for(STRICT_FAILURES)(
  'while %s in a strict project, tools are refused with a reason, holdfast may run, and afterwards all works',
  async ([, { says, strikes, limit, cannot, ...failure }], { skip }) => {
    skip(cannot !== undefined, cannot)
    const { user, client, read, shell, recover } = await atWork(['--strict'], limit)
    const end = await failure.begin(user)
    const [change, others, ours] = await Promise.all([
      read('check'),
      Promise.all([client.use('Write', { file_path: '/x' }), shell('ls'), shell('holdfast doctor; ls')]),
      Promise.all(['holdfast daemon start', 'npx holdfast doctor'].map(shell)),
    ])
    for (const { refusals } of strikes === 'all' ? [change, ...others] : [change]) {
      expect(refusals.join('\n')).toMatch(says)
      expect(refusals.join('\n')).toMatch(/holdfast.(daemon.start|doctor)/)
    }
    // Everything that can be decided is decided.
    expect(others.map(({ refusals }) => refusals.length > 0)).toEqual(others.map(() => strikes === 'all'))
    expect(ours.flatMap(({ refusals }) => refusals)).toEqual([])
    await end()
    await recover()
    expect(await read('understand')).toMatchObject({ refusals: [] })
    expect(await shell('ls')).toMatchObject({ refusals: [] })
  },
)

test.each([
  ['is allowed', [], 0],
  ['is refused in a strict project', ['--strict'], 1],
])('a tool call whose daemon is killed before it answers %s', async (_, words, refusals) => {
  const { user, read } = await atWork(words)
  const { pid } = await user.json<{ pid: number }>(['daemon', 'status'])
  process.kill(pid, 'SIGSTOP')
  const asked = read('check')
  await sleep(500)
  process.kill(pid, 'SIGKILL')
  expect((await asked).refusals).toHaveLength(refusals)
})

test('a pause allows the calls that are refused because the engine cannot decide', async () => {
  const { user, read } = await atWork(['--strict'])
  const end = await FAILURES['another program has locked the database']?.begin(user)
  expect((await read('check')).refusals).toHaveLength(1)
  await user.json(['pause', '10m'])
  expect((await read('check')).refusals).toEqual([])
  await user.json(['pause', 'off'])
  expect((await read('check')).refusals).toHaveLength(1)
  await end?.()
})

const faultsOf = (user: User) =>
  readFileSync(findHome(user.env).log, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"hook fault"'))
    .map((line) => JSON.parse(line) as { repeated?: number; cause?: { message?: string } })

test('hundreds of failing hooks are one line in the log, with a count', async () => {
  const { user, client, step } = await atWork()
  const end = await FAILURES['another program has locked the database']?.begin(user)
  const call = { tool_name: 'Read', tool_input: { file_path: step('understand') } }
  for (let round = 0; round < 5; round++)
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        client.fire('PreToolUse', { ...call, tool_use_id: `${round}-${index}` }),
      ),
    )
  expect(faultsOf(user)).toEqual([
    expect.objectContaining({
      cause: expect.objectContaining({ message: expect.stringContaining('locked') }),
    }),
  ])
  const status = await user.json<{ hook_faults: object }>(['daemon', 'status'])
  expect(status.hook_faults).toMatchObject({ count: 250, last: expect.stringContaining('locked') })
  await end?.()
  await user.json(['daemon', 'stop'])
  expect(faultsOf(user).at(-1)).toMatchObject({ repeated: 249 })
})
