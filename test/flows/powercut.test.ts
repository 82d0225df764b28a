import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { stopDaemon } from '../../src/cli/daemon/stop.ts'
import { listBackups } from '../../src/daemon/backups.ts'
import { findHome, type Home } from '../../src/daemon/home.ts'
import { ENTRY, testDaemon, User } from '../holdfast.ts'
import type { Operation } from '../torture/disk.ts'
import { homesAfter } from '../torture/powercut-command.ts'
import { powercutRun } from '../torture/powercut.ts'
import { whyNoStrace } from '../torture/strace.ts'

const SEED = Number(process.env['HOLDFAST_SEED'] ?? Date.now() % 1_000_000)
const log = () => undefined
const missing = whyNoStrace()

describe('power cut', { timeout: 600_000 }, () => {
  // INV_ACK_IS_DURABLE
  test(`at any moment loses nothing that was acknowledged (seed ${SEED})`, async ({ skip }) => {
    skip(missing !== undefined, missing)
    const report = await powercutRun({ states: 120, calls: 60, seed: SEED, daemon: ENTRY, log })
    expect(report.violations).toEqual([])
    expect(report.acknowledged).toBeGreaterThan(120)
  })

  test.for([
    ['syncs no file', 'careless-daemon', 'no-sync'],
    ['syncs no folder', 'careless-daemon', 'no-folder-sync'],
    ['syncs the database only at checkpoints', 'careless-daemon', 'sqlite-normal'],
    ['answers before it commits', 'faulty-daemon', ''],
  ] as const)('the test detects a daemon that %s', async ([, name, planted], { skip }) => {
    skip(missing !== undefined, missing)
    const daemon = testDaemon(`test/torture/${name}.ts`)
    const env = { HOLDFAST_PLANTED: planted }
    const report = await powercutRun({ states: 400, calls: 20, seed: SEED, daemon, env, log })
    expect(report.violations.map(({ kind }) => kind)).toContain('lost')
  })

  /** The agents in a database, and whether it is whole. */
  const looked = (path: string) => {
    using db = new DatabaseSync(path, { readOnly: true })
    const ids = db.prepare('select id from agents order by id').all()
    return [db.prepare('pragma integrity_check').get()?.['integrity_check'], ...ids.map(({ id }) => id)]
  }

  interface Case {
    /** Before the command, with no daemon. */
    readonly prepare: (user: User) => Promise<unknown>
    readonly words: readonly string[]
    /** What the command has promised. */
    readonly found: (home: Home) => unknown
    readonly expected: unknown
  }

  const COMMANDS: Readonly<Record<string, Case>> = {
    backup: {
      prepare: (user) => user.json(['agent', 'register', 'one']),
      words: ['backup'],
      found: (home) => listBackups(home).map(({ path }) => looked(path)),
      expected: [['ok', 'one']],
    },
    restore: {
      async prepare(user) {
        await user.json(['agent', 'register', 'one'])
        await user.json(['backup'])
        await user.json(['agent', 'register', 'two'])
      },
      words: ['restore', '--yes'],
      found: (home) => [
        looked(home.database),
        ...listBackups(home).map(({ kind, path }) => [kind, ...looked(path)]),
      ],
      expected: [
        ['ok', 'one'],
        ['replaced', 'ok', 'one', 'two'],
        ['manual', 'ok', 'one'],
      ],
    },
  }

  /** What each power cut after a command leaves of its promise. */
  async function left({ prepare, words, found }: Case, isKept?: (one: Operation) => boolean) {
    await using user = new User()
    await prepare(user)
    await stopDaemon(findHome(user.env))
    const all: unknown[] = []
    for await (const home of homesAfter(user, words, isKept)) {
      try {
        all.push(found(home))
      } catch (error) {
        all.push(String(error))
      }
    }
    return all
  }

  test.for(Object.entries(COMMANDS))('after a %s leaves what it told', async ([, one], { skip }) => {
    skip(missing !== undefined, missing)
    for (const found of await left(one)) expect(found).toEqual(one.expected)
  })

  test.for(Object.entries(COMMANDS))(
    'the test detects a %s that syncs nothing',
    async ([, one], { skip }) => {
      skip(missing !== undefined, missing)
      const found = await left(one, ({ kind }) => kind !== 'sync')
      expect(found.filter((each) => JSON.stringify(each) !== JSON.stringify(one.expected))).not.toEqual([])
    },
  )
})
