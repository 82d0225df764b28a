import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { findHome } from '../../src/daemon/home.ts'
import { pipeCommand } from '../../src/hook/commands.ts'
import { FAILURES, tinyDisk } from '../failures.ts'
import { HookedClient } from '../hooked-client.ts'
import { User } from '../holdfast.ts'
import { stepToDo } from '../../src/rules/told/words.ts'

/** A user whose agent has called a skill with steps, hooked in as `holdfast init` does it. */
async function atWork(...levels: readonly string[]) {
  const user = new User()
  const takeAway = tinyDisk(user)
  onTestFinished(async () => {
    await user.run(['daemon', 'stop', '--force'])
    takeAway()
    await user[Symbol.asyncDispose]()
  })
  mkdirSync(join(user.project, '.git'))
  await user.json(['skill', 'new', 'deploy', '--notation', 'steps'])
  await user.json(['init', '--yes', ...levels])
  const [client, patient] = [new HookedClient(user), new HookedClient(user, 'one', { patient: true })]
  await patient.fire('SessionStart', { source: 'startup' })
  await patient.fire('UserPromptSubmit', { prompt: '/deploy it' })
  const step = (name: string) => join(user.project, '.claude/skills/deploy/steps', `${name}.md`)
  const read = (name: string) => client.use('Read', { file_path: step(name) })
  const shell = (command: string) => client.use('Bash', { command })
  /** The next prompt of the user brings the daemon and its HTTP back where they are gone, however long that takes. */
  const recover = async () => {
    await patient.fire('UserPromptSubmit', { prompt: 'Go on' })
    const status = () => user.json<{ http: { listening: boolean } }>(['daemon', 'status'])
    while (!(await status()).http.listening) await sleep(50)
  }
  return { user, client, patient, step, read, shell, recover }
}

/** All that hooks could have changed, in the order of its keys. */
function rowsOf(user: User): unknown {
  const db = new DatabaseSync(findHome(user.env).database, { readOnly: true, timeout: 60_000 })
  try {
    const tables = ['life_event', 'efforts', 'skill_span', 'step_visits', 'artifacts', 'plan_state', 'tasks']
    return tables.map((table) => db.prepare(`select * from ${table} order by 1, 2`).all())
  } finally {
    db.close()
  }
}

const faultsOf = (user: User) =>
  readFileSync(findHome(user.env).log, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"hook fault"'))
    .map((line) => JSON.parse(line) as { repeated?: number; cause?: { message?: string } })

// INV_HOOK_NEVER_BREAKS_THE_AGENT
test.each(Object.entries(FAILURES))(
  'while %s everything goes on, nothing is half done, and afterwards the gate is what it was',
  async (_, { isHeard, ...failure }) => {
    const { user, client, patient, step, read, shell, recover } = await atWork()
    const before = rowsOf(user)
    const end = await failure.begin(user)
    const tools = [read('understand'), read('check'), shell(`cat ${step('check')}`)]
    for (const outcome of await Promise.all(tools)) expect(outcome).toMatchObject({ refusals: [] })
    const payload = { session_id: 'one', cwd: user.project, hook_event_name: 'PreToolUse', tool_name: 'Read' }
    const piped = client.shell(pipeCommand({ client: 'claude-code' }), payload)
    expect(await piped).toEqual({ code: 0, stdout: '', stderr: '' })
    // The commands, which bring the daemon up where that is all.
    const prompted = await client.fire('UserPromptSubmit', { prompt: 'Go on' })
    expect(prompted).toMatchObject({ refusals: [], failures: [] })
    const meanwhile = isHeard === true ? rowsOf(user) : undefined
    await end()
    expect(meanwhile ?? rowsOf(user)).toEqual(before)
    const next = isHeard === true ? 'work' : 'understand'
    await recover()
    const readAgain = (name: string) => patient.use('Read', { file_path: step(name) })
    expect((await readAgain('check')).refusals).toEqual([expect.stringContaining(stepToDo(next, step(next)))])
    expect(await readAgain('understand')).toMatchObject({ refusals: [] })
    expect((await readAgain('check')).refusals).toEqual([
      expect.stringContaining(stepToDo('work', step('work'))),
    ])
  },
)

/** The others would show the same again. */
const SAME_IN_STRICT = new Set([
  'the daemon is stopped',
  'no file can grow any more',
  'the home can only be read when it starts',
])
const STRICT_FAILURES = Object.entries(FAILURES).filter(([name]) => !SAME_IN_STRICT.has(name))

test.each(STRICT_FAILURES)(
  'while %s, where it is strict, tools are refused and told why, holdfast may run, and afterwards all is well',
  async (_, { says, strikes, ...failure }) => {
    const { user, client, read, shell, recover } = await atWork('--strict')
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
    // What can be decided all the same is decided.
    expect(others.map(({ refusals }) => refusals.length > 0)).toEqual(others.map(() => strikes === 'all'))
    expect(ours.flatMap(({ refusals }) => refusals)).toEqual([])
    await end()
    await recover()
    expect(await read('understand')).toMatchObject({ refusals: [] })
    expect(await shell('ls')).toMatchObject({ refusals: [] })
  },
)

test.each([
  ['goes on', [], 0],
  ['is refused where it is strict', ['--strict'], 1],
])(
  'a tool call whose daemon is killed between its question and the answer %s',
  async (_, words, refusals) => {
    const { user, read } = await atWork(...words)
    const { pid } = await user.json<{ pid: number }>(['daemon', 'status'])
    process.kill(pid, 'SIGSTOP')
    const asked = read('check')
    await sleep(500)
    process.kill(pid, 'SIGKILL')
    expect((await asked).refusals).toHaveLength(refusals)
  },
)

test('a pause opens what is closed because nothing can be decided', async () => {
  const { user, read } = await atWork('--strict')
  const end = await FAILURES['another program has locked the database']?.begin(user)
  expect((await read('check')).refusals).toHaveLength(1)
  await user.json(['pause', '10m'])
  expect((await read('check')).refusals).toEqual([])
  await user.json(['pause', 'off'])
  expect((await read('check')).refusals).toHaveLength(1)
  await end?.()
})

test('a thousand hooks that fail are one line in the log, and counted', async () => {
  const { user, client, step } = await atWork()
  const end = await FAILURES['another program has locked the database']?.begin(user)
  const call = { tool_name: 'Read', tool_input: { file_path: step('understand') } }
  for (let round = 0; round < 20; round++)
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
  expect(status.hook_faults).toMatchObject({ count: 1000, last: expect.stringContaining('locked') })
  await end?.()
  await user.json(['daemon', 'stop'])
  expect(faultsOf(user).at(-1)).toMatchObject({ repeated: 999 })
})
