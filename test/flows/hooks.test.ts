import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { connectTo } from '../../src/cli/daemon/connect.ts'
import { findHome, type Home } from '../../src/daemon/home.ts'
import { startDaemon } from '../../src/daemon/main.ts'
import type { Database } from '../../src/store/database.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { User } from '../holdfast.ts'

const STEPS = Array.from({ length: 10 }, (_, index) => `s${index}`)

/** A project with a skill whose ten steps may be read in any order, and one that follows all. */
function projectOf(user: User): (path: string) => string {
  const at = (path: string) => join(user.project, '.claude/skills/wide', path)
  const put = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  mkdirSync(join(user.project, '.git'))
  put(at('SKILL.md'), '---\nname: wide\ndescription: Wide.\n---\n\nDo it.\n')
  for (const step of STEPS) put(at(`steps/${step}.md`), `---\nproduces: [${step}]\n---\n`)
  put(at('steps/last.md'), `---\nconsumes: [${STEPS.join(', ')}]\n---\n`)
  return at
}

interface Key {
  readonly port: number
  readonly token: string
}

/** Waits until a daemon accepts hooks. */
async function keyOf(home: Home): Promise<Key> {
  for (;;) {
    try {
      return JSON.parse(readFileSync(home.hookKey, 'utf8')) as Key
    } catch {
      await sleep(10)
    }
  }
}

const CLIENT = `
  const [key, ...rounds] = process.argv.slice(1).map((text) => JSON.parse(text))
  const post = async (payload) => {
    const response = await fetch('http://127.0.0.1:' + key.port + '/hook/claude-code', {
      method: 'POST',
      headers: { Authorization: 'Bearer ' + key.token, 'Content-Type': 'application/json' },
      body: JSON.stringify(payload),
    })
    return { status: response.status, text: await response.text() }
  }
  const replies = []
  for (const round of rounds) replies.push(await Promise.all(round.map(post)))
  process.stdout.write(JSON.stringify(replies))
`

interface Reply {
  readonly status: number
  readonly text: string
}

/** A process that fires rounds of hooks, all of a round at once. */
function firing(key: Key, rounds: readonly (readonly object[])[]): Promise<readonly (readonly Reply[])[]> {
  return new Promise((resolve, reject) => {
    const words = [key, ...rounds].map((word) => JSON.stringify(word))
    const child = spawn(process.execPath, ['--input-type=module', '-e', CLIENT, ...words])
    onTestFinished(() => void child.kill('SIGKILL'))
    const [out, err]: [string[], string[]] = [[], []]
    child.stdout.setEncoding('utf8').on('data', (text: string) => void out.push(text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => void err.push(text))
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0
        ? resolve(JSON.parse(out.join('')) as readonly (readonly Reply[])[])
        : reject(new Error(err.join(''))),
    )
  })
}

const payload = (user: User, event: string, more: object = {}) => ({
  session_id: 'one-session',
  cwd: user.project,
  hook_event_name: event,
  ...more,
})

test('one session from two concurrent processes has one window, one span, one effort, and each visit once', async () => {
  await using user = new User()
  const at = projectOf(user)
  await user.json(['daemon', 'start'])
  const key = await keyOf(findHome(user.env))
  const reading = (step: string) => ({
    tool_name: 'Read',
    tool_input: { file_path: at(`steps/${step}.md`) },
    tool_use_id: step,
  })
  const of = (event: string, steps: readonly string[]) =>
    steps.map((step) => payload(user, event, reading(step)))
  const called = payload(user, 'UserPromptSubmit', { prompt: '/wide' })
  const rounds = (steps: readonly string[]) => [
    [called],
    of('PreToolUse', ['last', ...steps]),
    of('PostToolUse', steps.toReversed()),
  ]
  const both = await Promise.all([firing(key, rounds(STEPS)), firing(key, rounds(STEPS.toReversed()))])
  expect(both.flat(2).map(({ status }) => status)).toEqual(both.flat(2).map(() => 200))
  // The last step was refused to the first process.
  const early = both.map(([, before]) => before?.[0]?.text ?? '')
  expect(early.some((text) => text.includes('"permissionDecision":"deny"'))).toBe(true)

  const [[last] = []] = await firing(key, [of('PreToolUse', ['last'])])
  expect(last).toEqual({ status: 200, text: '' })
  const rows = <T>(sql: string) => user.json<readonly T[]>(['query', sql])
  const [span, ...more] = await rows<{ steps: string; status: string }>('select * from skill_span')
  expect(more).toEqual([])
  expect(span?.status).toBe('active')
  const steps = JSON.parse(span?.steps ?? '') as readonly string[]
  expect(new Set(steps)).toEqual(new Set(STEPS))
  expect(steps).toHaveLength(STEPS.length)
  expect(await rows('select attempts from step_visits')).toEqual(STEPS.map(() => ({ attempts: 1 })))
  expect(await rows('select id from efforts where ordinal > 0')).toHaveLength(1)
  expect(await rows('select id from sessions')).toHaveLength(1)
})

// INV_HOOK_NEVER_BREAKS_THE_AGENT
test('if the database fails during a hook, the tool continues, a caller gets an error, and nothing is half done', async () => {
  await using user = new User()
  const at = projectOf(user)
  const home = findHome(user.env)
  let failOn: RegExp | undefined
  const openDatabase = ({ database: path }: Home): Database => {
    const database = openSqlite(path)
    return {
      ...database,
      transact: (run, options) =>
        database.transact(
          (tx) =>
            run({
              ...tx,
              execute: (statement) =>
                failOn?.test(statement.sql) === true
                  ? Promise.reject(new Error('made to fail'))
                  : tx.execute(statement),
            }),
          options,
        ),
    }
  }
  const daemon = await startDaemon({ home, openDatabase, logLevel: 'silent' })
  if (daemon === undefined) throw new Error('Somebody holds the lock of a home that nobody knows.')
  try {
    const key = await keyOf(home)
    const connection = await connectTo(home)
    if (connection === undefined) throw new Error('The daemon does not listen.')
    const early = payload(user, 'PreToolUse', {
      tool_name: 'Read',
      tool_input: { file_path: at('steps/last.md') },
    })
    const call = (hook: object) => connection.call('hooks.handle', { payload: hook })
    await call(payload(user, 'UserPromptSubmit', { prompt: '/wide' }))
    const ledger = async () => (await connection.call('ledger.list', { limit: 1000 })) as unknown[]
    const before = await ledger()

    failOn = /^insert into "life_event"/
    expect(await firing(key, [[early]])).toEqual([[{ status: 200, text: '' }]])
    await expect(call(early)).rejects.toThrow('made to fail')
    failOn = undefined
    expect(await ledger()).toEqual(before)

    const [[refused] = []] = await firing(key, [[early]])
    expect(refused?.text).toContain('"permissionDecision":"deny"')
    expect(await call(early)).toMatchObject({ decision: 'block' })
    connection.close()
  } finally {
    daemon.stop()
    await daemon.stopped
  }
})
