import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reach } from '../../src/cli/daemon/reach.ts'
import { findHome } from '../../src/daemon/home.ts'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import { ENTRY, User } from '../holdfast.ts'
import { createDatabase } from '../postgres.ts'
import { sharedPostgres } from '../shared.ts'
import { untilFree } from '../torture/free.ts'

const PHASES = ['1: Plan', '2: Build', '3: Ship']
const userOf = (url: string) => new User({ HOLDFAST_DATABASE_URL: url })
const connect = (user: User) => reach({ home: findHome(user.env), entry: ENTRY, env: user.env })

test('a task and an effort with its phases survive a crash', async () => {
  await using user = userOf(await createDatabase(await sharedPostgres()))
  const status = await user.json<DaemonStatus>(['daemon', 'start'])
  expect(status).toMatchObject({ database_kind: 'postgres' })
  // The output has the address, but not the password.
  expect(status.database).toMatch(/:\*\*\*@/)
  await user.json(['project', 'upsert', '.'])
  await user.json(['task', 'upsert', 'login'])
  await user.json(['rpc', 'db.skills.upsert', '{"project_id":1,"name":"build"}'])
  const params = JSON.stringify({ task_id: join(user.project, 'login'), skill: 'build' })
  const effort = await user.json<{ id: number; ordinal: number }>(['rpc', 'db.effort.start', params])
  expect(effort.ordinal).toBe(1)
  for (const phase of PHASES) await user.json(['effort', 'phase', String(effort.id), phase])
  process.kill(status.pid, 'SIGKILL')
  await untilFree(findHome(user.env))
  const found = await user.json<{ current_phase: string; phase_history: { phase_label: string }[] }>([
    'effort',
    'show',
    String(effort.id),
  ])
  expect(found.current_phase).toBe('3: Ship')
  expect(found.phase_history.map(({ phase_label: label }) => label)).toEqual(PHASES)
  expect((await user.json<DaemonStatus>(['daemon', 'status'])).pid).not.toBe(status.pid)
  expect(
    await user.json(['query', 'select count(*) as n, 1 as id, 2 as id, avg(id) as mean from projects']),
  ).toEqual([{ n: 1, id: 1, id_2: 2, mean: 1 }])
  const entries = await user.json<{ seq: number; event_type: string }[]>(['ledger'])
  expect(entries.filter(({ event_type: type }) => type === 'phase.entered')).toHaveLength(3)
})

test('two daemons start efforts on one task of one database: ordinals have no gaps or duplicates, and no call fails', async () => {
  const url = await createDatabase(await sharedPostgres())
  await using one = userOf(url)
  await using two = userOf(url)
  // Concurrently, so that both find an empty database and create its tables.
  const connections = await Promise.all([connect(one), connect(two)])
  const [first] = connections
  const task = join(one.project, 'shared')
  mkdirSync(task)
  const { id } = (await first.call('db.project.upsert', { path: one.project })) as { id: number }
  await first.call('db.skills.upsert', { project_id: id, name: 'build' })
  await first.call('db.task.upsert', { dir_path: task })
  const pids = await Promise.all(connections.map((connection) => connection.call('daemon.status')))
  expect(new Set(pids.map((status) => (status as DaemonStatus).pid)).size).toBe(2)

  const calls = Array.from({ length: 30 }, (_, index) => `effort-${index}`).flatMap((key) =>
    connections.map((connection, which) =>
      connection.call('db.effort.start', {
        task_id: task,
        skill: 'build',
        idempotency_key: `${key}-${which}`,
      }),
    ),
  )
  const efforts = (await Promise.all(calls)) as { ordinal: number }[]
  const ordinals = efforts.map(({ ordinal }) => ordinal).toSorted((a, b) => a - b)
  expect(ordinals).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))

  // The same key at both: one effort, one answer.
  const same = { task_id: task, skill: 'build', idempotency_key: 'the same' }
  const answers = await Promise.all(
    [...connections, ...connections].map((connection) => connection.call('db.effort.start', same)),
  )
  expect(new Set(answers.map((answer) => (answer as { id: number }).id)).size).toBe(1)
  expect(answers[0]).toMatchObject({ ordinal: 61 })
  const listed = (await connections[1].call('db.effort.list', { task_id: task })) as { ordinal: number }[]
  expect(listed.map(({ ordinal }) => ordinal)).toEqual(Array.from({ length: 61 }, (_, index) => index + 1))
  for (const connection of connections) connection.close()
})

test('a missing database is reported in one sentence, without its password', async () => {
  const url = new URL(await sharedPostgres())
  url.pathname = '/nothing'
  await using user = userOf(url.href)
  const { code, stderr } = await user.run(['task', 'list'])
  expect(code).toBe(69)
  expect(stderr).toContain('PostgreSQL cannot be reached: database "nothing" does not exist.')
  expect(stderr).not.toContain(url.password)
  expect(stderr.trimEnd().split('\n')).toHaveLength(2)
})
