import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Remote } from '../src/cli/daemon/remote.ts'
import { ENTRY, User } from './holdfast.ts'

const MINUTE = 60_000

interface Skewed {
  readonly database: string
  /** How far the clock of the machine is ahead. */
  readonly minutes: number
  /** The file that Node runs as the daemon. */
  readonly daemon?: string
}

/** A user of a machine whose clock is wrong, with a daemon on a shared database. */
export class SkewedMachine extends User {
  readonly #daemon: string

  constructor({ database, minutes, daemon = ENTRY }: Skewed) {
    super({
      HOLDFAST_DATABASE_URL: database,
      HOLDFAST_TEST_SKEW: String(minutes * MINUTE),
      NODE_OPTIONS: `--import=${resolve('test/skewed-clock.ts')}`,
    })
    this.#daemon = daemon
  }

  async call<T>(method: string, params: object = {}): Promise<T> {
    using remote = new Remote({ env: this.env, entry: this.#daemon })
    return await remote.call<T>(method, { ...params })
  }

  /** An event of a client on this machine, in a folder that all machines have. */
  async fire(session: string, cwd: string, event: string, more: object = {}): Promise<string> {
    const payload = { session_id: session, cwd, hook_event_name: event, ...more }
    const { reply } = await this.call<{ reply?: unknown }>('hooks.handle', { client: 'claude-code', payload })
    return JSON.stringify(reply ?? {})
  }
}

/** A live session that another machine leaves as it is. */
export const UNHARMED = { refusedBefore: true, refusedAfter: true, marked: 0, live: [null] }

/** What one machine leaves of the session of another one that works at this moment. */
export async function meeting(at: Omit<Skewed, 'minutes'>, [here, there]: readonly [number, number]) {
  await using one = new SkewedMachine({ ...at, minutes: here })
  await using two = new SkewedMachine({ ...at, minutes: there })
  const { project } = one
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  put('.git/HEAD', '')
  put('.claude/skills/deploy/SKILL.md', '---\nname: deploy\ndescription: Deploy.\n---\nRead the steps.\n')
  put('.claude/skills/deploy/steps/1-build.md', '---\nproduces: [bundle]\n---\n')
  put('.claude/skills/deploy/steps/2-ship.md', '---\nconsumes: [bundle]\n---\n')
  await one.call('db.project.upsert', { path: project })
  const tool_input = { file_path: join(project, '.claude/skills/deploy/steps/2-ship.md') }
  const early = () =>
    one.fire('live', project, 'PreToolUse', {
      tool_name: 'Read',
      tool_input,
      tool_use_id: crypto.randomUUID(),
    })
  await one.fire('live', project, 'SessionStart', { source: 'startup' })
  await one.fire('live', project, 'UserPromptSubmit', { prompt: '/deploy' })
  const before = await early()
  // The first machine writes its heartbeats twice a second; an entry of its own makes it write at once.
  await one.fire('other', project, 'SessionStart', { source: 'startup' })
  await two.fire('newcomer', project, 'SessionStart', { source: 'startup' })
  await two.fire('newcomer', project, 'UserPromptSubmit', { prompt: '/deploy --continue' })
  const { marked } = await two.call<{ marked: number }>('db.session.markStale', { limit: 1000 })
  const windows = await two.call<{ ended_reason: string | null; native_id: string }[]>('db.session.find', {})
  return {
    refusedBefore: before.includes('deny'),
    refusedAfter: (await early()).includes('deny'),
    marked,
    live: windows.filter(({ native_id }) => native_id === 'live').map(({ ended_reason }) => ended_reason),
  }
}
