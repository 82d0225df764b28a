import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { connectTo } from '../../src/cli/daemon/connect.ts'
import { stopDaemon } from '../../src/cli/daemon/stop.ts'
import { findHome } from '../../src/daemon/home.ts'
import { testDaemon, User } from '../holdfast.ts'

const DAEMON = testDaemon('test/torture/dying-daemon.ts')
const PAYLOAD = { summary: 'Half way', requiredFiles: ['tasks/login/1_IMPLEMENT_LOG.md'] }

interface Command {
  readonly name: string
  /** The minimum number of its steps. */
  readonly kills: number
  readonly files?: Readonly<Record<string, string>>
  readonly before: readonly (readonly string[])[]
  readonly words: readonly string[]
}

const COMMANDS: readonly Command[] = [
  { name: 'effort start', kills: 4, before: [], words: ['effort', 'start', 'tasks/login', 'implement'] },
  {
    name: 'session continue',
    kills: 2,
    before: [
      ['effort', 'start', 'tasks/login', 'implement'],
      ['log', 'Begun'],
      ['session', 'dehydrate', 'tasks/login', JSON.stringify(PAYLOAD)],
    ],
    words: ['session', 'continue', '--native-id', 'second', '--client', 'claude-code'],
  },
  {
    name: 'log',
    kills: 6,
    before: [['effort', 'start', 'tasks/login', 'implement']],
    words: ['log', 'Done'],
  },
  {
    name: 'prove',
    kills: 4,
    files: {
      'src/a.ts': 'a',
      '.claude/skills/build/SKILL.md': '---\nname: build\ndescription: Builds.\n---\n\nBuild it.\n',
      '.claude/skills/build/holdfast.yaml':
        'phases:\n  - {label: "1", name: Build, proof: {tests: {command: "true", covers: [src/**]}}}\n',
    },
    before: [
      ['effort', 'start', 'tasks/login', 'build'],
      ['effort', 'phase', '2', '1'],
    ],
    words: ['prove', 'tests', '--effort', '2'],
  },
  {
    name: 'handoff write',
    kills: 6,
    before: [
      ['project', 'upsert', '.'],
      ['todo', 'add', 'Mend it'],
    ],
    words: ['handoff', 'write', '--status', 'Half way', '--learn', 'When it rains: Wait.'],
  },
  ...[
    ['next', '2'],
    ['done', '2', 'a'],
    ['fail', '2', 'a', '--reason', 'it broke'],
  ].map((words) => ({
    name: `pipeline ${words[0]}`,
    kills: 2,
    files: {
      'tasks/login/plan.md': 'The plan.',
      '.claude/skills/ship/SKILL.md': '---\nname: ship\ndescription: Ships.\n---\n',
      '.claude/skills/ship/holdfast.yaml': 'pipeline: [{id: a, prompt: do a}, {id: b, prompt: do b}]\n',
    },
    before: [
      ['project', 'upsert', '.'],
      ['task', 'upsert', 'tasks/login'],
      ['pipeline', 'start', 'tasks/login', 'ship'],
      ...(words[0] === 'next' ? [] : [['pipeline', 'next', '2']]),
    ],
    words: ['pipeline', ...words],
  })),
]

// INV_ACK_IS_DURABLE
test.each(COMMANDS)(
  'kill -9 between any two steps of $name ends as if nothing had happened',
  { timeout: 600_000 },
  async ({ files = {}, before, words, kills: least }) => {
    await using user = new User()
    const env = { CLAUDE_CODE_SESSION_ID: 'first' }
    await user.run(['skill', 'new', 'implement'])
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(user.project, path)), { recursive: true })
      writeFileSync(join(user.project, path), text)
    }
    for (const command of before) expect(await user.run(command, { env })).toMatchObject({ code: 0 })
    const stage = await keepState(user)
    const run = async (lastStep: number) => {
      stage.restore()
      const died = await dyingDaemon(user, lastStep)
      const finished = await user.run(words, { env: words[0] === 'session' ? {} : env })
      await stopDaemon(findHome(user.env)).catch(() => undefined)
      const { signal } = await died.exit
      return { signal, finished, state: stateOf(user) }
    }
    const calm = await run(0)
    expect(calm.finished.code).toBe(0)
    const kills: number[] = []
    for (let step = 1; ; step++) {
      const { signal, finished, state } = await run(step)
      expect({ ...finished, stdout: plain(finished.stdout) }).toEqual({
        ...calm.finished,
        stdout: plain(calm.finished.stdout),
      })
      expect(state).toEqual(calm.state)
      if (signal !== 'SIGKILL') break
      kills.push(step)
    }
    expect(kills.length).toBeGreaterThanOrEqual(least)
  },
)

/** The database and the project as they are now, to start from again. */
async function keepState(user: User) {
  // Without a command that needed a daemon, there is no database.
  await user.run(['daemon', 'start'])
  await user.run(['daemon', 'stop'])
  const [kept, database] = [join(user.folder, 'kept'), findHome(user.env).database]
  cpSync(user.project, join(kept, 'project'), { recursive: true, preserveTimestamps: true })
  copyFileSync(database, join(kept, 'engine.db'))
  return {
    restore() {
      rmSync(user.project, { recursive: true })
      cpSync(join(kept, 'project'), user.project, { recursive: true, preserveTimestamps: true })
      for (const suffix of ['-wal', '-shm']) rmSync(`${database}${suffix}`, { force: true })
      copyFileSync(join(kept, 'engine.db'), database)
    },
  }
}

/** A daemon that dies at a step; the next caller starts another one, which lives. */
async function dyingDaemon(user: User, lastStep: number) {
  const child = spawn(process.execPath, [DAEMON], {
    env: { ...user.env, HOLDFAST_DIE_AT: String(lastStep) },
    cwd: '/',
    stdio: 'ignore',
  })
  const exit = once(child, 'exit').then(([, signal]) => ({ signal: signal as string | null }))
  for (;;) {
    const connection = await connectTo(findHome(user.env))
    connection?.close()
    if (connection !== undefined) return { exit }
    if (child.exitCode !== null) throw new Error(`The daemon has ended with ${child.exitCode}.`)
    await sleep(10)
  }
}

/** Every row and every file, without times and random values. */
function stateOf({ folder, project }: User) {
  const db = new DatabaseSync(join(folder, 'home', 'engine.db'), { readOnly: true })
  try {
    const tables = db.prepare(
      `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`,
    )
    const rows = tables.all().map(({ name }) => [name, db.prepare(`select * from ${String(name)}`).all()])
    const files = readdirSync(project, { recursive: true, encoding: 'utf8' })
      .toSorted()
      .map((path) => [
        path,
        statSync(join(project, path)).isFile() ? readFileSync(join(project, path), 'utf8') : '',
      ])
    return JSON.parse(plain(JSON.stringify({ rows: Object.fromEntries(rows), files }))) as unknown
  } finally {
    db.close()
  }
}

const plain = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{3}Z)?/g, 'MOMENT')
    .replaceAll(/\d+ (?:s|min) ago/g, 'lately')
    .replaceAll(/"(id|span_id|key|digest)":"[^"]*"/g, '"$1":"CHANCE"')
    .replaceAll(/(\\"span_id\\":)\\"[^"\\]*\\"/g, String.raw`$1\"CHANCE\"`)
    .replaceAll(/(token\\*":\\*")[^"\\]*/g, '$1CHANCE')
    .replaceAll(/(?<=duration_ms\\*":)\d+/g, '0')
    .replaceAll(/(?<= after )[\d.]+ s/g, 'A WHILE')
