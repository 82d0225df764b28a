import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Decision } from '../../model/decision.ts'
import type { HookEvent, ToolAction } from '../../model/event.ts'
import { toolMessage } from '../../model/transcript.ts'
import { claudeCode } from './index.ts'

const payloadsOf = (event: string): readonly Record<string, unknown>[] =>
  JSON.parse(readFileSync(`src/clients/claude-code/fixtures/${event}.json`, 'utf8'))

const eventsOf = (event: string): readonly HookEvent[] =>
  payloadsOf(event).map((each) => claudeCode.decode(each))

function firstOf<K extends HookEvent['kind']>(name: string, kind: K): Extract<HookEvent, { kind: K }> {
  const found = eventsOf(name).find((event) => event.kind === kind)
  if (found === undefined) throw new Error(`no ${name} was captured`)
  return found as Extract<HookEvent, { kind: K }>
}

describe('a payload gives', () => {
  test('its session as a UUID, for every event', () => {
    const events = [...claudeCode.events.keys()].flatMap(eventsOf)
    expect(events.length).toBeGreaterThan(100)
    for (const { session } of events) expect(session).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('no session that would be the scope of another session', () => {
    for (const session_id of ['A/a2', '/', 'A/'])
      expect(claudeCode.decode({ session_id, hook_event_name: 'Stop' })).toMatchObject({ session: undefined })
  })

  test('the source of a session', () => {
    const sources = eventsOf('SessionStart').map((event) => event.kind === 'session.started' && event.source)
    expect(new Set(sources)).toEqual(new Set(['startup', 'resume', 'compact', 'clear', 'fork']))
    expect(claudeCode.decode({ hook_event_name: 'SessionStart', source: 'dream' })).toMatchObject({
      kind: 'session.started',
      source: undefined,
    })
  })

  test('whether a prompt is from the user or from the client', () => {
    const prompts = eventsOf('UserPromptSubmit').map((event) => event.kind === 'prompt.submitted' && event.by)
    expect(prompts).toEqual(['user', 'client', 'user', 'client'])
  })

  test('the command that a prompt was expanded from', () => {
    expect(firstOf('UserPromptExpansion', 'prompt.expanded')).toMatchObject({
      command: 'release-checklist',
      args: 'v3 [[script:slash]]',
    })
  })

  test('the text that the model reads of an answer', () => {
    const shown = eventsOf('PostToolUse').flatMap((event) =>
      event.kind === 'tool.after' && event.tool.shown !== undefined ? [event.tool.shown] : [],
    )
    expect(shown).toContain('# Step 1\n\nPrepare the release notes.\n')
    expect(shown).toContain('hello from bash\n')
    const shownBy = (tool_name: string, tool_response: unknown) => {
      const input = { file_path: '/p/a.md', path: '/p/a.md', command: 'cat a.md' }
      const decoded = claudeCode.decode({
        hook_event_name: 'PostToolUse',
        cwd: '/p',
        tool_name,
        tool_input: { ...input, output_mode: 'content' },
        tool_response,
      })
      return decoded.kind === 'tool.after' ? decoded.tool.shown : 'another event'
    }
    expect(shownBy('Read', {})).toBeUndefined()
    expect(shownBy('Read', { type: 'image', file: { base64: 'AAAA' } })).toBeUndefined()
    expect(shownBy('Grep', { mode: 'content', content: '3:Open.', filenames: [] })).toBe('3:Open.')
    expect(shownBy('Grep', { mode: 'files_with_matches', filenames: ['/p/a.md'] })).toBe('/p/a.md')
    expect(shownBy('mcp__fs__read_file', [{ type: 'text', text: 'Open.' }, { type: 'image' }])).toBe('Open.')
    expect(shownBy('mcp__fs__read_file', 'Open.')).toBe('Open.')
    expect(shownBy('Read', { file: { content: 'x'.repeat(200_000) } })).toHaveLength(100_000)
    // The client keeps a large output in a file.
    const large = { stdout: 'x'.repeat(30_000), stderr: '', persistedOutputPath: '/p/out.txt' }
    expect(shownBy('Bash', large)).toHaveLength(2000)
    expect(shownBy('Skill', 'Launching')).toBeUndefined()
  })

  test('the sub-agent of a call, or none for the main thread', () => {
    const events = eventsOf('PreToolUse')
    expect(
      events.filter(({ subagent }) => subagent !== undefined).map(({ subagent }) => subagent),
    ).toContainEqual({
      id: 'a44a10e710ee25cd5',
      type: 'reviewer',
    })
    expect(events.some(({ subagent }) => subagent === undefined)).toBe(true)
    const asAgent = { ...payloadsOf('PreToolUse')[0], agent_type: 'reviewer' }
    expect(claudeCode.decode(asAgent).subagent).toBeUndefined()
  })

  test('no stopping sub-agent as running, and no summarizer as a sub-agent', () => {
    const stops = payloadsOf('SubagentStop').map((payload) => ({
      payload,
      event: claudeCode.decode(payload),
    }))
    const summaries = stops.filter(({ payload }) => payload['agent_type'] === '')
    expect(summaries.length).toBeGreaterThan(0)
    expect(summaries.map(({ event }) => event.kind)).toEqual(summaries.map(() => 'other'))
    const inBackground = claudeCode.decode({
      hook_event_name: 'SubagentStop',
      agent_id: 'a1',
      agent_type: 'reviewer',
      background_tasks: [
        { id: 'a1', status: 'running' },
        { id: 'a2', status: 'running' },
        { id: 'a3', status: 'completed' },
      ],
    })
    expect(inBackground).toMatchObject({ kind: 'subagent.stopped', running: 1, again: false })
  })

  test('the background tasks that run when a turn stops', () => {
    expect(eventsOf('Stop')).toContainEqual(expect.objectContaining({ kind: 'turn.stopped', running: 1 }))
    expect(eventsOf('Stop')).toContainEqual(
      expect.objectContaining({ kind: 'turn.stopped', running: 0, lastMessage: 'All steps done.' }),
    )
  })

  test('the context usage, if the status line has it', () => {
    const measured = eventsOf('StatusLine').map((event) => event.kind === 'context.measured' && event.window)
    expect(new Set(measured)).toEqual(new Set([1_000_000]))
  })

  test('the outcome of a call', () => {
    expect(firstOf('PostToolUseFailure', 'tool.failed')).toMatchObject({
      tool: { name: 'Bash', id: 'toolu_mock00000016' },
      error: 'Exit code 3\noops',
      interrupted: false,
    })
    expect(firstOf('PostToolBatch', 'tool.batch').tools).toMatchObject([
      { name: 'Skill', result: 'Launching skill: release-checklist' },
    ])
    expect(firstOf('PermissionRequest', 'permission.requested').tool.id).toBeUndefined()
  })
})

const CWD = '/home/user/project'
const tools: readonly (readonly [tool: string, input: unknown, does: ToolAction])[] = [
  ['Read', { file_path: '/a/b.md' }, { kind: 'files', touches: [{ path: '/a/b.md', how: 'read' }] }],
  ['Read', { file_path: './x/../b.md' }, { kind: 'files', touches: [{ path: `${CWD}/b.md`, how: 'read' }] }],
  ['Read', { file_path: 7 }, { kind: 'other' }],
  ['Read', { file_path: 'a\0b' }, { kind: 'other' }],
  ['Read', undefined, { kind: 'other' }],
  [
    'Write',
    { file_path: '/a', content: 'x' },
    { kind: 'files', touches: [{ path: '/a', how: 'write', makes: 'x' }] },
  ],
  [
    'Edit',
    { file_path: '/a', old_string: 'b', new_string: 'c', replace_all: true },
    {
      kind: 'files',
      touches: [{ path: '/a', how: 'write', makes: [{ from: 'b', to: 'c', isEverywhere: true }] }],
    },
  ],
  [
    'MultiEdit',
    { file_path: '/a', edits: [{ old_string: 'b', new_string: 'c' }] },
    {
      kind: 'files',
      touches: [{ path: '/a', how: 'write', makes: [{ from: 'b', to: 'c', isEverywhere: false }] }],
    },
  ],
  [
    'NotebookEdit',
    { notebook_path: '/a.ipynb' },
    { kind: 'files', touches: [{ path: '/a.ipynb', how: 'write' }] },
  ],
  ['LS', { path: '/a/' }, { kind: 'files', touches: [{ path: '/a', how: 'list' }] }],
  ['Glob', { pattern: '*.md' }, { kind: 'files', touches: [{ path: CWD, how: 'list' }] }],
  ['Grep', { pattern: 'x', path: 'src' }, { kind: 'files', touches: [{ path: `${CWD}/src`, how: 'list' }] }],
  [
    'Grep',
    { pattern: '', path: 'a.md', output_mode: 'content' },
    { kind: 'files', touches: [{ path: `${CWD}/a.md`, how: 'read', part: true }] },
  ],
  ...[{ glob: '*.ts' }, { glob: 'src/**/*.{ts,js}' }, { type: 'py' }].map(
    (more) =>
      [
        'Grep',
        { pattern: '', path: '/s', output_mode: 'content', ...more },
        { kind: 'files', touches: [{ path: '/s', how: 'list' }] },
      ] as const,
  ),
  ...[{ glob: '*.md' }, { glob: '*.{ts,md}' }, { glob: '*.md *.ts' }, { glob: '!*.ts' }, { type: 'md' }].map(
    (more) =>
      [
        'Grep',
        { pattern: '', path: '/s', output_mode: 'content', ...more },
        { kind: 'files', touches: [{ path: '/s', how: 'read', part: true }] },
      ] as const,
  ),
  ...(
    [
      ['do*', ['/s/**/do*']],
      ['{a,b}.md !c.md', ['/s/**/a.md', '/s/**/b.md']],
      ['x/**/a.md', ['/s/x/**/a.md']],
    ] as const
  ).map(
    ([glob, picked]) =>
      [
        'Grep',
        { pattern: '', path: '/s', output_mode: 'content', glob },
        {
          kind: 'files',
          touches: ['/s', ...picked].map((path) => ({ path, how: 'read', part: true }) as const),
        },
      ] as const,
  ),
  [
    'Grep',
    { pattern: '', path: '/s/a.md', output_mode: 'content', glob: '*.ts' },
    { kind: 'files', touches: [{ path: '/s/a.md', how: 'read', part: true }] },
  ],
  ['Bash', { command: 'cat a.md | head' }, { kind: 'command', command: 'cat a.md | head' }],
  ['Skill', { skill: 'release', args: 'v1' }, { kind: 'skill', name: 'release', args: 'v1' }],
  ['Skill', { skill: '/ops:release' }, { kind: 'skill', name: 'ops:release', args: '' }],
  [
    'Agent',
    { subagent_type: 'reviewer', prompt: 'look', run_in_background: false },
    { kind: 'agent', type: 'reviewer', prompt: 'look', background: false },
  ],
  ['Task', { prompt: 'look' }, { kind: 'agent', type: undefined, prompt: 'look', background: undefined }],
  [
    'TodoWrite',
    { todos: [{ content: 'a', status: 'pending', activeForm: 'b' }, 3] },
    {
      kind: 'todos',
      todos: [
        { id: undefined, text: 'a', status: 'pending' },
        { id: undefined, text: undefined, status: undefined },
      ],
      isWhole: true,
    },
  ],
  [
    'TaskCreate',
    { subject: 'a' },
    { kind: 'todos', todos: [{ id: undefined, text: 'a', status: 'pending' }] },
  ],
  [
    'TaskUpdate',
    { taskId: '1', status: 'completed' },
    { kind: 'todos', todos: [{ id: '1', text: undefined, status: 'completed' }] },
  ],
  [
    'mcp__fs__read_text_file',
    { path: 'a.md' },
    { kind: 'files', touches: [{ path: `${CWD}/a.md`, how: 'read' }] },
  ],
  [
    'mcp__plugin_x_fs__readMultipleFiles',
    { paths: ['/a', '/b', 3] },
    {
      kind: 'files',
      touches: [
        { path: '/a', how: 'read' },
        { path: '/b', how: 'read' },
      ],
    },
  ],
  ['mcp__fs__get_file_info', { path: '/a' }, { kind: 'files', touches: [{ path: '/a', how: 'list' }] }],
  ['mcp__fs__edit_file', { path: '/a' }, { kind: 'files', touches: [{ path: '/a', how: 'write' }] }],
  [
    'mcp__ide__open',
    { uri: 'file:///a%20b.md' },
    { kind: 'files', touches: [{ path: '/a b.md', how: 'read' }] },
  ],
  [
    'mcp__editor__get_text_file_contents',
    { files: [{ file_path: 'a.md', ranges: [] }, { file_path: '/b.md' }, { other: 1 }] },
    {
      kind: 'files',
      touches: [
        { path: `${CWD}/a.md`, how: 'read' },
        { path: '/b.md', how: 'read' },
      ],
    },
  ],
  [
    'mcp__serena__search_for_pattern',
    { substring_pattern: 'x', relative_path: 'steps' },
    { kind: 'files', touches: [{ path: `${CWD}/steps`, how: 'read' }] },
  ],
  ['mcp__code__grepContent', { pattern: 'x' }, { kind: 'files', touches: [{ path: CWD, how: 'read' }] }],
  ['mcp__fs__search_files', { path: '/a' }, { kind: 'files', touches: [{ path: '/a', how: 'list' }] }],
  ['mcp__github__get_file_contents', { owner: 'o', repo: 'r', path: 'a.md' }, { kind: 'other' }],
  ['mcp__desktop__start_process', { command: 'cat a.md' }, { kind: 'command', command: 'cat a.md' }],
  [
    'mcp__shell__run_command',
    { command: 'cat a.md', cwd: '/a b' },
    { kind: 'command', command: "cd '/a b' && cat a.md" },
  ],
  [
    'mcp__git__git_show',
    { repo_path: '/r', revision: 'HEAD:steps/a.md' },
    {
      kind: 'files',
      touches: [
        { path: '/r', how: 'read' },
        { path: `${CWD}/steps/a.md`, how: 'read' },
      ],
    },
  ],
  [
    'mcp__ide__executeCode',
    { code: "open('a.md')" },
    { kind: 'command', command: "python3 -c 'open('\\''a.md'\\'')'" },
  ],
  ['mcp__ripgrep__search', { path: '/a' }, { kind: 'files', touches: [{ path: '/a', how: 'read' }] }],
  [
    'mcp__fs__copy_file',
    { source: '/a', destination: '/b' },
    {
      kind: 'files',
      touches: [
        { path: '/a', how: 'read' },
        { path: '/b', how: 'read' },
        { path: '/a', how: 'write' },
        { path: '/b', how: 'write' },
      ],
    },
  ],
  [
    'mcp__playwright__browser_navigate',
    { url: 'file:///a.md' },
    { kind: 'files', touches: [{ path: '/a.md', how: 'read' }] },
  ],
  ['mcp__playwright__browser_navigate', { url: 'https://example.com/a.md' }, { kind: 'other' }],
  [
    'Edit',
    { file_path: '/a', old_string: 'x\0', new_string: 'y' },
    {
      kind: 'files',
      touches: [{ path: '/a', how: 'write', makes: [{ from: 'x\uFFFD', to: 'y', isEverywhere: false }] }],
    },
  ],
  ['mcp__build__run', { target: 'x' }, { kind: 'other' }],
  ['mcp__build__exec', { program: 'cat', args: ['a b'] }, { kind: 'command', command: "cat 'a b'" }],
  ['mcp__build__run', { argv: ['cat', 'a.md'] }, { kind: 'command', command: 'cat a.md' }],
  [
    'mcp__papers__convert',
    { input: 'a.md', body: 'see b.md' },
    { kind: 'command', command: 'mcp__papers__convert a.md' },
  ],
  ['mcp__fs__move_file', { source: '/a', destination: '/b' }, { kind: 'command', command: 'mv -- /a /b' }],
  [
    'mcp__fs__append',
    { path: '/a', file: '/b' },
    {
      kind: 'files',
      touches: [
        { path: '/a', how: 'write' },
        { path: '/b', how: 'write' },
        { path: '/a', how: 'read' },
        { path: '/b', how: 'read' },
      ],
    },
  ],
  [
    'mcp__fs__append',
    { path: '/a', attachments: ['/b'] },
    {
      kind: 'files',
      touches: [
        { path: '/a', how: 'write' },
        { path: '/b', how: 'read' },
      ],
    },
  ],
  ['mcp__code__find_symbol', { path: '/a.md' }, { kind: 'files', touches: [{ path: '/a.md', how: 'read' }] }],
  ['SlashCommand', { command: '/flow a b' }, { kind: 'skill', name: 'flow', args: 'a b' }],
  ['CronCreate', { prompt: 'at b.md read @a.md' }, { kind: 'command', command: `CronCreate ${CWD}/a.md` }],
  ['mcp__web__get', { uri: 'https://example.com/a' }, { kind: 'other' }],
  ['mcp__probe__echo', { text: 'over MCP' }, { kind: 'other' }],
  [
    'ReadMcpResource',
    { server: 'x', uri: 'file:///a' },
    { kind: 'files', touches: [{ path: '/a', how: 'read' }] },
  ],
  ['WebFetch', { url: 'https://example.com' }, { kind: 'other' }],
  ['toString', {}, { kind: 'other' }],
]

test.each(tools)('%s %j does what its input says', (tool, input, does) => {
  const event = claudeCode.decode({
    hook_event_name: 'PreToolUse',
    cwd: CWD,
    tool_name: tool,
    tool_input: input,
    tool_use_id: 'toolu_1',
  })
  expect(event).toMatchObject({ kind: 'tool.before', tool: { id: 'toolu_1', name: tool } })
  expect(event.kind === 'tool.before' && event.tool.does).toEqual(does)
})

test('a long command is decoded whole, and its input is recorded short', () => {
  const command = `${'true;'.repeat(50_000)}cat secret.md`
  const event = claudeCode.decode({
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command },
  })
  if (event.kind !== 'tool.before') throw new Error(event.kind)
  expect(event.tool.does).toEqual({ kind: 'command', command })
  expect(toolMessage(event.tool, '', '').content.length).toBeLessThan(3000)
})

const ALLOW: Decision = { kind: 'allow', contexts: ['one', 'two'], notice: 'note' }
const BLOCK: Decision = { kind: 'block', reason: 'no', contexts: ['one', 'two'], notice: 'note' }

const context = (hookEventName: string) => ({
  hookSpecificOutput: { hookEventName, additionalContext: 'one\n\ntwo' },
})
const decided = { decision: 'block', reason: 'no' }
const noted = { systemMessage: 'note' }

/** The whole reply of each event to ALLOW and BLOCK, by the client's reference and behavior. */
const REPLIES: Readonly<Record<string, readonly [allow: unknown, block: unknown]>> = {
  SessionStart: [
    { ...noted, ...context('SessionStart') },
    {
      ...noted,
      hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'no\n\none\n\ntwo' },
    },
  ],
  SessionEnd: [undefined, undefined],
  UserPromptSubmit: [{ ...noted, ...context('UserPromptSubmit') }, decided],
  UserPromptExpansion: [{ ...noted, ...context('UserPromptExpansion') }, decided],
  PreToolUse: [
    { ...noted, ...context('PreToolUse') },
    {
      ...noted,
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'no',
        additionalContext: 'one\n\ntwo',
      },
    },
  ],
  PostToolUse: [
    { ...noted, ...context('PostToolUse') },
    { ...decided, ...noted, ...context('PostToolUse') },
  ],
  PostToolUseFailure: [
    { ...noted, ...context('PostToolUseFailure') },
    {
      ...noted,
      hookSpecificOutput: { hookEventName: 'PostToolUseFailure', additionalContext: 'no\n\none\n\ntwo' },
    },
  ],
  PostToolBatch: [
    { ...noted, ...context('PostToolBatch') },
    { ...decided, systemMessage: 'no\n\nnote' },
  ],
  PermissionRequest: [
    undefined,
    {
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest',
        decision: { behavior: 'deny', message: 'no' },
      },
    },
  ],
  PermissionDenied: [undefined, undefined],
  SubagentStart: [
    context('SubagentStart'),
    { hookSpecificOutput: { hookEventName: 'SubagentStart', additionalContext: 'no\n\none\n\ntwo' } },
  ],
  SubagentStop: [undefined, { ...decided, ...context('SubagentStop') }],
  Stop: [noted, { ...decided, ...noted, ...context('Stop') }],
  StopFailure: [undefined, undefined],
  PreCompact: [undefined, decided],
  PostCompact: [undefined, undefined],
  Notification: [undefined, undefined],
  MessageDisplay: [undefined, undefined],
  InstructionsLoaded: [undefined, undefined],
  TaskCreated: [undefined, decided],
  TaskCompleted: [undefined, decided],
  TeammateIdle: [undefined, undefined],
  ConfigChange: [undefined, decided],
  CwdChanged: [undefined, undefined],
  DirectoryAdded: [undefined, undefined],
  FileChanged: [undefined, undefined],
  WorktreeCreate: [undefined, undefined],
  WorktreeRemove: [undefined, undefined],
  PreModelSwitch: [
    undefined,
    {
      hookSpecificOutput: {
        hookEventName: 'PreModelSwitch',
        permissionDecision: 'deny',
        permissionDecisionReason: 'no',
      },
    },
  ],
  PostModelSwitch: [
    context('PostModelSwitch'),
    { hookSpecificOutput: { hookEventName: 'PostModelSwitch', additionalContext: 'no\n\none\n\ntwo' } },
  ],
  Elicitation: [undefined, { hookSpecificOutput: { hookEventName: 'Elicitation', action: 'decline' } }],
  ElicitationResult: [
    undefined,
    { hookSpecificOutput: { hookEventName: 'ElicitationResult', action: 'decline' } },
  ],
  Setup: [
    context('Setup'),
    { hookSpecificOutput: { hookEventName: 'Setup', additionalContext: 'no\n\none\n\ntwo' } },
  ],
  StatusLine: [undefined, undefined],
}

describe('the reply to the client', () => {
  test.each(Object.entries(REPLIES))('%s', (name, [allow, block]) => {
    const [event] = eventsOf(name)
    if (event === undefined) throw new Error(`no ${name} was captured`)
    expect(claudeCode.encode(ALLOW, event)).toEqual(allow)
    expect(claudeCode.encode(BLOCK, event)).toEqual(block)
    expect(claudeCode.encode({ kind: 'allow', contexts: [] }, event)).toBeUndefined()
  })

  test('is defined for every event', () => {
    expect(Object.keys(REPLIES).toSorted()).toEqual([...claudeCode.events.keys()].toSorted())
  })

  test('never refuses settings of the organization', () => {
    const event = claudeCode.decode({ hook_event_name: 'ConfigChange', source: 'policy_settings' })
    expect(claudeCode.encode(BLOCK, event)).toBeUndefined()
  })

  test('keeps a text of 10,000 characters; a longer one is cut and says so', () => {
    const event = firstOf('PreToolUse', 'tool.before')
    const reply = (text: string) => claudeCode.encode({ kind: 'allow', contexts: [text] }, event)
    const whole = 'x'.repeat(10_000)
    expect(reply(whole)).toMatchObject({ hookSpecificOutput: { additionalContext: whole } })
    const { hookSpecificOutput } = reply(`${'😀'.repeat(5000)}y`) as {
      hookSpecificOutput: { additionalContext: string }
    }
    expect(hookSpecificOutput.additionalContext.length).toBeLessThanOrEqual(10_000)
    expect(hookSpecificOutput.additionalContext.isWellFormed()).toBe(true)
    expect(hookSpecificOutput.additionalContext).toMatch(/😀 \[cut: 10001 characters were too many\]$/u)
  })
})
