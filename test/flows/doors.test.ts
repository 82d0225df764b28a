import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { Effort } from '../../src/model/effort.ts'
import type { LedgerRow } from '../../src/store/ledger.ts'
import { clientProcess, SESSION, windowAt } from '../agent-window.ts'
import { HookedClient } from '../hooked-client.ts'

vi.setConfig({ testTimeout: 300_000 })

const ONLY_THE_USER = 'only the user can loosen the rules.'

/** What an agent tries to get rid of its rules, by the words of our program. */
const DOORS = [
  'pause 5m',
  'pause 5m --off=false',
  'pause --no-off',
  'enforce observe',
  'enforce observe --project strict',
  'enforce locked',
  'enforce --session-gate off',
  'effort approve 2 ship --reason "no time"',
  'effort accept 2',
  'step go ship --reason=false',
  'config set tasks other',
  'daemon rotate-token',
  `rpc db.project.setLevel '{"level":"observe"}'`,
  `rpc fs.files.read '{"path":"/etc/hosts"}'`,
  `rpc door.open '{"words":["uninstall"],"sessions":[]}'`,
  'uninstall --dry-run=false',
]

test('at enforce, the client asks its user before a door opens, and a yes is recorded as the user’s', async () => {
  const { user, announce, inShell, entries } = await windowAt('enforce')
  for (const [index, words] of DOORS.entries()) {
    const command = `holdfast ${words}`
    const { refusals, questions } = await announce(command)
    expect(refusals).toEqual([])
    expect(questions.join()).toContain('the agent wants to loosen its own rules with holdfast')
    expect((await inShell(command)).stderr.toLowerCase()).not.toContain(ONLY_THE_USER)
    expect((await entries('door.opened')).map(({ by }) => by)).toEqual(
      DOORS.slice(0, index + 1).map(() => 'user'),
    )
    await user.json(['pause', 'off'])
    await user.json(['enforce', 'enforce'])
  }
})

test('at enforce, a door in words that nobody saw is refused by the command itself', async () => {
  const { announce, inShell, entries } = await windowAt('enforce')
  for (const words of DOORS) {
    const hidden = `eval "holdfast $(printf %s ${Buffer.from(words).toString('base64')} | base64 -d)"`
    for (const command of [hidden, `env -u CLAUDE_CODE_SESSION_ID "$NODE" "$ENTRY" ${words}`]) {
      expect((await announce(command)).questions).toEqual([])
      const { code, stderr } = await inShell(command)
      expect(stderr.toLowerCase()).toContain(ONLY_THE_USER)
      expect(code).toBe(1)
    }
  }
  expect(await entries('door.refused')).toHaveLength(2 * DOORS.length)
  expect(await entries('door.opened')).toEqual([])
})

test('at strict, no depth of shells and no other name hides the session of a caller', async () => {
  const { user, inShell, entries } = await windowAt('strict')
  const loose = join(user.folder, 'loose')
  mkdirSync(join(loose, '.git'), { recursive: true })
  await user.json(['project', 'upsert', loose])
  await user.json(['enforce', 'observe', '--project', loose])
  const other = new HookedClient(user, 'two', { patient: true })
  await other.fire('SessionStart', { source: 'startup', cwd: loose })
  await other.fire('SessionEnd', { reason: 'exit', cwd: loose })
  const deep = (depth: number, variable: string) =>
    `NEST='if [ "$N" = 0 ]; then "$NODE" "$ENTRY" pause 5m; else N=$((N-1)) ${variable} sh -c "$NEST"; exit $?; fi'; export NEST; N=${depth} sh -c "$NEST"; exit $?`
  for (const command of [
    'CLAUDE_CODE_SESSION_ID=two "$NODE" "$ENTRY" pause 5m',
    deep(25, 'CLAUDE_CODE_SESSION_ID=fake$N'),
    deep(60, 'CLAUDE_CODE_SESSION_ID='),
    deep(250, 'CLAUDE_CODE_SESSION_ID=fake$N'),
  ]) {
    const { code, stderr } = await inShell(command)
    expect(stderr.toLowerCase()).toContain('only the user can')
    expect(code).toBe(1)
  }
  expect(await entries('door.opened')).toEqual([])
})

test.runIf(process.platform === 'linux')(
  'an agent that hides its session is known by the process of its client',
  async () => {
    const window = await windowAt('strict')
    const inside = await clientProcess(
      window,
      `sh -c 'exec env -u CLAUDE_CODE_SESSION_ID "$NODE" "$ENTRY" pause 5m'`,
    )
    expect(inside.stderr.toLowerCase()).toContain(ONLY_THE_USER)
    expect(inside.code).toBe(1)
    // The terminal in which the user started the client is around the client, not inside.
    expect(await window.client.shell('holdfast pause 5m', '')).toMatchObject({ code: 0 })
  },
)

test.runIf(process.platform === 'linux')('a yes is not for what ran before the question', async () => {
  const window = await windowAt('enforce')
  const ask = {
    session_id: 'three',
    cwd: window.user.project,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
  }
  const asking = { ...ask, tool_input: { command: 'holdfast pause 7m' }, tool_use_id: 'asks' }
  const pause = `export CLAUDE_CODE_SESSION_ID=three; while [ ! -e asked ]; do sleep 0.1; done; "$NODE" "$ENTRY" pause 7m; exit "$?"`
  const running = clientProcess(
    window,
    `sh -c '${pause}' & early=$!
      touch begun; while [ ! -e asked ]; do sleep 0.1; done
      wait $early; echo "early $?"
      sh -c '${pause}' >&2; echo "late $?"`,
  )
  while (!existsSync(join(window.user.project, 'begun'))) await sleep(50)
  // A start is told in hundredths of a second.
  await sleep(200)
  await window.user.ask('hooks.handle', { client: 'claude-code', payload: asking })
  writeFileSync(join(window.user.project, 'asked'), '')
  expect((await running).stdout).toBe('early 1\nlate 0\n')
})

test('another home does not free the settings and config files that all homes share', async () => {
  const { user, client, inShell, entries } = await windowAt('strict')
  const settings = join(user.clientConfig, 'settings.json')
  const before = readFileSync(settings, 'utf8')
  const commands = ['init --yes', 'uninstall', 'config set tasks other', 'config unset tasks']
  for (const command of commands) {
    const { code, stderr } = await inShell(`HOLDFAST_HOME="$PWD/h2" "$NODE" "$ENTRY" ${command}`)
    expect(stderr.toLowerCase()).toContain(ONLY_THE_USER)
    expect(code).toBe(1)
  }
  expect(readFileSync(settings, 'utf8')).toBe(before)
  expect(await entries('door.refused')).toHaveLength(commands.length)
  const own = await client.shell('HOLDFAST_HOME="$PWD/h2" holdfast config set tasks other', '')
  expect(own).toMatchObject({ code: 0 })
})

test('after a no, the same command in other words is refused', async () => {
  const { announce, inShell } = await windowAt('enforce')
  await announce('holdfast pause 5m')
  // The user said no, so the call never ran.
  await announce('sh later.sh')
  const { code, stderr } = await inShell('holdfast pause 5m')
  expect(stderr.toLowerCase()).toContain(ONLY_THE_USER)
  expect(code).toBe(1)
})

test('at strict, doors are refused, and the user still can', async () => {
  const { announce, inShell, client, entries } = await windowAt('strict')
  for (const words of DOORS) {
    const { refusals, questions } = await announce(`holdfast ${words}`)
    expect(questions).toEqual([])
    expect(refusals.join()).toContain(ONLY_THE_USER)
    expect((await inShell(`holdfast ${words}`)).stderr.toLowerCase()).toContain(ONLY_THE_USER)
  }
  expect((await entries('door.refused')).map(({ by }) => by)).toEqual(DOORS.map(() => 'agent'))
  expect(await client.shell('holdfast enforce observe', '')).toMatchObject({ code: 0 })
})

test('a sub-agent is refused at enforce too, because nobody would be asked', async () => {
  const { announce } = await windowAt('enforce')
  const { refusals } = await announce('holdfast pause', {
    agent_id: 'a44a10e710ee25cd5',
    agent_type: 'reviewer',
  })
  expect(refusals.join()).toContain(ONLY_THE_USER)
})

test('at observe nothing is refused, and the ledger says that the agent did it', async () => {
  const { announce, inShell, entries } = await windowAt('observe')
  expect(await announce('holdfast pause 5m')).toMatchObject({ refusals: [], questions: [] })
  expect(await inShell('holdfast pause 5m')).toMatchObject({ code: 0 })
  expect(await entries('door.opened')).toEqual([expect.objectContaining({ by: 'agent' })])
})

test('what only shows or tightens is no door', async () => {
  const { announce, inShell } = await windowAt('strict')
  for (const command of [
    'holdfast enforce',
    'holdfast enforce strict',
    'holdfast enforce --session-gate on',
    'holdfast pause off',
    'holdfast status',
    'holdfast step',
    'holdfast uninstall --dry-run',
  ]) {
    expect(await announce(command)).toMatchObject({ refusals: [], questions: [] })
    expect((await inShell(command)).stderr.toLowerCase()).not.toContain(ONLY_THE_USER)
  }
})

test('the work of another session is taken by the user, or with a yes, and the entry says how', async () => {
  const { user, announce, inShell, entries } = await windowAt('enforce')
  const other = new HookedClient(user, 'two', { patient: true })
  await other.fire('SessionStart', { source: 'startup' })
  await other.fire('UserPromptSubmit', { prompt: '/deploy another thing' })
  const efforts = await user.ask<Effort[]>('db.effort.findActive', {})
  const { id } = efforts.find(({ request }) => request === 'another thing') ?? { id: 0 }
  const holder = async () =>
    (
      await user.ask<{ sessions: { native_id: string; ended_at: string | null }[] }>('db.effort.get', {
        effort_id: id,
      })
    ).sessions.find(({ ended_at }) => ended_at === null)?.native_id
  const take = `holdfast session continue ${id} --take`
  const refused = await inShell(`holdfast session continue ${id}`)
  expect(refused).toMatchObject({ code: 1 })
  expect(refused.stderr).toContain('only if the user asks')
  expect(refused.stderr).toContain(take)
  for (const command of [
    take,
    `holdfast session finish 2`,
    `holdfast session start . --effort ${id}`,
    `holdfast rpc commands.session.continue '{"effort_id":${id},"native_id":"one","take":true}'`,
  ])
    expect((await inShell(command)).stderr).toContain('nly the user can')
  expect(await holder()).toBe('two')
  const { questions } = await announce(take)
  expect(questions.join()).toContain('the agent wants to take work from another session with')
  expect(await inShell(take)).toMatchObject({ code: 0 })
  expect(await entries('door.opened')).toEqual([{ may_run: take, by: 'user', how: 'asked' }])
  expect(await holder()).toBe('one')
})

test('at strict, the user takes work for the session that asked, by the command that it was told', async () => {
  const { user, client, announce, inShell } = await windowAt('strict')
  const other = new HookedClient(user, 'two', { patient: true })
  await other.fire('SessionStart', { source: 'startup' })
  await other.fire('UserPromptSubmit', { prompt: '/deploy another thing' })
  const efforts = await user.ask<Effort[]>('db.effort.findActive', {})
  const { id } = efforts.find(({ request }) => request === 'another thing') ?? { id: 0 }
  const take = `holdfast session continue ${id} --take`
  const told = `${take} --native-id ${SESSION}`
  expect((await announce(take)).refusals.join()).toContain(told)
  expect((await inShell(take)).stderr).toContain(told)
  expect(await client.shell(told, '')).toMatchObject({ code: 0 })
  const { context } = await client.fire('UserPromptSubmit', { prompt: 'go on' })
  expect(context).toContain(`the user gave effort ${id} of deploy to this session`)
  expect((await client.fire('UserPromptSubmit', { prompt: 'go on' })).context).not.toContain('gave')
  expect(await inShell(`holdfast step --effort ${id}`)).toMatchObject({ code: 0 })
  expect(await inShell(`holdfast log --effort ${id} Mine`)).toMatchObject({ code: 0 })
})

test('why explains the refusal of its own session; in a terminal the newest one, with its session', async () => {
  const { user, client, announce, inShell } = await windowAt('strict')
  const other = new HookedClient(user, 'two', { patient: true })
  await other.fire('SessionStart', { source: 'startup' })
  const why = (session: string) => client.shell(`CLAUDE_CODE_SESSION_ID=${session} holdfast why`, '')
  expect(await why('two')).toMatchObject({ code: 0, stdout: 'This session has no refusals.\n' })
  await announce('holdfast pause 5m')
  await other.fire('PreToolUse', {
    tool_name: 'Bash',
    tool_input: { command: 'holdfast enforce observe' },
    tool_use_id: 'x',
  })
  expect((await why(SESSION)).stdout).toContain('holdfast pause 5m')
  expect((await why('two')).stdout).toContain('holdfast enforce observe')
  await inShell('eval "holdfast pause 7m"')
  const { stdout } = await client.shell('holdfast why', '')
  expect(stdout).toContain('holdfast pause 7m: only the user may run it.')
  expect(stdout).toMatch(/session \d+/)
  expect((await why('two')).stdout).toContain('holdfast enforce observe')
})

test('a client keeps our hooks until the user takes them out by our command', async () => {
  const { user, client } = await windowAt('enforce')
  const file_path = join(user.clientConfig, 'settings.json')
  const change = async (text: string) => {
    mkdirSync(user.clientConfig, { recursive: true })
    writeFileSync(file_path, text)
    const payload = { session_id: SESSION, cwd: user.project, hook_event_name: 'ConfigChange' }
    const told = { ...payload, source: 'user_settings', file_path }
    return await user.ask<{ decision: string }>('hooks.handle', { client: 'claude-code', payload: told })
  }
  const wired = readFileSync(file_path, 'utf8')
  expect(await change(wired)).toMatchObject({ decision: 'allow' })
  expect(await change('{}')).toMatchObject({ decision: 'block' })
  const off = JSON.stringify({ ...(JSON.parse(wired) as object), disableAllHooks: true })
  expect(await change(off)).toMatchObject({ decision: 'block' })
  writeFileSync(file_path, wired)
  expect(await client.shell('holdfast uninstall', '')).toMatchObject({ code: 0 })
  expect(await change('{}')).toMatchObject({ decision: 'allow' })
})

test('what an agent does by a plain call or a record is told of its session', async () => {
  const { user, inShell, announce } = await windowAt('enforce')
  const [started] = await user.ask<LedgerRow[]>('ledger.list', { event_type: 'effort.started' })
  const id = started?.effort_id
  const calls = [
    [`holdfast artifact put ${id} bundle`, 'artifact.recorded'],
    [`holdfast rpc artifact.put '{"effort_id":${id},"name":"notes"}'`, 'artifact.recorded'],
    [`holdfast effort approve ${id} ship --reason "it may"`, 'approval.given'],
  ] as const
  for (const [command, type] of calls) {
    await announce(command)
    expect(await inShell(command)).toMatchObject({ code: 0 })
    const told = await user.ask<LedgerRow[]>('ledger.list', { event_type: type })
    expect({ command, session: told.at(-1)?.session_id }).toEqual({ command, session: SESSION })
  }
})
