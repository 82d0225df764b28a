import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENTRY, User } from '../holdfast.ts'

let user: User
beforeAll(async () => {
  user = new User()
  await user.run(['daemon', 'start'])
})
afterAll(() => user[Symbol.asyncDispose]())

describe('query', () => {
  // INV_ONE_ACCESS_PATH
  test('reads beside the daemon, in three formats, and cannot write by any trick', async () => {
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

  test('keeps columns with the same name apart, large numbers exact and bytes readable', async () => {
    const sql = "select 1 as id, 2 as id, 9007199254740993 as large, x'0102' as bytes, null as gone"
    expect(await user.json(['query', sql])).toEqual([
      { id: 1, id_2: 2, large: '9007199254740993', bytes: 'AQI=', gone: null },
    ])
  })

  test('never truncates JSON output', async () => {
    const sql = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
      select i, printf('%.*c', 200, 'x') as text from n`
    const rows = await user.json<{ i: number; text: string }[]>(['query', sql])
    expect(rows).toHaveLength(5000)
    expect(rows.at(-1)).toEqual({ i: 5000, text: 'x'.repeat(200) })
  })

  // As many as a call can have arguments, and more.
  test('prints very many rows, in every format', async () => {
    const sql = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)
      select i, 'x' as text from n`
    const lastOf = async (...flags: readonly string[]) => {
      const { code, stdout } = await user.run(['query', sql, ...flags])
      return [code, stdout.trimEnd().split('\n').at(-1)]
    }
    expect(await lastOf()).toEqual([0, '200000  x'])
    expect(await lastOf('--tsv')).toEqual([0, '200000\tx'])
    expect(await user.json<unknown[]>(['query', sql])).toHaveLength(200_000)
  })

  test('prints how to begin if there is no database', async () => {
    await using other = new User()
    const { code, stderr } = await other.run(['query', 'select 1'])
    expect(code).toBe(66)
    expect(stderr).toContain('holdfast daemon start')
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
    await other.json(['rpc', 'db.skills.upsert', '{"project_id":1,"name":"plan"}'])
    await other.json([
      'rpc',
      'db.effort.start',
      JSON.stringify({ task_id: join(other.project, 'b'), skill: 'plan' }),
    ])
    await arrived(6)
    expect(seen.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
    expect(seen.map((entry) => entry.event_type)).toEqual([
      'project.registered',
      'task.created',
      'task.created',
      'door.opened',
      'skill.changed',
      'effort.started',
    ])
  } finally {
    child.kill('SIGKILL')
  }
})

test('the time until a session is stale is a setting, and the view and the commands agree on it', async () => {
  await using other = new User({ HOLDFAST_STALE_SECONDS: '1' })
  await other.json(['project', 'upsert', '.'])
  await other.json(['task', 'upsert', 't'])
  await other.json(['rpc', 'db.skills.upsert', '{"project_id":1,"name":"plan"}'])
  await other.json(['agent', 'register', 'a'])
  const { id } = await other.json<{ id: number }>([
    'rpc',
    'db.effort.start',
    JSON.stringify({ task_id: join(other.project, 't'), skill: 'plan', agent_id: 'a' }),
  ])
  await other.json(['session', 'start', 't', '--effort', String(id)])
  while ((await other.json<unknown[]>(['query', 'select * from stale_sessions'])).length === 0)
    await sleep(100)
  expect(await other.json(['fleet'])).toMatchObject([{ agent: 'a', state: 'silent' }])
  const wrong = await other.run(['status'], { env: { HOLDFAST_STALE_SECONDS: 'soon' } })
  expect(wrong).toMatchObject({ code: 64, stderr: expect.stringContaining('HOLDFAST_STALE_SECONDS must be') })
})

test('the fleet shows active, idle and stale agents', async () => {
  await using other = new User()
  await other.json(['project', 'upsert', '.'])
  await other.json(['task', 'upsert', 't'])
  await other.json(['rpc', 'db.skills.upsert', '{"project_id":1,"name":"plan"}'])
  for (const agent of ['a', 'b', 'c']) await other.json(['agent', 'register', agent])
  for (const agent_id of ['a', 'b']) {
    const params = { task_id: join(other.project, 't'), skill: 'plan', agent_id }
    await other.json(['rpc', 'db.effort.start', JSON.stringify(params)])
  }
  const effort = (await other.json<{ id: number }[]>(['effort', 'find-active', '--agent', 'a']))[0]?.id
  const session = await other.json<{ id: number }>([
    'session',
    'start',
    't',
    '--effort',
    String(effort),
    '--agent',
    'a',
  ])
  await other.json(['session', 'update-context-usage', String(session.id), '0.62'])
  const rows = await other.json<
    { agent: string; state: string; context_usage: number | null; status: string | null }[]
  >(['fleet'])
  expect(rows).toMatchObject([
    { agent: 'a', state: 'working', context_usage: 0.62, status: '[plan]' },
    { agent: 'b', state: 'no session', status: '[2:plan]' },
    { agent: 'c', state: 'idle', status: null },
  ])
})
