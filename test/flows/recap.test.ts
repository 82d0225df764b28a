import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { KeptDehydration } from '../../src/model/dehydration.ts'
import type { QueueItem } from '../../src/model/queue.ts'
import { type Recap, tokensOf } from '../../src/model/recap.ts'
import { ENTRY, User } from '../holdfast.ts'
import { stepToDo } from '../../src/rules/told/words.ts'
import { effortNotFound } from '../../src/model/error.ts'

interface Reply {
  readonly hookSpecificOutput?: { readonly additionalContext?: string }
}

/** A user whose agent has called a skill with steps. */
async function atWork() {
  const user = new User()
  onTestFinished(() => user[Symbol.asyncDispose]())
  mkdirSync(join(user.project, '.git'))
  await user.json(['skill', 'new', 'deploy', '--notation', 'steps'])
  const fire = async (event: string, more: object = {}, session = 'one'): Promise<string> => {
    const input = JSON.stringify({ session_id: session, cwd: user.project, hook_event_name: event, ...more })
    const { stdout } = await user.run(['hook', 'claude-code', '--limit', '60000'], { input })
    return stdout === '' ? '' : ((JSON.parse(stdout) as Reply).hookSpecificOutput?.additionalContext ?? '')
  }
  const kill = async () =>
    process.kill((await user.json<{ pid: number }>(['daemon', 'status'])).pid, 'SIGKILL')
  const step = (name: string) => join(user.project, '.claude/skills/deploy/steps', `${name}.md`)
  await fire('SessionStart', { source: 'startup' })
  await fire('UserPromptSubmit', { prompt: '/deploy it' })
  return { user, fire, kill, step }
}

/** A command in a shell, with a stdin that stays open and empty. */
function inShell(user: User, line: string): Promise<string> {
  const child = spawn('bash', ['-c', line], {
    cwd: user.project,
    env: user.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const out: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => void out.push(text))
  return new Promise((done) => {
    child.on('close', () => done(out.join('')))
  })
}

const HANDOVER = {
  summary: 'Deploying the login page',
  lastAction: 'built the bundle',
  nextSteps: ['upload it', 'tell the team'],
  requiredFiles: ['/notes.md'],
}

describe('a full context', () => {
  test('gets a handover note by its agent, and a new session receives it, even after the daemon was killed', async () => {
    const { user, fire, kill, step } = await atWork()
    const env = { CLAUDE_CODE_SESSION_ID: 'one' }
    const input = JSON.stringify(HANDOVER)
    const kept = await user.run(['session', 'dehydrate', '--json'], { input, env })
    expect(JSON.parse(kept.stdout)).toMatchObject({ author: 'agent', payload: HANDOVER })
    await kill()
    await fire('SessionEnd', { reason: 'clear' })
    await kill()
    const waiting = await fire('SessionStart', { source: 'clear' }, 'two')
    expect(waiting).toMatch(/^Holdfast: [^]*^- effort \d+ of deploy, /m)
    await fire('UserPromptSubmit', { prompt: '/deploy --continue' }, 'two')
    const recap = await user.json<Recap>(['recap'])
    for (const part of [...HANDOVER.nextSteps, HANDOVER.lastAction, HANDOVER.summary, '/notes.md'])
      expect(recap.text).toContain(part)
    expect(recap.text).toContain(stepToDo('understand', step('understand')))
    // Time passes between the two.
    const timeless = (text: string) => text.replaceAll(/\d+ (?:s|min) ago/g, 'lately')
    const told = await fire('SessionStart', { source: 'compact' }, 'two')
    expect(timeless(told)).toBe(timeless((await user.json<Recap>(['recap'])).text))
    expect(told).toMatch(/^Handover note by the agent \(\d+ (?:s|min) ago\):$/m)
  })

  test('without a handover note gets one from the store', async () => {
    const { user, fire, kill, step } = await atWork()
    const call = { tool_name: 'Read', tool_input: { file_path: step('understand') }, tool_use_id: '1' }
    await fire('PreToolUse', call)
    await fire('PostToolUse', { ...call, tool_response: {} })
    await fire('PreCompact', { trigger: 'auto' })
    await kill()
    const told = await fire('SessionStart', { source: 'compact' })
    expect(told).toContain(`Last action: Read: {"file_path":"${step('understand')}"}`)
    expect(told).toContain(`- ${step('understand')}`)
    expect(told).toContain(stepToDo('work', step('work')))
    expect(await user.json<KeptDehydration>(['session', 'dehydrate', user.project])).toMatchObject({
      author: 'engine',
    })
  })
})

test('a handover note may be a here-document, and an open, empty stdin does not block', async () => {
  const { user } = await atWork()
  const command = `'${process.execPath}' '${ENTRY}' --json session dehydrate .`
  const written = await inShell(user, `${command} <<'JSON'\n${JSON.stringify(HANDOVER)}\nJSON`)
  expect(JSON.parse(written)).toMatchObject({ author: 'agent', payload: HANDOVER })
  expect(JSON.parse(await inShell(user, command))).toMatchObject({ author: 'engine' })
})

test('a note of a session without a skill names no command that would fail', async () => {
  const { user, fire } = await atWork()
  await fire('SessionStart', { source: 'startup' }, 'two')
  const asTwo = { env: { CLAUDE_CODE_SESSION_ID: 'two' } }
  const { stdout } = await user.run(['session', 'dehydrate', JSON.stringify(HANDOVER)], asTwo)
  expect(stdout).toMatch(/^Saved a handover note for the next window of this session\.\n$/)
})

test('a recap never exceeds its budget, and lists what it leaves out', async () => {
  const { user } = await atWork()
  const long = { nextSteps: ['the next step'], userHistory: 'He said this. '.repeat(5000) }
  const { stdout } = await user.run(['session', 'dehydrate', JSON.stringify(long)])
  expect(stdout).toMatch(
    /Saved a handover note for the next session of effort \d+\.\nuserHistory had 70000 characters/,
  )
  for (const budget of [0, 100, 400, 3000]) {
    const recap = await user.json<Recap>(['recap', '--budget', String(budget)])
    expect(tokensOf(recap.text)).toBeLessThanOrEqual(budget)
  }
  const text = (await user.run(['recap', '--budget', '400'])).stdout
  expect(text).toContain('the next step')
  expect(text).toMatch(/Cut to fit: .*dehydration.*holdfast recap --effort \d+ --budget 20000/)
})

test('a budget that is too small names a sufficient one, which prints the effort and its next action', async () => {
  const { user, step } = await atWork()
  const small = await user.run(['recap', '--budget', '1'])
  expect(small).toMatchObject({ code: 64, stdout: '' })
  expect(small.stderr).toMatch(/A budget of 1 is too small for effort \d+/)
  const hint = /try: holdfast (recap --effort \d+ --budget \d+)/.exec(small.stderr)?.[1] ?? ''
  const { code, stdout } = await user.run(hint.split(' '))
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Holdfast: tracking effort \d+ of deploy, "it", in /)
  expect(stdout).toContain(stepToDo('understand', step('understand')))
  const { stderr } = await user.run(['recap', '--budget', '1', '--json'])
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'invalid', hint: `holdfast ${hint}` } })
})

test('an open item of the queue appears in the recap until it is resolved', async () => {
  const { user } = await atWork()
  expect((await user.run(['queue', 'list'])).stdout).toBe('The queue has no open items.\n')
  const item = await user.json<QueueItem>(['queue', 'add', 'The log is empty', '--kind', 'follow-up'])
  expect((await user.run(['queue', 'list'])).stdout).toMatch(/follow-up +The log is empty/)
  expect((await user.run(['recap'])).stdout).toContain(`- ${item.id} (follow-up): The log is empty`)
  expect((await user.run(['queue', 'resolve', String(item.id), 'It was the path'])).stdout).toContain(
    'is resolved: It was the path',
  )
  expect((await user.run(['recap'])).stdout).not.toContain('The log is empty')
  expect((await user.run(['queue', 'list', '--resolved'])).stdout).toContain('It was the path')
})

test('an invalid handover note gets an error with the correct form', async () => {
  const { user } = await atWork()
  for (const [words, said] of [
    [['session', 'dehydrate', '{"sumary": "x"}'], 'sumary'],
    [['session', 'dehydrate', '{'], 'must be JSON'],
    [['session', 'dehydrate', 'nowhere'], 'neither the number of an effort nor a folder'],
    [['session', 'dehydrate', '999'], effortNotFound(999).message],
    [['recap', '--effort', '999'], effortNotFound(999).message],
  ] as const) {
    const { code, stderr } = await user.run(words)
    expect(code).not.toBe(0)
    expect(stderr).toContain(said)
  }
})

test('the status is one screen with the next action, the fleet lists every agent, and the status line is short', async () => {
  const { user, fire, step } = await atWork()
  const denied = { tool_name: 'Read', tool_input: { file_path: step('check') }, tool_use_id: '1' }
  await fire('PreToolUse', denied)
  await user.json(['queue', 'add', 'Look'])
  const read = { tool_name: 'Read', tool_input: { file_path: step('understand') }, tool_use_id: '2' }
  await fire('PreToolUse', read)
  await fire('PostToolUse', { ...read, tool_response: {} })
  await fire('SessionStart', { source: 'startup' }, 'two-idle')
  const { stdout } = await user.run(['status'])
  expect(stdout).toMatch(/^\S+ enforce {2}daemon /)
  expect(stdout).toContain('[deploy:understand] 0 of 3 steps done, started: understand')
  expect(stdout).toContain('no effort: claude-code two-idle, session')
  expect(stdout).toContain('1 refusal in open sessions: holdfast why')
  expect(stdout).toContain('1 in the queue: holdfast queue list')
  expect(stdout).toContain(`next: read ${step('work')}`)
  expect(await user.json(['fleet'])).toMatchObject([
    { agent: null, client: 'claude-code', native_id: 'two-idle', state: 'working', effort_id: null },
    { agent: null, client: 'claude-code', native_id: 'one', state: 'working', status: '[deploy:understand]' },
  ])
  expect((await user.run(['fleet'])).stdout).toMatch(/\(claude-code\s+(.*\n)?two-idle\)/)
  const [one] = await user.json<{ id: number }[]>(['session', 'find', '--native-id', 'one'])
  const recap = await user.json<Recap>(['recap', '--native-id', 'one'])
  expect(recap.text).toContain('of deploy')
  await user.json(['session', 'update-context-usage', String(one?.id), '0.62'])
  const line = async (how: object) => (await user.run(['status', '--line'], how)).stdout
  expect(await line({ env: { CLAUDE_CODE_SESSION_ID: 'one' } })).toBe('[deploy:understand] 62%\n')
  const input = JSON.stringify({ session_id: 'one', context_window: { used_percentage: 62 } })
  expect(await line({ input })).toBe('[deploy:understand] 62%\n')
  expect(await line({ env: { CLAUDE_CODE_SESSION_ID: 'two-idle' } })).toBe('\n')
})
