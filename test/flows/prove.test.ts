import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findHome } from '../../src/daemon/home.ts'
import { ENTRY, User } from '../holdfast.ts'
import { productOf } from '../../src/rules/told/words.ts'

/** Prints what it sees, waits on request, and passes unless a file says otherwise. */
const CHECK = `echo "in $PWD as $WHO"; sleep 0.1; echo oops >&2
while [ -e wait ]; do [ -e waiting ] || : > waiting; sleep 0.05; done
exit $(cat status 2>/dev/null || echo 0)`

/** A user with an effort whose first phase requires proved tests. */
async function atWork() {
  const user = new User({ WHO: 'the user' })
  onTestFinished(() => user[Symbol.asyncDispose]())
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(user.project, path)), { recursive: true })
    writeFileSync(join(user.project, path), text)
  }
  mkdirSync(join(user.project, '.git'))
  write('check.sh', CHECK)
  write('src/a.ts', 'a')
  write('.claude/skills/build/SKILL.md', '---\nname: build\ndescription: Builds.\n---\n\nBuild it.\n')
  write(
    '.claude/skills/build/holdfast.yaml',
    `phases:
  - {label: "1", name: Build, proof: {tests: {command: sh check.sh, covers: [src/**, check.sh]}}}
  - {label: "2", name: Ship}
`,
  )
  const { id: project } = await user.json<{ id: number }>(['project', 'upsert', '.'])
  await user.json(['rpc', 'agent.skills.list', JSON.stringify({ project_id: project })])
  await user.json(['task', 'upsert', '.'])
  const { id } = await user.json<{ id: number }>(['effort', 'start', '.', 'build'])
  await user.json(['effort', 'phase', String(id), '1'])
  const leave = () => user.run(['effort', 'phase', String(id), '2: Ship'])
  const artifacts = () => user.json<object[]>(['artifact', 'list', String(id)])
  return { user, id, write, leave, artifacts }
}

test('a phase is left after its tests have really passed, and not before', async () => {
  const { user, id, write, leave, artifacts } = await atWork()
  const refused = await leave()
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain(
    `try: holdfast prove tests --effort ${id} && holdfast step go '2: Ship' --effort ${id}`,
  )

  write('status', '3')
  const failed = await user.run(['prove', 'tests'], { cwd: join(user.project, 'src') })
  expect(failed.code).toBe(3)
  expect(failed.stdout).toContain(`in ${user.project} as the user`)
  expect(failed.stderr).toContain('oops')
  expect(failed.stdout).toContain('not proved: sh check.sh exited with 3')
  expect(await user.json(['ledger', '--type', 'evidence.failed'])).toMatchObject([
    { effort_id: id, payload: { name: 'tests', exit_code: 3, tail: expect.stringContaining('as the user') } },
  ])
  expect((await leave()).code).toBe(1)

  write('status', '0')
  const passed = await user.run(['prove', 'tests', '--effort', String(id)])
  expect(passed).toMatchObject({ code: 0, stdout: expect.stringContaining(`proved tests for effort ${id}`) })
  expect(await artifacts()).toMatchObject([{ name: 'tests', rank: 'proved', stale: false }])

  write('src/a.ts', 'edited')
  expect(await artifacts()).toMatchObject([{ rank: 'proved', stale: true }])
  expect((await leave()).code).toBe(1)

  const { proved } = await user.json<{ proved: boolean }>(['prove', 'tests'])
  expect(proved).toBe(true)
  expect((await leave()).code).toBe(0)
})

test('a claim is not proof, and a name is not a command', async () => {
  const { user, id, leave } = await atWork()
  expect((await user.run(['artifact', 'put', String(id), 'tests', '--path', 'src/a.ts'])).code).toBe(0)
  expect((await user.run(['artifact', 'put', String(id), 'tests', '--rank', 'proved'])).code).toBe(64)
  expect((await leave()).code).toBe(1)
  const evil = await user.run(['prove', 'tests; touch evil'])
  expect(evil.code).toBe(66)
  expect(evil.stderr).toContain(': tests.')
  expect(existsSync(join(user.project, 'evil'))).toBe(false)
})

test('an edit during the tests invalidates the proof', async () => {
  const { user, write, leave } = await atWork()
  write('wait', '')
  const proving = user.run(['prove', 'tests'])
  await vi.waitFor(() => readFileSync(join(user.project, 'waiting')), { timeout: 60_000, interval: 50 })
  write('src/a.ts', 'edited meanwhile')
  go(user)
  const proved = await proving
  expect(proved.code).toBe(1)
  expect(proved.stdout).toContain('changed while sh check.sh ran')
  expect((await leave()).code).toBe(1)
})

test('killing the daemon between the run and the record makes no difference', async () => {
  const undisturbed = await atWork()
  await undisturbed.user.run(['prove', 'tests'])
  const { user, write, leave, artifacts } = await atWork()
  write('wait', '')
  const proving = user.run(['prove', 'tests'])
  await vi.waitFor(() => readFileSync(join(user.project, 'waiting')), { timeout: 60_000, interval: 50 })
  const { pid } = await user.json<{ pid: number }>(['daemon', 'status'])
  process.kill(pid, 'SIGKILL')
  go(user)
  expect((await proving).code).toBe(0)
  expect(rowsOf(user)).toEqual(rowsOf(undisturbed.user))
  expect(await artifacts()).toMatchObject([{ rank: 'proved', stale: false }])
  expect((await leave()).code).toBe(0)
})

test('a record that is repeated after a lost answer is one record', async () => {
  const { user, id } = await atWork()
  const call = (method: string, params: object) =>
    user.json<{ token: string }>(['rpc', method, JSON.stringify(params)])
  const { token } = await call('evidence.begin', { effort_id: id, name: 'tests' })
  const ended = { token, exit_code: 0, duration_ms: 7, tail: '', idempotency_key: 'once' }
  const first = await call('evidence.finish', ended)
  const rows = rowsOf(user)
  const { pid } = await user.json<{ pid: number }>(['daemon', 'status'])
  process.kill(pid, 'SIGKILL')
  expect(await call('evidence.finish', ended)).toEqual(first)
  expect(rowsOf(user)).toEqual(rows)
})

test('a reader that closes early does not end the command, and every byte comes through', async () => {
  const { user, write, artifacts } = await atWork()
  write('check.sh', 'head -c 3000000 /dev/zero | tr "\\000" x; printf "\\377end"')
  const holdfast = `"${process.execPath}" "${ENTRY}" prove tests`
  execFileSync('sh', ['-c', `${holdfast} | head -c 10`], { cwd: user.project, env: user.env, stdio: 'pipe' })
  expect(await artifacts()).toMatchObject([{ rank: 'proved', stale: false }])
  const whole = execFileSync('sh', ['-c', holdfast], {
    cwd: user.project,
    env: user.env,
    stdio: 'pipe',
    maxBuffer: 10_000_000,
  })
  expect(whole.indexOf(Buffer.from([0xff, 0x65, 0x6e, 0x64]))).toBe(3_000_000)
})

test('an interrupted run has failed, and the command gets the signal', async () => {
  const { user, id, write } = await atWork()
  write('wait', '')
  const child = spawn(process.execPath, [ENTRY, 'prove', 'tests'], {
    cwd: user.project,
    env: user.env,
    stdio: 'ignore',
  })
  const ended = new Promise<number | null>((done) => child.on('exit', (code) => done(code)))
  await vi.waitFor(() => readFileSync(join(user.project, 'waiting')), { timeout: 60_000, interval: 50 })
  child.kill('SIGTERM')
  expect(await ended).toBe(143)
  expect(await user.json(['ledger', '--type', 'evidence.failed'])).toMatchObject([
    { effort_id: id, payload: { exit_code: 143 } },
  ])
})

test('a step ends with what it produces: the command in the refusal works, even after kill -9', async () => {
  const user = new User()
  onTestFinished(() => user[Symbol.asyncDispose]())
  mkdirSync(join(user.project, '.git'))
  await user.json(['skill', 'new', 'deploy', '--notation', 'steps'])
  const skill = join(user.project, '.claude/skills/deploy')
  writeFileSync(join(skill, 'holdfast.yaml'), 'gate: produced\n')
  const hook = async (event: string, more: object) => {
    const payload = { session_id: 'one', cwd: user.project, hook_event_name: event, ...more }
    const { stdout } = await user.run(['hook', 'claude-code', '--limit', '60000'], {
      input: JSON.stringify(payload),
    })
    return stdout
  }
  const read = async (step: string) => {
    const call = {
      tool_name: 'Read',
      tool_input: { file_path: join(skill, `steps/${step}.md`) },
      tool_use_id: step,
    }
    const before = await hook('PreToolUse', call)
    if (before === '') await hook('PostToolUse', { ...call, tool_response: {} })
    return before
  }
  await hook('SessionStart', { source: 'startup' })
  await hook('UserPromptSubmit', { prompt: '/deploy' })
  expect(await read('understand')).toBe('')
  const [, command = ''] =
    /run holdfast (step done understand --effort \d+), then/.exec(await read('work')) ?? []
  writeFileSync(join(user.project, 'understanding.md'), 'I see.')
  expect((await user.run(command.split(' '))).code).toBe(0)
  const { pid } = await user.json<{ pid: number }>(['daemon', 'status'])
  process.kill(pid, 'SIGKILL')
  expect(await read('work')).toBe('')
  writeFileSync(join(user.project, 'understanding.md'), 'I was wrong.')
  expect(await read('check')).toContain(JSON.stringify(productOf('change', ['work'])).slice(1, -1))
})

/** Lets the waiting command finish. */
const go = (user: User) => rmSync(join(user.project, 'wait'))

/** The stored work, without values that depend on the user and the time. */
function rowsOf(user: User): readonly string[] {
  using database = new DatabaseSync(findHome(user.env).database, { readOnly: true })
  const tables = ['artifacts', 'evidence_runs', 'phase_history', 'plan_state', 'step_visits', 'life_event']
  const rows = tables.flatMap((table) =>
    database.prepare(`select * from ${table} where effort_id > 0 order by 1`).all(),
  )
  const momentary = /\d{4}-\d\d-\d\dT[\d:.]+Z|"id":"[^"]+"|\\"duration_ms\\":\d+/g
  // The digest of a skill depends on the folder of its user.
  const skill = database.prepare(`select digest from skills where name = 'build'`).get()
  return rows.map((row) =>
    JSON.stringify(row)
      .replaceAll(user.folder, 'FOLDER')
      .replaceAll(String(skill?.['digest']), 'SKILL')
      .replaceAll(momentary, ''),
  )
}
