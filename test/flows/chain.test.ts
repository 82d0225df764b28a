import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { reach } from '../../src/cli/daemon/reach.ts'
import { findHome } from '../../src/daemon/home.ts'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import type { Effort } from '../../src/model/effort.ts'
import type { ChainView } from '../../src/model/chain/view.ts'
import { HookedClient } from '../hooked-client.ts'
import { ENTRY, unwrapped, User } from '../holdfast.ts'
import { createDatabase } from '../postgres.ts'
import { sharedPostgres } from '../shared.ts'
import { SkilledUser } from '../skilled-user.ts'
import { untilFree } from '../torture/free.ts'

vi.setConfig({ testTimeout: 300_000 })

/** A session of a client whose hooks are installed, as a chain meets it. */
class Session {
  readonly #client: HookedClient
  constructor(user: User, session: string) {
    this.#client = new HookedClient(user, session, { patient: true })
  }

  starts = async (source = 'startup') => (await this.#client.fire('SessionStart', { source })).context
  hears = (prompt: string) => this.#client.fire('UserPromptSubmit', { prompt })
  calls = (skill: string, args = '') => this.#client.use('Skill', { skill, args })
  reads = (file_path: string) => this.#client.use('Read', { file_path })
  ends = () => this.#client.fire('SessionEnd', { reason: 'exit' })
  compacts = () => this.#client.fire('PreCompact', { trigger: 'auto' })
  /** Why the end of a turn is refused; empty if it is not. */
  stops = async () =>
    (await this.#client.fire('Stop', { stop_hook_active: false, background_tasks: [] })).refusals.join('\n')
}

/** A user with skills that know nothing of us, and with skills of one step. */
async function arrived(): Promise<SkilledUser> {
  const user = await SkilledUser.arrive()
  for (const name of ['one', 'two', 'three'])
    user.put(`.claude/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: Does it.\n---\n\nDo it.\n`)
  for (const name of ['plan', 'make', 'fix']) {
    user.put(`.claude/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: Does it.\n---\n\nDo it.\n`)
    user.put(`.claude/skills/${name}/steps/do.md`, '---\nproduces: [out]\n---\n')
  }
  return user
}

const chainsOf = (user: User) => user.json<readonly ChainView[]>(['chain', 'list', '--ended'])
const statesOf = ([chain]: readonly ChainView[]) =>
  chain?.frames.map(({ skill, status }) => `${skill} ${status}`)

async function killDaemon(user: User): Promise<void> {
  const { pid } = await user.json<DaemonStatus>(['daemon', 'status'])
  process.kill(pid, 'SIGKILL')
  await untilFree(findHome(user.env))
}

test('three skills that know nothing of us run to the end through compaction, a killed daemon and a restarted client', async () => {
  await using user = await arrived()
  const it = new Session(user, 'window')
  await it.starts()
  const told = await it.hears('/one then /two it and /three')
  expect(told.context).toContain('When /one is done, call the Skill tool with skill "two" and args "it".')
  expect(told.notices.join('\n')).toContain('/one → /two → /three.')

  await it.compacts()
  expect(await it.starts('compact')).toContain('/one → /two → /three. When /one is done, call the Skill tool')

  await killDaemon(user)
  await it.hears('Go on')
  expect(await it.stops()).toContain('call the Skill tool with skill "two" and args "it"')
  await it.calls('two', 'it')
  expect(statesOf(await chainsOf(user))).toEqual(['one completed', 'two running', 'three waiting'])

  await it.ends()
  const other = await new Session(user, 'other').starts()
  expect(other).toContain('chains that no session has. Resume one only if the user asks:')
  const again = new Session(user, 'window')
  expect(await again.starts('resume')).toContain('When /two is done, call the Skill tool with skill "three"')
  await again.hears('Go on')
  expect(await again.stops()).toContain('skill "three" and args ""')
  await killDaemon(user)
  await again.hears('Go on')
  await again.calls('three')
  expect(await again.stops()).toBe('')
  expect(await chainsOf(user)).toMatchObject([
    { state: 'ended', frames: [{ call: null }, { call: 'tail' }, { call: 'tail' }] },
  ])
  expect(await user.json(['chain', 'list'])).toEqual([])
})

test('a skill in the middle that fails runs its branch, or parks the rest until somebody resumes it', async () => {
  await using user = await arrived()
  const abandoned = async (it: Session, prompt: string) => {
    await it.starts()
    await it.hears(prompt)
    await it.reads(`${user.project}/.claude/skills/plan/steps/do.md`)
    await it.calls('make', 'it')
    const [effort] = await user.ask<readonly Effort[]>('db.effort.findActive', { skill: 'make' })
    return await user.run(['effort', 'finish', String(effort?.id), '--abandon', 'too hard'])
  }
  const it = new Session(user, 'with')
  const failed = await abandoned(it, '/plan x, /make it else /fix that, and /three')
  expect(failed.stdout).toContain('next: call the Skill tool with skill "fix" and args "that"')
  // The user gave it up in a terminal, so the session hears of it with the next prompt.
  expect((await it.hears('Go on')).context).toContain('Next: call the Skill tool with skill "fix"')
  expect(await it.stops()).toContain('skill "fix" and args "that"')
  await it.calls('fix', 'that')
  await it.reads(`${user.project}/.claude/skills/fix/steps/do.md`)
  await it.calls('three')
  await it.stops()
  expect(statesOf(await chainsOf(user))).toEqual([
    'plan completed',
    'make failed',
    'fix completed',
    'three completed',
  ])

  const without = new Session(user, 'without')
  const parked = await abandoned(without, '/plan y, /make it and /three')
  const [chain] = await chainsOf(user)
  expect(parked.stdout).toContain(`next: holdfast chain resume ${chain?.id}`)
  expect(statesOf(await chainsOf(user))).toEqual(['plan completed', 'make failed', 'three parked'])
  expect((await without.hears('Go on')).context).toContain(`To go on: holdfast chain resume ${chain?.id}`)
  expect(await without.stops()).toBe('')
  const status = (await user.run(['status'])).stdout
  expect(status).toContain(`holdfast chain resume ${chain?.id}`)
  const env = { CLAUDE_CODE_SESSION_ID: 'without' }
  const resumed = await user.run(['chain', 'resume', String(chain?.id)], { env })
  expect(resumed.stdout).toContain('Next: call the Skill tool with skill "three" and args ""')
  expect(await without.stops()).toContain('skill "three"')
})

test('status and the effort say that the next skill of a chain is missing, and what to do', async () => {
  await using user = await arrived()
  const it = new Session(user, 'window')
  await it.starts()
  for (const name of ['release', 'handoff'])
    user.put(`.claude/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: Does it.\n---\n\nDo it.\n`)
  await it.hears('/plan x, /release it and /handoff')
  await it.reads(`${user.project}/.claude/skills/plan/steps/do.md`)
  const [chain] = await chainsOf(user)
  const texts = async () => [
    (await user.run(['status'])).stdout,
    (await user.run(['effort', 'show', String(chain?.frames[0]?.effort_id)])).stdout,
    (await user.run(['chain', 'show', String(chain?.id)])).stdout,
  ]
  for (const text of await texts()) {
    expect(text).toContain('/plan → /release → /handoff; next: /release')
    expect(text).not.toContain('is missing here')
  }
  for (const name of ['release', 'handoff'])
    rmSync(join(user.project, '.claude/skills', name), { recursive: true })
  await it.hears('Go on')
  for (const text of await texts()) {
    expect(text).toContain('/release is missing here. To add it: holdfast skill link FOLDER\n')
    expect(text).toContain(`  The user may end the chain: holdfast chain drop ${chain?.id} --reason '____'\n`)
  }
  // A parked chain says so too; then comes a skill of the package.
  await user.run(['effort', 'finish', String(chain?.frames[0]?.effort_id), '--abandon', 'too hard'])
  expect(await chainsOf(user)).toMatchObject([{ state: 'parked', missing: 'release' }])
  for (const text of await texts()) expect(text).toContain('/release is missing here.')
  await user.json(['chain', 'resume', String(chain?.id), '--as', 'handoff'])
  const [status = ''] = await texts()
  const [, folder = ''] =
    /\/handoff is missing here\. To add it: holdfast skill link (\S+)/.exec(unwrapped(status)) ?? []
  expect(await user.run(['skill', 'link', folder])).toMatchObject({ code: 0 })
  await it.hears('Go on')
  for (const text of await texts()) expect(text).not.toContain('is missing here')
})

test('two agents at once go through chains of their own', async () => {
  await using user = await arrived()
  const agents = ['ada', 'bob'].map((name) => new Session(user, name))
  for (const it of agents) await it.starts()
  await Promise.all(agents.map((it, at) => it.hears(`/one ${at} then /two ${at} and /three ${at}`)))
  for (const skill of ['two', 'three']) {
    const refusals = await Promise.all(agents.map((it) => it.stops()))
    expect(refusals.map((text) => /with skill "(\w+)" and args "(\d)"/.exec(text)?.slice(1))).toEqual([
      [skill, '0'],
      [skill, '1'],
    ])
    await Promise.all(agents.map((it, at) => it.calls(skill, String(at))))
    await Promise.all(agents.map((it) => it.hears('Go on')))
  }
  await Promise.all(agents.map((it) => it.stops()))
  expect((await chainsOf(user)).map(({ state }) => state)).toEqual(['ended', 'ended'])
})

test('two daemons on one PostgreSQL never run a frame twice, nor give a chain to two sessions', async () => {
  const url = await createDatabase(await sharedPostgres())
  await using one = new User({ HOLDFAST_DATABASE_URL: url })
  await using two = new User({ HOLDFAST_DATABASE_URL: url })
  const connections = await Promise.all(
    [one, two].map((user) => reach({ home: findHome(user.env), entry: ENTRY, env: user.env })),
  )
  const [first, second] = connections
  if (first === undefined || second === undefined) throw new Error('They are two.')
  const fire = (from: typeof first, event: string, more: object = {}, session_id = 'native') =>
    from.call('hooks.handle', {
      client: 'claude-code',
      payload: { session_id, cwd: one.project, hook_event_name: event, ...more },
    })
  for (const name of ['a', 'b', 'c']) {
    mkdirSync(join(one.project, '.claude/skills', name), { recursive: true })
    const text = `---\nname: ${name}\ndescription: Does it.\n---\n\nDo it.\n`
    writeFileSync(join(one.project, '.claude/skills', name, 'SKILL.md'), text)
  }
  await first.call('db.project.upsert', { path: one.project })
  await fire(first, 'SessionStart', { source: 'startup' })
  // The same call reaches both; the frame runs once.
  const prompt = '/a then /b and /c'
  await fire(first, 'UserPromptSubmit', { prompt })
  const call = { tool_name: 'Skill', tool_input: { skill: 'b' }, tool_use_id: 'call' }
  await Promise.all([fire(first, 'PreToolUse', call), fire(second, 'PreToolUse', call)])
  const called = (await first.call('ledger.list', { event_type: 'chain.called' })) as readonly object[]
  expect(called).toMatchObject([{ skill: 'b', payload: { call: 'tail' } }])
  await first.call('continuation.drop', { native_id: 'native', reason: 'enough' })

  const push = { native_id: 'native', cwd: one.project, calls: ['/a', '/b', '/c', '/d'] }
  const { id } = (await first.call('continuation.push', push)) as ChainView
  const rivals = await Promise.allSettled(
    connections.map(async (connection, at) => {
      await connection.call('continuation.resume', { chain_id: id, native_id: `rival-${at}`, take: true })
    }),
  )
  expect(rivals.map(({ status }) => status)).toContain('fulfilled')
  const { session_id, frames } = (await first.call('continuation.next', { chain_id: id })) as ChainView
  expect(['rival-0', 'rival-1']).toContain(session_id)
  expect(frames.map(({ position }) => position)).toEqual([1, 2, 3, 4])
  const drop = { chain_id: id, reason: 'enough' }
  await Promise.all(connections.map((connection) => connection.call('continuation.drop', drop)))
  const entries = (await first.call('ledger.list', { event_type: 'chain.dropped' })) as readonly object[]
  expect(entries).toHaveLength(4 + 2)
  for (const connection of connections) connection.close()
})
