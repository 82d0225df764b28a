import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import fixtures from '../../src/clients/claude-code/fixtures/StatusLine.json' with { type: 'json' }
import type { Session } from '../../src/model/session.ts'
import { ENTRY } from '../holdfast.ts'
import { HookedClient } from '../hooked-client.ts'
import { SkilledUser } from '../skilled-user.ts'
import { inOurVoice } from '../../src/model/text/voice.ts'
import {
  contextFull,
  directiveFor,
  NO_EFFORT,
  noLogEntry,
  nowInPhase,
  PROOF,
  todosLacking,
} from '../../src/rules/told/words.ts'

vi.setConfig({ testTimeout: 300_000 })

/** The client's session, as its tools find it in their environment. */
const SESSION = 'one'
const IN_SUB_AGENT = { agent_id: 'a44a10e710ee25cd5', agent_type: 'reviewer' }
/** The `holdfast` in the shell of the client. */
const PROGRAM = `export CLAUDE_CODE_SESSION_ID=${SESSION}; holdfast() { '${process.execPath}' '${ENTRY}' "$@"; }`

const BUILD = `---
name: build
description: Builds.
required_todos: [gather-context, Write it]
---

\`\`\`json
{"phases": [
  {"label": "0", "name": "Setup", "proof": ["mode"]},
  {"label": "1", "name": "Plan", "steps": ["§CMD_LOOK"], "commands": ["§CMD_APPEND_LOG"], "proof": ["planned"]},
  {"label": "2", "name": "Make", "commands": ["§CMD_MAKE"]}
]}
\`\`\`
`

/** The result of a tool call: the refusal, or the contexts before and after it and the output. */
interface Called {
  readonly refused: string
  readonly before: string
  readonly after: string
  readonly printed: string
}

/** A new window of a user whose project has these skills and others. */
async function windowWith(skills: Readonly<Record<string, string>>) {
  const user = await SkilledUser.arrive()
  onTestFinished(() => user[Symbol.asyncDispose]())
  for (const [name, text] of Object.entries(skills)) user.put(`.claude/skills/${name}/SKILL.md`, text)
  const client = new HookedClient(user, SESSION, { patient: true })
  const fire = async (event: string, more: object = {}) => {
    const outcomes = await client.fire(event, { ...more })
    expect(outcomes.failures).toEqual([])
    return outcomes
  }
  /** A shell command really runs between its two events. */
  const does = async (tool: string, { command }: { readonly command?: unknown }) => {
    if (tool !== 'Bash') return {}
    const { stdout, stderr } = await client.shell(`${PROGRAM}; ${String(command)}`, '')
    return { stdout, stderr, interrupted: false, isImage: false, noOutputExpected: false }
  }
  const use = async (tool_name: string, tool_input: object, more: object = {}): Promise<Called> => {
    const call = { tool_name, tool_input, tool_use_id: crypto.randomUUID(), ...more }
    const { refusals, context: before } = await fire('PreToolUse', call)
    if (refusals.length > 0) return { refused: refusals.join('\n'), before, after: '', printed: '' }
    const tool_response = await does(tool_name, tool_input)
    const { context: after } = await fire('PostToolUse', { ...call, tool_response })
    return { refused: '', before, after, printed: tool_response.stdout ?? '' }
  }
  const shell = (command: string, more?: object) => use('Bash', { command, description: 'Run it' }, more)
  const write = (path: string) => use('Write', { file_path: join(user.project, path), content: 'x\n' })
  const says = async (prompt: string) => (await fire('UserPromptSubmit', { prompt })).context
  const session = async () => (await user.ask<Session[]>('db.session.find', { native_id: SESSION }))[0]
  /** The rule and the message of the last refusal, as the user sees them. */
  const why = () => user.json<{ event_type: string; payload: { rule: string; reason: string } }>(['why'])
  await fire('SessionStart', { source: 'startup' })
  return { user, client, fire, use, shell, write, says, session, why }
}

test('a project that requires an effort and a skill that requires log entries refuse calls until they have them', async () => {
  const watched = '---\nname: watched\ndescription: Is watched.\nheartbeat: 5\n---\n\nDo it.\n'
  const { user, shell, write, says, session, why } = await windowWith({ watched })
  user.put('.claude/skills/watched/steps/look.md', '---\nproduces: [view]\n---\n')

  expect((await write('src/a.ts')).refused).toBe('')
  expect(await user.json(['enforce', '--session-gate', 'on'])).toMatchObject({ session_gate: true })
  const gated = await write('src/a.ts')
  expect(gated.refused).toContain(inOurVoice(NO_EFFORT))
  expect(await why()).toMatchObject({ payload: { rule: 'session-gate', reason: gated.refused } })
  expect((await shell('ls')).refused).toBe('')
  await says('/watched the port')
  expect((await write('src/a.ts')).refused).toBe('')

  // A log entry restarts the count.
  const effort = (await session())?.effort_id
  await shell(`holdfast log "Begun." --effort ${effort}`)
  expect(await session()).toMatchObject({ heartbeat_counter: 0 })
  for (let n = 0; n < 6; n++) expect(await shell('true', IN_SUB_AGENT)).toMatchObject({ refused: '' })
  expect(await session()).toMatchObject({ heartbeat_counter: 0 })
  const calls: Called[] = []
  for (let n = 0; n < 6; n++) calls.push(await shell('true'))
  expect(calls.flatMap(({ before }, index) => (before.includes('with no log entry') ? [index] : []))).toEqual(
    [2],
  )
  expect(calls[2]?.before).toContain(`${inOurVoice(noLogEntry(2))}; after 5, calls are refused.`)
  expect(calls.slice(0, 5).map(({ refused }) => refused)).toEqual(['', '', '', '', ''])
  const held = calls[5]?.refused ?? ''
  expect(held).toContain(`${inOurVoice(noLogEntry(5))}; this effort requires one every 5 calls.`)
  expect(await why()).toMatchObject({ payload: { rule: 'heartbeat', reason: held } })
  expect((await write('src/a.ts')).refused).toContain('with no log entry')
  expect((await shell('true', IN_SUB_AGENT)).refused).toBe('')

  // The command in the refusal opens the gate.
  const [, command = ''] = /Next: run (.*)$/.exec(held) ?? []
  const logged = await shell(command)
  expect(readFileSync(logged.printed.trim(), 'utf8')).toContain('what was done and what comes next')
  expect((await write('src/a.ts')).refused).toBe('')

  // The gate is open while the effort is active.
  await shell(`holdfast effort finish ${effort} --abandon "no longer needed"`)
  expect((await write('src/a.ts')).refused).toContain(inOurVoice(NO_EFFORT))
  await user.json(['enforce', '--session-gate', 'off'])
  expect((await write('src/a.ts')).refused).toBe('')
})

test('the warning of a full context names a command that works, with and without an effort', async () => {
  const { user, shell, says, session } = await windowWith({})
  const commandAt = async (usage: number) => {
    await user.ask('db.session.updateContextUsage', { session_id: (await session())?.id, usage })
    return / run: (holdfast .*)$/m.exec((await shell('true')).after)?.[1] ?? ''
  }
  const queue = await commandAt(0.74)
  expect(queue).toBe('holdfast queue add "..."')
  expect((await shell(queue)).printed).toContain('Added item')
  await says('/deploy the site')
  const log = await commandAt(0.85)
  expect(log).toBe(`holdfast log "..." --effort ${(await session())?.effort_id}`)
  expect((await shell(log)).printed).toContain('_LOG.md')
})

test('a full context gets a notice once at each mark, and its notes for later survive', async () => {
  const { user, client, fire, shell, says } = await windowWith({})
  await says('/deploy the site')
  const { statusLine } = JSON.parse(readFileSync(join(user.clientConfig, 'settings.json'), 'utf8')) as {
    statusLine: { command: string }
  }
  /** Draws the status line until it has ours, then calls a tool and expects this context. */
  const fill = async (percent: number) => {
    const captured = fixtures[1]
    const context_window = { ...captured?.context_window, used_percentage: percent }
    const payload = { ...captured, session_id: SESSION, cwd: user.project, context_window }
    let drawn = ''
    while (!drawn.includes(`${percent}%`)) drawn = (await client.shell(statusLine.command, payload)).stdout
    expect(drawn).toMatch(/^\[deploy/)
    return (await shell('true')).after
  }
  expect(await fill(50)).toBe('')
  const soon = await fill(74)
  expect(soon).toContain(`${inOurVoice(contextFull(74))}\nSaved: `)
  expect(soon).toContain('Soon run: holdfast log')
  expect(await fill(74)).toBe('')
  expect(await fill(78)).toBe('')
  const now = await fill(81)
  expect(now).toContain(`${inOurVoice(contextFull(81))} The client may compact it at any moment.`)
  expect(now).toContain('Now run: holdfast log')
  expect(await fill(90)).toBe('')

  expect(await says('/deploy it again')).not.toContain('in the queue')
  await says('Go on.\nTODO: renew the certificate')
  await shell('echo "TODO: only printed"')
  await fire('Stop', {
    stop_hook_active: false,
    last_assistant_message: 'Done.\n\n- FIXME: the retry is untested\n```\nTODO: only code\n```',
    background_tasks: [],
    session_crons: [],
  })
  for (const trigger of ['auto', 'auto']) await fire('PreCompact', { trigger, custom_instructions: null })
  await fire('SessionStart', { source: 'compact' })
  const queued = await user.json<readonly { id: number; content: string }[]>(['queue', 'list'])
  expect(queued.map(({ content }) => content).toSorted()).toEqual([
    'FIXME: the retry is untested',
    'TODO: renew the certificate',
  ])
  expect(await says('Go on.')).not.toContain('in the queue')
  expect(await says('/brainstorm what is next')).toMatch(/^Holdfast: 2 items in the queue\. Newest: /)
  for (const { id } of queued) await shell(`holdfast queue resolve ${id} "it is done"`)
  expect(await says('/implement it')).not.toContain('in the queue')
})

test('todos, phases and directives refuse an early call, and allow it once its requirements are met', async () => {
  const { user, use, shell, write, says, session, why } = await windowWith({ build: BUILD })
  const soft = user.put('src/.directives/AGENTS.md', 'Name things plainly.')
  const hard = user.put(
    'lib/.directives/INVARIANTS.md',
    '---\nrequired: before-writing\n---\nNo state in lib.',
  )
  await says('/build the login')
  const id = (await session())?.effort_id

  const entered = (phase: string) => inOurVoice(nowInPhase(id ?? 0, phase))

  // The todos that the skill requires.
  const plans = (...todos: readonly (readonly [string, string])[]) =>
    use('TodoWrite', {
      todos: todos.map(([content, status]) => ({ content, status, activeForm: content })),
    })
  const lacking = await plans(['Gather the context', 'pending'])
  expect(lacking.refused).toContain(inOurVoice(todosLacking('build', 'Write it')))
  expect(await why()).toMatchObject({ payload: { rule: 'todo-check' } })
  const whole = await plans(['Gather the context', 'completed'], ['Write it', 'in_progress'])
  expect(whole).toMatchObject({ refused: '', before: '' })
  const shown = await user.json<{ todos: readonly object[] }>(['effort', 'show', `${id}`])
  expect(shown.todos).toMatchObject([
    { text: 'gather-context', done: true },
    { text: 'Write it', listed: true, done: false },
  ])
  // It was on a list once, so from now on there is only a reminder.
  expect(await plans()).toMatchObject({ refused: '', before: expect.stringContaining('Write it') })

  // Its phases: a refused command has not run.
  const early = await shell(`holdfast effort phase ${id} 2`)
  expect(early.refused).toContain(`"0: Setup". Next: run `)
  expect(await why()).toMatchObject({ event_type: 'phase.refused', payload: { rule: 'phase-order' } })
  const [, command = ''] = /Next: run (.*)$/.exec(early.refused) ?? []
  expect((await shell(command)).after).toContain(`${entered('0: Setup')}\n${PROOF}: mode.`)
  const unproved = await shell(`holdfast effort phase ${id} 1 2>&1 | tail -3`)
  expect(unproved.refused).toContain('"0: Setup" requires proof of: mode.')
  expect(await why()).toMatchObject({ event_type: 'phase.refused', payload: { rule: 'phase-proof' } })
  expect((await shell(`holdfast effort phase ${id} 2`, IN_SUB_AGENT)).refused).toBe('')
  expect(await user.json(['effort', 'show', `${id}`])).toMatchObject({ current_phase: '0: Setup' })
  const proved = await shell(`holdfast effort phase ${id} 1 --mode tdd`)
  expect(proved.after).toContain(
    `${entered('1: Plan')}\nSteps, in this order: §CMD_LOOK.\nCommands: §CMD_APPEND_LOG.\n${PROOF}: planned.`,
  )
  expect((await shell(`holdfast effort phase ${id} 1`)).after).toBe('')
  // Piped input is not visible before the command runs.
  const piped = await shell(`holdfast effort phase ${id} 2 --proof - <<'E'\n{"planned": true}\nE`)
  expect(piped.after).toBe(`${entered('2: Make')}\nCommands: §CMD_MAKE.`)

  // The directives of its folder.
  const first = await write('src/a.ts')
  expect(first.refused).toBe('')
  expect(first.before).toContain(
    inOurVoice(`${directiveFor(join(user.project, 'src'), soft)}\n  Name things plainly.`),
  )
  expect((await write('src/b.ts')).before).toBe('')
  const unread = await write('lib/a.ts')
  expect(unread.refused).toContain(`Next: read ${hard}, then repeat this call.`)
  expect(await why()).toMatchObject({ payload: { rule: 'directive-gate', reason: unread.refused } })
  expect((await use('Read', { file_path: hard })).refused).toBe('')
  expect(await write('lib/a.ts')).toMatchObject({ refused: '', before: '' })
})
