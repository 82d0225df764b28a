import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { User } from '../holdfast.ts'

let user: User
beforeAll(async () => {
  user = new User()
  await user.run(['daemon', 'start'])
})
afterAll(() => user[Symbol.asyncDispose]())

describe('a user at work', () => {
  test('registers, starts, continues and finishes, without ever starting a daemon', async () => {
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
    await other.json(['effort', 'finish', id, '--keywords', 'login', '--abandon', 'no longer needed'])
    expect((await other.run(['status'])).stdout).toContain('No effort is active.')
    expect((await other.run(['task', 'find', 'LOGIN'])).stdout).toContain('Let users in')
  })

  test('gets an error with what is missing and the command that works', async () => {
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
    const command = /try: holdfast (step go .*)$/m.exec(refused.stderr)?.[1]
    expect(command).toBe(`step go '2: Build' --effort ${id} --proof '{"plan":"____"}'`)
    // The form in the hint is not filled in, so it is not proof.
    const pasted = ['effort', 'phase', String(id), '2: Build', '--proof', '{"plan":"____"}']
    expect((await other.run(pasted)).code).toBe(1)
    expect((await other.run(pasted.with(5, '{"plan":"cookies"}'))).code).toBe(0)
    expect((await other.run(['ledger', '--type', 'phase.refused'])).stdout).toContain('out of order')
    const entries = (type: string) => other.json(['ledger', '--type', type])
    expect((await other.run(['ledger', '--type', 'approval.given'])).stdout).toBe('No entry matches.\n')
    expect(await entries('phase_enter')).toEqual(await entries('phase.entered'))
    const session = await other.json<{ id: number }>(['session', 'start', 't', '--native_id', 'abc'])
    const ofSession = (named: string) => other.json<object[]>(['ledger', '--session', named])
    const row = { event_type: 'session.started', session_id: 'abc', window_id: session.id }
    expect(await ofSession(`${session.id}`)).toMatchObject([row])
    expect(await ofSession('abc')).toMatchObject([row])
    const typo = await other.run(['ledger', '--type', 'phase.refuse'])
    expect([typo.code, typo.stderr]).toEqual([64, expect.stringContaining('did you mean phase.refused?')])
  })
})

describe('the arguments of a command', () => {
  const wrong: [string, string[], number, RegExp, RegExp][] = [
    ['an unknown command', ['stauts'], 64, /no command "stauts"\. Did you mean: status\?/, /holdfast help/],
    ['a command without its noun', ['adopt'], 64, /Did you mean: skill adopt\?/, /holdfast help skill adopt/],
    [
      'a verb of another noun',
      ['task', 'context', 'x'],
      64,
      /Did you mean: todo context\?/,
      /holdfast help todo context/,
    ],
    ['both in one word', ['task-context'], 64, /Did you mean: todo context\?/, /help todo context/],
    ['an unknown verb', ['effort', 'strat'], 64, /Did you mean: effort start/, /holdfast help effort/],
    [
      'an unknown flag',
      ['ledger', '--folow'],
      64,
      /no flag --folow\. Did you mean --follow\?/,
      /ledger --help/,
    ],
    ['a missing argument', ['effort', 'start', 'x'], 64, /needs SKILL/, /effort start --help/],
    ['too many arguments', ['task', 'list', 'x'], 64, /unexpected argument: "x"/, /task list --help/],
    ['a word for a number', ['effort', 'show', 'two'], 64, /EFFORT must be a number, not "two"/, /^/],
    ['a flag without its value', ['task', 'upsert', '.', '--title'], 64, /--title needs a value/, /--help/],
    ['broken JSON', ['rpc', 'db.task.list', '{'], 64, /not JSON/, /holdfast rpc METHOD/],
    [
      'JSON that is not an object',
      ['rpc', 'db.task.list', '[1]'],
      64,
      /must be a JSON object/,
      /holdfast rpc METHOD/,
    ],
    ['an unknown method', ['rpc', 'db.tsk.list'], 64, /did you mean db\.task\.list/, /rpc --list/],
    [
      'a misspelled parameter',
      ['rpc', 'db.task.list', '{"activ":true}'],
      64,
      /parameter activ; did you mean active\?/,
      /--describe db\.task\.list/,
    ],
    [
      'a parameter of the wrong type',
      ['rpc', 'db.task.list', '{"limit":"many"}'],
      64,
      /limit must be a number/,
      /--describe/,
    ],
    ['a missing file', ['rpc', 'db.task.list', '@nothing.json'], 64, /Cannot read @nothing\.json/, /^/],
    [
      'an unknown kind of entry',
      ['ledger', '--type', 'phase.refusd'],
      64,
      /Unknown type of entry "phase\.refusd"; did you mean phase\.refused\?/,
      /ledger --type phase\.refused\n/,
    ],
    [
      'a number that is too small',
      ['recap', '--budget', '-1'],
      64,
      /: --budget must be at least 0\./,
      /recap --help/,
    ],
    ['an invalid number', ['ledger', '--limit', 'x'], 64, /--limit must be a number/, /ledger --help/],
    [
      'an invalid boolean',
      ['task', 'list', '--active=maybe'],
      64,
      /--active can only be true or false, not "maybe"/,
      /task list --active\n/,
    ],
    ['an empty flag', ['status', '.', '--limit='], 64, /: --limit must be a number/, /status --help/],
    ['an empty folder for the status', ['status', ''], 64, /DIR must not be empty/, /status \.\n/],
    [
      'an unknown level',
      ['enforce', 'hard'],
      64,
      /choose one of observe, enforce, strict, locked\./,
      /try: holdfast enforce enforce\n/,
    ],
    [
      'an unknown scope to uninstall',
      ['uninstall', '--scope', 'planet'],
      64,
      /choose one of user, local, project\./,
      /try: holdfast uninstall --scope user\n/,
    ],
    [
      'a missing folder for the status',
      ['status', 'nowhere'],
      66,
      /project\/nowhere does not exist/,
      /status \.\n/,
    ],
    [
      'the word version',
      ['version'],
      64,
      /no command "version"\. Did you mean: --version\?/,
      /try: holdfast --version\n/,
    ],
    ['a default without a level', ['enforce', '--default'], 64, /--default needs a LEVEL/, /--default\n/],
    [
      'an approval without an effort',
      ['effort', 'approve', 'x', 'y'],
      64,
      /EFFORT must be/,
      /approve --help/,
    ],
    ['a drop without a reason', ['chain', 'drop', '3'], 64, /say why/, /chain drop 3 --reason WHY\n/],
    ['an empty folder to continue', ['session', 'continue', ''], 64, /DIR must not be empty/, /continue\n/],
    ['an empty task', ['session', 'check', ''], 64, /DIR must not be empty/, /session check --help/],
    ['an empty project', ['enforce', '--project='], 64, /--project must not be empty/, /enforce --help/],
    ['a missing project', ['enforce', '--project=x'], 66, /x does not exist/, /project list/],
    ['an unknown skill', ['skill', 'show', 'x'], 66, /No skill x here/, /try: holdfast skill new x\n/],
    ['an empty folder of skills', ['skill', 'list', ''], 64, /must not be empty/, /skill list \.\n/],
    ['an empty folder', ['task', 'upsert', ''], 64, /DIR_PATH must not be empty/, /task upsert --help/],
    ['an empty effort', ['recap', '--effort', ''], 64, /"" is neither the number/, /effort find-active/],
    ['a missing effort', ['effort', 'show', '999'], 66, /Effort 999 /, /effort find-active/],
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
    ['SQL that writes', ['query', 'delete from tasks'], 64, /read-only; nothing changed/, /rpc --list/],
    ['a flag without a command', ['--foo'], 64, /holdfast has no flag --foo\./, /holdfast --help/],
    ['invalid SQL', ['query', 'selekt'], 64, /The database reports/, /holdfast query/],
  ]
  // INV_HARD_FAILURE
  test.each(wrong)(
    '%s: an error, a hint, a documented exit code',
    async (_, words, code, sentence, remedy) => {
      const { code: exit, stdout, stderr } = await user.run(words)
      expect({ exit, stdout }).toEqual({ exit: code, stdout: '' })
      expect(stderr).toMatch(sentence)
      expect(stderr).toMatch(remedy)
      expect(stderr).not.toMatch(/^\s+at /m)
    },
  )

  test('an unreachable database is reported as such, with or without a daemon', async () => {
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

  test('a title may begin with @, and a word that looks like a flag goes after --', async () => {
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
    const { stdout, code } = await other.process(['daemon', 'start', '--json'], { env })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ home: join(other.folder, 'home') })
  })

  test('with --json an error is JSON on stderr', async () => {
    const { code, stdout, stderr } = await user.run(['effort', 'show', '999', '--json'])
    expect({ code, stdout }).toEqual({ code: 66, stdout: '' })
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'not-found', field: 'effort_id' } })
  })

  test('with --json an unanswered question is data with the next command, and nothing else', async () => {
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
