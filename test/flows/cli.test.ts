import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { methods } from '../../src/cli/methods.ts'
import { ENTRY, User } from '../holdfast.ts'

let user: User
beforeAll(async () => {
  user = new User()
  await user.run(['daemon', 'start'])
})
afterAll(() => user[Symbol.asyncDispose]())

describe('a user who works', () => {
  test('registers, starts, moves on and finishes, without ever starting a daemon', async () => {
    await using other = new User()
    const project = await other.json<{ id: number }>(['project', 'upsert', '.', '--name', 'mine'])
    const task = await other.json<{ dir_path: string }>([
      'task',
      'upsert',
      'login',
      '--title',
      'Let users in',
    ])
    expect(task.dir_path).toBe(join(other.project, 'login'))
    const phases = [
      { label: '1', name: 'Plan', proof: ['plan'] },
      { label: '2', name: 'Build' },
    ]
    await other.json(['rpc', 'db.skills.upsert', '-'], {
      input: JSON.stringify({ project_id: project.id, name: 'implement', phases }),
    })
    const effort = await other.json<{ id: number; artifact_prefix: string }>([
      'effort',
      'start',
      'login',
      'implement',
    ])
    expect(effort.artifact_prefix).toBe('1_IMPLEMENT')
    const id = String(effort.id)
    await other.json(['effort', 'phase', id, '1'])
    const moved = await other.json(['effort', 'phase', id, '2: Build', '--proof', '{"plan":false}'])
    expect(moved).toMatchObject({ current_phase: '2: Build', entered: true })
    const shown = await other.run(['status'])
    expect(shown.stdout).toContain('[implement:P2] 2: Build')
    await other.json(['effort', 'finish', id, '--keywords', 'login'])
    expect((await other.run(['status'])).stdout).toContain('No effort is active.')
    expect((await other.run(['task', 'find', 'LOGIN'])).stdout).toContain('Let users in')
  })

  test('is told what is missing and the command that would pass', async () => {
    await using other = new User()
    await other.json(['project', 'upsert', '.'])
    await other.json(['task', 'upsert', 't'])
    const phases = [
      { label: '1', name: 'Plan', proof: ['plan'] },
      { label: '2', name: 'Build' },
      { label: '3', name: 'End' },
    ]
    await other.json(['rpc', 'db.skills.upsert', JSON.stringify({ project_id: 1, name: 's', phases })])
    const { id } = await other.json<{ id: number }>(['effort', 'start', 't', 's'])
    await other.json(['effort', 'phase', String(id), '1'])
    const refused = await other.run(['effort', 'phase', String(id), '3'])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('out of order')
    const command = /try: holdfast (effort phase .*)$/m.exec(refused.stderr)?.[1]
    expect(command).toBe(`effort phase ${id} '2: Build' --proof '{"plan":"____"}'`)
    // As it stands the form is not filled in, so it is no proof.
    const pasted = ['effort', 'phase', String(id), '2: Build', '--proof', '{"plan":"____"}']
    expect((await other.run(pasted)).code).toBe(1)
    expect((await other.run(pasted.with(5, '{"plan":"cookies"}'))).code).toBe(0)
    expect((await other.run(['ledger', '--type', 'phase.refused'])).stdout).toContain('out of order')
    const none = async (type: string) => (await other.run(['ledger', '--type', type])).stdout
    expect(await none('approval.given')).toBe('Nothing of that has happened yet.\n')
    expect(await none('phase.refuse')).toContain(
      'No entry is called phase.refuse. Did you mean phase.refused',
    )
  })
})

describe('what a command is given', () => {
  const wrong: [string, string[], number, RegExp, RegExp][] = [
    ['an unknown command', ['stauts'], 64, /no command "stauts"\. Did you mean: status\?/, /holdfast help/],
    ['an unknown verb', ['effort', 'strat'], 64, /Did you mean: effort start/, /holdfast help effort/],
    ['an unknown flag', ['ledger', '--folow'], 64, /no --folow\. Did you mean --follow\?/, /ledger --help/],
    ['a missing argument', ['effort', 'start', 'x'], 64, /needs SKILL/, /effort start --help/],
    [
      'too many arguments',
      ['task', 'list', 'x'],
      64,
      /does not know what to do with "x"/,
      /task list --help/,
    ],
    ['a word for a number', ['effort', 'get', 'two'], 64, /EFFORT_ID must be a number, not "two"/, /^/],
    ['a flag without its value', ['task', 'upsert', '.', '--title'], 64, /--title needs a value/, /--help/],
    ['broken JSON', ['rpc', 'db.task.list', '{'], 64, /not JSON/, /holdfast rpc METHOD/],
    [
      'JSON that is no object',
      ['rpc', 'db.task.list', '[1]'],
      64,
      /must be a JSON object/,
      /holdfast rpc METHOD/,
    ],
    ['an unknown method', ['rpc', 'db.tsk.list'], 64, /did you mean db\.task\.list/, /rpc --list/],
    [
      'a misspelt parameter',
      ['rpc', 'db.task.list', '{"activ":true}'],
      64,
      /no parameter activ; did you mean active\?/,
      /--describe db\.task\.list/,
    ],
    [
      'a parameter of the wrong type',
      ['rpc', 'db.task.list', '{"limit":"many"}'],
      64,
      /limit must be a number/,
      /--describe/,
    ],
    [
      'a file that is not there',
      ['rpc', 'db.task.list', '@nothing.json'],
      64,
      /@nothing\.json cannot be read/,
      /^/,
    ],
    [
      'an unknown kind of entry',
      ['ledger', '--type', 'phase.refusd'],
      64,
      /no.* "phase\.refusd"; did you mean phase\.refused\?/i,
      /ledger --type phase\.refused\n/,
    ],
    [
      'a number that is too small',
      ['recap', '--budget', '-1'],
      64,
      /: --budget must be at least 0\./,
      /recap --help/,
    ],
    ['a number that is none', ['ledger', '--limit', 'x'], 64, /--limit must be a number/, /ledger --help/],
    [
      'a word for a switch',
      ['project', 'set-session-gate', '.', 'maybe'],
      64,
      /: ON must be true or false, not "maybe"/,
      /set-session-gate --help/,
    ],
    ['an empty flag', ['project', 'status', '.', '--limit='], 64, /: --limit must be a number/, /--help/],
    ['an approval of nothing', ['effort', 'approve', 'x', 'y'], 64, /EFFORT_ID must be/, /approve --help/],
    ['an empty place to go on in', ['session', 'continue', ''], 64, /DIR must not be empty/, /continue\n/],
    ['an empty task', ['session', 'check', ''], 64, /DIR must not be empty/, /session check --help/],
    ['an empty project', ['enforce', '--project='], 64, /--project must not be empty/, /enforce --help/],
    ['a project that is not there', ['enforce', '--project=x'], 66, /x does not exist/, /project list/],
    ['an unknown skill', ['skill', 'show', 'x'], 66, /no skill x here/, /try: holdfast skill new x\n/],
    ['an empty folder of skills', ['skill', 'list', ''], 64, /must not be empty/, /skill list \.\n/],
    ['an empty folder', ['task', 'upsert', ''], 64, /DIR_PATH must not be empty/, /task upsert --help/],
    ['an empty effort', ['recap', '--effort', ''], 64, /"" is neither the id/, /effort find-active/],
    ['what is not there', ['effort', 'get', '999'], 66, /no effort 999/, /effort find-active/],
    [
      'a folder outside of all projects',
      ['task', 'upsert', '/'],
      66,
      /not inside a registered project/,
      /project upsert/,
    ],
    [
      'directives outside of all projects',
      ['directive', 'discover', '/'],
      77,
      /not inside a registered project/,
      /project upsert \/\n/,
    ],
    [
      'SQL that writes',
      ['query', 'delete from tasks'],
      64,
      /can only read; nothing was changed/,
      /rpc --list/,
    ],
    ['a flag of no command', ['--foo'], 64, /holdfast has no --foo\./, /holdfast --help/],
    ['SQL that is none', ['query', 'selekt'], 64, /The database says/, /holdfast query/],
  ]
  // INV_HARD_FAILURE
  test.each(wrong)(
    '%s: a sentence, what to try, a documented exit code',
    async (_, words, code, sentence, remedy) => {
      const { code: exit, stdout, stderr } = await user.run(words)
      expect({ exit, stdout }).toEqual({ exit: code, stdout: '' })
      expect(stderr).toMatch(sentence)
      expect(stderr).toMatch(remedy)
      expect(stderr).not.toMatch(/^\s+at /m)
    },
  )

  test('a database that cannot be reached is told as that, with or without a daemon', async () => {
    const env = { HOLDFAST_DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/x' }
    await using other = new User(env)
    for (const words of [['query', 'select 1'], ['status']]) {
      const { code, stderr } = await other.run(words)
      expect(code).toBe(69)
      expect(stderr).toMatch(/PostgreSQL cannot be reached/)
      expect(stderr).not.toMatch(/secret|^\s+at /m)
    }
    const { database } = await other.json<{ database: string }>(['daemon', 'status'])
    expect(database).toBe('postgres://u:***@127.0.0.1:1/x')
    const odd = await other.run(['query', 'select 1'], { env: { HOLDFAST_DATABASE_URL: 'garbage' } })
    expect(odd).toMatchObject({ code: 64, stderr: expect.stringContaining('not a PostgreSQL URL') })
  })

  test('a title may begin with @, and a word that looks like a flag stands after --', async () => {
    await using other = new User()
    await other.json(['project', 'upsert', '.'])
    expect(await other.json(['task', 'upsert', 't', '--title', '@home'])).toMatchObject({ title: '@home' })
    expect(await other.json(['task', 'find', '--', '--help'])).toEqual([])
    expect(await other.json(['task', 'list', '--active=false'])).toHaveLength(1)
    expect(await other.json(['task', 'list', '--active'])).toEqual([])
  })

  test('a home may be a relative path', async () => {
    await using other = new User()
    const env = { HOLDFAST_HOME: '../home' }
    const { stdout, code } = await other.run(['daemon', 'start', '--json'], { env })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ home: join(other.folder, 'home') })
  })

  test('with --json an error is JSON, on stderr', async () => {
    const { code, stdout, stderr } = await user.run(['effort', 'get', '999', '--json'])
    expect({ code, stdout }).toEqual({ code: 66, stdout: '' })
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'not-found', field: 'effort_id' } })
  })

  test('with --json a question that nobody answers is data with what to do, and nothing else', async () => {
    const { code, stdout, stderr } = await user.run(['init', '--json'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ written: false, next: 'holdfast init --scope user --yes' })
  })

  test('parameters may come from a file or from stdin', async () => {
    writeFileSync(join(user.project, 'list.json'), '{"limit":1}')
    expect(await user.json(['rpc', 'db.task.list', '@list.json'])).toEqual([])
    expect(await user.json(['rpc', 'db.task.list', '-'], { input: '{"limit":1}' })).toEqual([])
  })
})

describe('a noun alone', () => {
  const shows = [
    ['effort', 'effort list'],
    ['project', 'project list'],
    ['task', 'task list'],
    ['agent', 'agent list'],
    ['session', 'session find'],
    ['queue', 'queue list'],
    ['run', 'run list'],
    ['skill', 'skill list'],
    ['span', 'span tree'],
  ] as const
  test.each(shows)('%s is %s', async (noun, full) => {
    await user.json(['project', 'upsert', '.'])
    const alone = await user.run([noun, '--json'])
    expect(alone).toEqual(await user.run([...full.split(' '), '--json']))
    expect(alone.code).toBe(0)
  })

  test('takes the flags of what it shows, and is help where there is nothing to show', async () => {
    await user.json(['project', 'upsert', '.'])
    const { id } = await user.json<{ id: number }>(['queue', 'add', 'Look here', '--kind', 'question'])
    expect(await user.json(['queue', '--kind', 'question'])).toMatchObject([{ id, content: 'Look here' }])
    expect(await user.json(['queue', '--kind', 'follow-up'])).toEqual([])
    expect(await user.json(['daemon'])).toMatchObject({ running: true })
    expect((await user.run(['artifact'])).stdout).toContain('holdfast artifact list EFFORT_ID')
    expect((await user.run(['queue', 'lst'])).stderr).toContain('Did you mean: queue list')
    expect((await user.run(['queue', '--knd', 'x'])).stderr).toContain('queue list has no --knd')
  })
})

describe('help', () => {
  test('lists every command, and each has help of its own', async () => {
    const { stdout } = await user.run(['--help'])
    for (const word of [
      'status',
      'fleet',
      'ledger',
      'project',
      'task',
      'effort',
      'session',
      'agent',
      'query',
      'rpc',
      'daemon',
      'doctor',
    ])
      expect(stdout).toContain(word)
    for (const name of ['init', 'statusline', 'completion', 'hooks enable', 'span tree'])
      expect(stdout).toMatch(new RegExp(`^  ${name} {2,}[A-Z].*\\.$`, 'm'))
    expect((await user.run(['help', 'effort', 'phase'])).stdout).toContain(
      'Usage: holdfast effort phase EFFORT_ID LABEL',
    )
    for (const words of [
      ['effort', '--help'],
      ['help', 'effort'],
      ['--help', 'effort'],
    ])
      expect((await user.run(words)).stdout).toContain('holdfast effort start DIR SKILL')
    expect((await user.run(['query', '--help'])).stdout).toContain('fleet_status')
  })

  test('rpc --list and --describe tell all methods without a daemon', async () => {
    await using other = new User()
    const listed = await other.json<{ method: string }[]>(['rpc', '--list'])
    expect(listed.map(({ method }) => method)).toEqual(methods.map(({ name }) => name))
    const described = await other.json<{ params: { required: string[] } }>([
      'rpc',
      '--describe',
      'db.effort.start',
    ])
    expect(described.params.required).toEqual(['task_id', 'skill'])
    expect((await other.json<{ running: boolean }>(['daemon', 'status'])).running).toBe(false)
  })

  test('is data where data is asked for', async () => {
    const all = await user.json<{ name: string }[]>([])
    expect(all.map(({ name }) => name)).toContain('effort phase')
    for (const words of [
      ['help', '--json'],
      ['--json', 'help'],
    ])
      expect(JSON.parse((await user.run(words)).stdout)).toEqual(all)
    expect(await user.json(['help', 'effort', 'phase'])).toMatchObject([
      { name: 'effort phase', flags: { proof: { kind: 'value' } } },
    ])
  })

  test('the version is told', async () => {
    for (const word of ['--version', '-V', '-v'])
      expect((await user.run([word])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('the daemon', () => {
  test('tells its pid, version, socket, database and uptime', async () => {
    expect(await user.json(['daemon', 'status'])).toMatchObject({
      running: true,
      pid: expect.any(Number),
      version: expect.any(String),
      socket: expect.stringContaining(user.folder),
      database: join(user.folder, 'home', 'engine.db'),
      uptime: expect.any(Number),
    })
  })

  test('stopping twice is no failure, and starting twice is one daemon', async () => {
    await using other = new User()
    const { pid } = await other.json<{ pid: number }>(['daemon', 'start'])
    expect((await other.json<{ pid: number }>(['daemon', 'start'])).pid).toBe(pid)
    expect(await other.json(['daemon', 'stop'])).toEqual({ stopped: true, pid })
    expect(await other.json(['daemon', 'stop'])).toMatchObject({ stopped: false })
  })

  test('a call that a crash cut off is made again by itself', async () => {
    await using other = new User()
    const { pid } = await other.json<{ pid: number }>(['daemon', 'start'])
    process.kill(pid, 'SIGKILL')
    expect((await other.json<{ pid: number }>(['rpc', 'daemon.ping'])).pid).not.toBe(pid)
  })
})

describe('colour', () => {
  const ESCAPE = '\u001B['
  test.each([
    ['not into a pipe', {}, [], false],
    ['where it is forced', { FORCE_COLOR: '1' }, [], true],
    ['not where NO_COLOR stands', { FORCE_COLOR: '1', NO_COLOR: '1' }, [], false],
    ['not with --no-color', { FORCE_COLOR: '1' }, ['--no-color'], false],
  ])('%s', async (_, env, words, painted) => {
    expect((await user.run(['doctor', ...words], { env })).stdout.includes(ESCAPE)).toBe(painted)
  })
})

describe('query', () => {
  // INV_ONE_ACCESS_PATH
  test('reads beside the daemon, in three forms, and cannot write by any trick', async () => {
    const sql = "select 1 as one, 'a\tb' as text"
    expect(await user.json(['query', sql])).toEqual([{ one: 1, text: 'a\tb' }])
    expect((await user.run(['query', sql, '--tsv'])).stdout).toBe('1\ta b\n')
    expect((await user.run(['query', '-'], { input: sql })).stdout).toContain('one')
    for (const trick of [
      'pragma query_only = off',
      'pragma journal_mode = delete',
      "insert into settings values ('x', 'y')",
      'drop view fleet_status',
      'begin immediate',
      'vacuum',
    ])
      await user.run(['query', trick])
    expect(await user.json(['query', "select * from settings where name = 'x'"])).toEqual([])
    expect(await user.json(['query', 'select * from fleet_status'])).toEqual([])
    expect(await user.json(['query', 'pragma journal_mode'])).toEqual([{ journal_mode: 'wal' }])
  })

  test('says how to begin where there is no database', async () => {
    await using other = new User()
    const { code, stderr } = await other.run(['query', 'select 1'])
    expect(code).toBe(66)
    expect(stderr).toContain('holdfast daemon start')
  })
})

describe('doctor', () => {
  test('finds a healthy home healthy', async () => {
    const { healthy, findings } = await user.json<{
      healthy: boolean
      findings: { check: string; ok: boolean }[]
    }>(['doctor'])
    expect(healthy).toBe(true)
    expect(findings.map(({ check }) => check)).toEqual([
      'node',
      'home',
      'daemon',
      'socket',
      'http',
      'settings',
      'hooks',
      'statusline',
      'disk',
      'files',
      'database',
      'integrity',
    ])
  })

  test('says which command closes a home that is open to others', async () => {
    await using other = new User()
    mkdirSync(join(other.folder, 'home'))
    chmodSync(join(other.folder, 'home'), 0o755)
    const { code, stdout } = await other.run(['doctor'])
    expect(code).toBe(1)
    expect(stdout).toContain(`fix: chmod go-rwx ${join(other.folder, 'home')}`)
  })

  test('says of a home that cannot be made what to do, also about what is missing because of it', async () => {
    await using other = new User({ HOLDFAST_HOME: '/proc/holdfast' })
    const { findings } = JSON.parse((await other.run(['doctor', '--json'])).stdout) as {
      findings: { check: string; ok: boolean; fix?: string }[]
    }
    const broken = findings.filter(({ ok }) => !ok)
    expect(broken.map(({ check }) => check).slice(0, 3)).toEqual(['home', 'daemon', 'socket'])
    expect(broken.filter(({ fix }) => fix === undefined)).toEqual([])
  })

  test('finds a database that is none', async () => {
    await using other = new User()
    mkdirSync(join(other.folder, 'home'), { mode: 0o700 })
    writeFileSync(
      join(other.folder, 'home', 'engine.db'),
      'this is no database, but long enough to be taken for one'.repeat(20),
    )
    const { code, stdout } = await other.run(['doctor'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/FAIL {2}daemon .*not a database/)
  })
})

test('the ledger can be followed across a crash, each entry once and in order', async () => {
  await using other = new User()
  await other.json(['project', 'upsert', '.'])
  const child = spawn(process.execPath, [ENTRY, 'ledger', '--follow', '--json'], {
    cwd: other.project,
    env: other.env,
  })
  try {
    const seen: { seq: number; event_type: string }[] = []
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      seen.push(...lines.map((line) => JSON.parse(line) as { seq: number; event_type: string }))
    })
    const arrived = async (count: number) => {
      while (seen.length < count) await once(child.stdout, 'data')
    }
    await arrived(1)
    await other.json(['task', 'upsert', 'a'])
    await arrived(2)
    process.kill((await other.json<{ pid: number }>(['daemon', 'status'])).pid, 'SIGKILL')
    await other.json(['task', 'upsert', 'b'])
    await other.json([
      'rpc',
      'db.effort.start',
      JSON.stringify({ task_id: join(other.project, 'b'), skill: 'plan' }),
    ])
    await arrived(4)
    expect(seen.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
    expect(seen.map((entry) => entry.event_type)).toEqual([
      'project.registered',
      'task.created',
      'task.created',
      'effort.started',
    ])
  } finally {
    child.kill('SIGKILL')
  }
})

test('how long a session may be silent is a setting, and the view and the commands agree on it', async () => {
  await using other = new User({ HOLDFAST_STALE_SECONDS: '1' })
  await other.json(['project', 'upsert', '.'])
  await other.json(['task', 'upsert', 't'])
  await other.json(['agent', 'register', 'a'])
  const { id } = await other.json<{ id: number }>([
    'rpc',
    'db.effort.start',
    JSON.stringify({ task_id: join(other.project, 't'), skill: 'plan', agent_id: 'a' }),
  ])
  await other.json(['session', 'start', 't', '--effort-id', String(id)])
  while ((await other.json<unknown[]>(['query', 'select * from stale_sessions'])).length === 0)
    await sleep(100)
  expect(await other.json(['fleet'])).toMatchObject([{ agent: 'a', state: 'silent' }])
  const wrong = await other.run(['status'], { env: { HOLDFAST_STALE_SECONDS: 'soon' } })
  expect(wrong).toMatchObject({ code: 64, stderr: expect.stringContaining('HOLDFAST_STALE_SECONDS must be') })
})

test('the fleet shows who works, who is idle and who is silent', async () => {
  await using other = new User()
  await other.json(['project', 'upsert', '.'])
  await other.json(['task', 'upsert', 't'])
  for (const agent of ['a', 'b', 'c']) await other.json(['agent', 'register', agent])
  for (const agent_id of ['a', 'b']) {
    const params = { task_id: join(other.project, 't'), skill: 'plan', agent_id }
    await other.json(['rpc', 'db.effort.start', JSON.stringify(params)])
  }
  const effort = (await other.json<{ id: number }[]>(['effort', 'find-active', '--agent-id', 'a']))[0]?.id
  const session = await other.json<{ id: number }>([
    'session',
    'start',
    't',
    '--effort-id',
    String(effort),
    '--agent-id',
    'a',
  ])
  await other.json(['session', 'update-context-usage', String(session.id), '0.62'])
  const rows = await other.json<
    { agent: string; state: string; context: string | null; effort: string | null }[]
  >(['fleet'])
  expect(rows).toMatchObject([
    { agent: 'a', state: 'working', context: '62 %', effort: '[plan]' },
    { agent: 'b', state: 'no session', effort: '[2:plan]' },
    { agent: 'c', state: 'idle', effort: null },
  ])
})
