import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { Remote } from '../../src/cli/daemon/remote.ts'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import { ENTRY, User } from '../holdfast.ts'

vi.setConfig({ testTimeout: 240_000 })

const SHIP = `pipeline:
  - {id: branch, command: git switch -c work, optional: true}
  - {id: explore, skill: look, args: $ARGUMENTS, verify: {file: plan.md}}
  - {id: build, skill: make, verify: the tests pass, limit: 2}
  - {id: commit, prompt: Commit it.}
`

async function withPipeline(user: User): Promise<void> {
  const folder = join(user.project, '.claude/skills/ship')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), '---\nname: ship\ndescription: Ships.\n---\n')
  writeFileSync(join(folder, 'holdfast.yaml'), SHIP)
  await user.json(['project', 'upsert', user.project])
}

async function newTask(user: User, name: string): Promise<string> {
  const task = join(user.project, name)
  mkdirSync(task)
  writeFileSync(join(task, 'plan.md'), 'The plan.')
  await user.json(['task', 'upsert', task])
  return task
}

test('a pipeline on the command line: each answer has the next action and the next command', async () => {
  await using user = new User()
  await withPipeline(user)
  const task = await newTask(user, 'work')
  const run = async (...words: string[]) => await user.run(['pipeline', ...words], { cwd: task })
  expect((await run('start', '.', 'ship', '--args', 'dark mode')).stdout).toBe(
    [
      'ship  effort 2, running',
      'step     state',
      'branch   ready',
      'explore  waiting',
      'build    waiting',
      'commit   waiting',
      'next: holdfast step go branch --effort 2',
      '',
    ].join('\n'),
  )
  expect((await run('next', '2')).stdout).toBe(
    [
      '[1/4] branch  attempt 1 of 2',
      'Run this command: git switch -c work',
      'Then: holdfast step done branch --effort 2',
      "If it fails: holdfast step fail branch --effort 2 --reason '____'",
      '',
    ].join('\n'),
  )
  await run('done', '2', 'branch', '--skip', 'it is there')
  expect((await run('--continue')).stdout).toContain('Call this skill: /look dark mode\n')
  expect((await run('--continue')).stdout).toContain('started before and never reported')
  await run('done', '2', 'explore')
  for (const _ of [1, 2]) {
    await run('next', '2')
    await run('fail', '2', 'build', '--reason', 'red')
  }
  const parked = await run('next', '2')
  expect(parked.code).toBe(1)
  expect(parked.stdout).toMatch(/^build\s+failed\s+2 of 2/m)
  expect(parked.stdout).toMatch(/^commit\s+waiting/m)
  expect(parked.stdout).toContain("only the user can run: holdfast effort approve 2 build --reason '____'")
  const again = await user.run(['effort', 'approve', '2', 'build', '--reason', 'the flake is known'])
  expect(again.stdout).toContain('\nnext: holdfast step --effort 2\n')
  expect((await run('next', '2')).stdout).toContain('[3/4] build  attempt 3 (limit 2)')
  expect(await run('done', '2', 'build')).toMatchObject({ code: 1 })
  await run('done', '2', 'build', '--verified', 'all green')
  await run('next', '2')
  expect((await run('done', '2', 'commit')).stdout).toContain('effort 2, completed')
  expect(await run('bogus')).toMatchObject({ code: 64 })
})

/** The calls of one run, with a failing step. */
const CALLS: readonly (readonly [verb: string, params?: Readonly<Record<string, unknown>>])[] = [
  ['next'],
  ['done', { step: 'branch', skip: 'it is there' }],
  ['next'],
  ['fail', { step: 'explore', reason: 'nothing found' }],
  ['continue'],
  ['done', { step: 'explore' }],
  ['continue'],
  ['fail', { step: 'build', reason: 'red' }],
  ['next'],
  ['done', { step: 'build', verified: 'green' }],
  ['next'],
  ['done', { step: 'commit' }],
]

/** Runs the pipeline on a task; `disturbed` may kill the daemon before or during any call. */
async function carryOut(
  remote: Remote,
  task: string,
  disturbed: <T>(at: number, call: () => Promise<T>) => Promise<T> = (_, call) => call(),
): Promise<number> {
  const ask = (method: string, params: Readonly<Record<string, unknown>>) => () =>
    remote.call<{ effort_id: number }>(method, params)
  const start = { task_id: task, skill: 'ship', args: 'dark mode' }
  const { effort_id } = await disturbed(0, ask('pipeline.start', start))
  for (const [index, [verb, params]] of CALLS.entries()) {
    const about = verb === 'continue' ? { task_id: task } : { effort_id, ...params }
    await disturbed(index + 1, ask(`pipeline.${verb}`, about))
  }
  return effort_id
}

/** Everything that is stored of an effort, without times, ids and the folder. */
async function rowsOf(user: User, effort: number, task: string): Promise<unknown> {
  const rows = async (sql: string) => {
    const found = await user.json<readonly Readonly<Record<string, unknown>>[]>(['query', sql])
    return found.map(
      (row) =>
        JSON.parse(
          JSON.stringify(row, (key, value: unknown) =>
            /(^|_)(id|at|seq|timestamp)$/.test(key) ? value !== null : value,
          ).replaceAll(task, 'TASK'),
        ) as unknown,
    )
  }
  return {
    efforts: await rows(`select * from efforts where id = ${effort}`),
    visits: await rows(`select * from step_visits where effort_id = ${effort} order by id`),
    state: await rows(`select name, value from plan_state where effort_id = ${effort}`),
    ledger: await rows(`select * from life_event where effort_id = ${effort} order by seq`),
  }
}

// Defects 1 to 4 of the originals: counters on the command line, skipped crashed steps, lost attempts,
// endless waits.
test('the word alone lists the running pipelines of the project, and no other effort', async () => {
  await using user = new User()
  expect(await user.run(['pipeline'])).toMatchObject({
    code: 0,
    stdout: 'No pipeline is running here. Start one: holdfast pipeline start . SKILL\n',
  })
  await withPipeline(user)
  const [one, two] = [await newTask(user, 'one'), await newTask(user, 'two')]
  const first = await user.json<{ effort_id: number }>(['pipeline', 'start', one, 'ship'])
  const second = await user.json<{ effort_id: number }>(['pipeline', 'start', two, 'ship'])
  await user.json(['pipeline', 'next', `${second.effort_id}`])
  await user.json(['skill', 'new', 'look'])
  await user.json(['effort', 'start', one, 'look'])
  expect(await user.json(['pipeline'])).toMatchObject([
    { effort_id: second.effort_id, skill: 'ship', task_id: two, status: 'running' },
    { effort_id: first.effort_id, task_id: one },
  ])
  expect((await user.run(['pipeline'])).stdout).toMatch(
    new RegExp(`^effort +skill +status +step +task\n${second.effort_id} +ship +running +branch +`),
  )
})

test('killed at any of its calls, a pipeline ends in the state of an undisturbed one, row by row', async () => {
  await using user = new User()
  await withPipeline(user)
  using remote = new Remote({ env: user.env, entry: ENTRY })
  const pidOfDaemon = async () => {
    using other = new Remote({ env: user.env, entry: ENTRY })
    return (await other.call<DaemonStatus>('daemon.status')).pid
  }
  let kills = 0
  const kill = (pid: number) => {
    process.kill(pid, 'SIGKILL')
    kills++
  }
  const calm = await newTask(user, 'calm')
  const undisturbed = await rowsOf(user, await carryOut(remote, calm), calm)

  const before = await newTask(user, 'before')
  const killedBefore = await carryOut(remote, before, async (_, call) => {
    kill(await pidOfDaemon())
    return await call()
  })
  expect(await rowsOf(user, killedBefore, before)).toEqual(undisturbed)

  const during = await newTask(user, 'during')
  const killedDuring = await carryOut(remote, during, async (at, call) => {
    const pid = await pidOfDaemon()
    const answer = call()
    await sleep(at % 4)
    kill(pid)
    return await answer
  })
  expect(await rowsOf(user, killedDuring, during)).toEqual(undisturbed)
  expect(kills).toBe(2 * (CALLS.length + 1))
})
