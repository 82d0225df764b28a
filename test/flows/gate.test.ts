import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findHome } from '../../src/daemon/home.ts'
import { unwrapped, User } from '../holdfast.ts'
import { stepToDo } from '../../src/rules/told/words.ts'

interface Reply {
  readonly hookSpecificOutput?: {
    readonly permissionDecision?: string
    readonly permissionDecisionReason?: string
    readonly additionalContext?: string
  }
}

/** A user whose agent has called a skill with steps, over the installed routes. */
async function atWork() {
  const user = new User()
  onTestFinished(() => user[Symbol.asyncDispose]())
  mkdirSync(join(user.project, '.git'))
  await user.json(['skill', 'new', 'deploy', '--notation', 'steps'])
  const payload = (event: string, more: object) =>
    JSON.stringify({ session_id: 'one', cwd: user.project, hook_event_name: event, ...more })
  const byCommand = async (event: string, more: object = {}): Promise<Reply> => {
    const { stdout } = await user.run(['hook', 'claude-code', '--limit', '60000'], {
      input: payload(event, more),
    })
    return stdout === '' ? {} : (JSON.parse(stdout) as Reply)
  }
  const byHttp = async (event: string, more: object = {}): Promise<Reply> => {
    const { port, token } = await keyOf(user)
    const answer = await fetch(`http://127.0.0.1:${port}/hook/claude-code`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: payload(event, more),
    })
    const text = await answer.text()
    return text === '' ? {} : (JSON.parse(text) as Reply)
  }
  const step = (name: string) => join(user.project, '.claude/skills/deploy/steps', `${name}.md`)
  const read = async (name: string) => {
    const call = { tool_name: 'Read', tool_input: { file_path: step(name) }, tool_use_id: name }
    const before = await byHttp('PreToolUse', call)
    if (before.hookSpecificOutput?.permissionDecision !== 'deny')
      await byHttp('PostToolUse', { ...call, tool_response: {} })
    return before.hookSpecificOutput
  }
  await byCommand('SessionStart', { source: 'startup' })
  const called = await byCommand('UserPromptSubmit', { prompt: '/deploy it' })
  return { user, byCommand, byHttp, read, step, called }
}

const keyOf = async (user: User) =>
  await vi.waitFor(
    () => JSON.parse(readFileSync(findHome(user.env).hookKey, 'utf8')) as { port: number; token: string },
    { timeout: 30_000 },
  )

test('a skipped step is refused, the right order passes, and the user can ask why', async () => {
  const { user, read, step, called } = await atWork()
  expect(called.hookSpecificOutput?.additionalContext).toContain(step('understand'))
  const refused = await read('check')
  expect(refused?.permissionDecision).toBe('deny')
  expect(refused?.permissionDecisionReason).toContain(step('understand'))
  expect(await user.json(['why'])).toMatchObject({
    event_type: 'step.refused',
    payload: { reason: refused?.permissionDecisionReason },
  })
  expect(unwrapped((await user.run(['why'])).stdout)).toContain(`read ${step('understand')}`)
  const elsewhere = await user.run(['why'], { cwd: user.folder })
  expect(elsewhere).toMatchObject({ code: 0, stdout: 'This project has no refusals.\n' })
  for (const name of ['understand', 'work', 'check']) expect(await read(name)).toBeUndefined()
  const tree = await user.run(['span', 'tree'])
  expect(tree.stdout).toMatch(/deploy {2}active {2}effort \d+ {2}understand → work → check/)
  const other = join(user.folder, 'other')
  mkdirSync(join(other, '.git'), { recursive: true })
  await user.json(['project', 'upsert', other])
  const there = await user.run(['span', 'tree'], { cwd: other })
  expect(there).toMatchObject({ code: 0, stdout: 'No skill call is recorded in this project.\n' })
  const named = await user.run(['span', 'tree', '--session', 'one'], { cwd: other })
  const timeless = (text: string) => text.replaceAll(/\d+ s ago/g, 'ago')
  expect(timeless(named.stdout)).toBe(timeless(tree.stdout))
})

test('the progress of an agent survives a compaction and a killed daemon', async () => {
  const { user, byCommand, read, step } = await atWork()
  await read('understand')
  const { pid } = await user.json<{ pid: number }>(['daemon', 'status'])
  process.kill(pid, 'SIGKILL')
  const recap = await byCommand('SessionStart', { source: 'compact' })
  expect(recap.hookSpecificOutput?.additionalContext).toContain(stepToDo('work', step('work')))
  expect((await read('check'))?.permissionDecision).toBe('deny')
  expect(await read('work')).toBeUndefined()
})

// INV_ACK_IS_DURABLE
test('prompts, refusals and last messages survive a daemon that is killed right after its answer', async () => {
  const { user, byHttp, read, step } = await atWork()
  const said = async () =>
    (
      await user.json<{ role: string; content: string }[]>([
        'query',
        'select role, content from messages order by timestamp, id',
      ])
    ).map(({ role, content }) => `${role}: ${content}`)
  const kill = async (tell: () => Promise<unknown>) => {
    const { pid } = await user.json<{ pid: number }>(['daemon', 'status'])
    await tell()
    process.kill(pid, 'SIGKILL')
    const all = await said()
    // The next event needs a daemon.
    await user.json(['daemon', 'start'])
    return all
  }
  const prompts = ['user: /deploy it', 'user: And log it.']
  expect(await kill(() => byHttp('UserPromptSubmit', { prompt: 'And log it.' }))).toEqual(prompts)
  const refused = expect.stringMatching(/^tool: .*check\.md.* → refused: Holdfast: /) as string
  expect(await kill(() => read('check'))).toEqual([...prompts, refused])
  const stop = { last_assistant_message: `Next: ${step('understand')}` }
  const all = [...prompts, refused, `assistant: Next: ${step('understand')}`]
  expect(await kill(() => byHttp('Stop', stop))).toEqual(all)
})
