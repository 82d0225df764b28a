import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import type { ModelRequest } from './model-request.ts'
import { say, use } from './model-server.ts'
import { inOurVoice } from '../../src/model/text/voice.ts'
import { contextFull, inQueue, NO_EFFORT, noLogEntry, todosLacking } from '../../src/rules/told/words.ts'

const run = (command: string) => use('Bash', { command, description: 'Run it' })
const timesIn = (request: ModelRequest, text: string) => JSON.stringify(request.body).split(text).length - 1

/** The real client with hooks from `holdfast init`, in a project with these files. */
async function hookedIn(files: Readonly<Record<string, string>>) {
  const client = await RealClient.start()
  for (const [path, text] of Object.entries(files)) client.write(path, text)
  await client.user.json(['init', '--scope', 'user', '--yes'])
  /** The results of the main thread's calls, in order. */
  const results = () => client.model.last().toolResults()
  const refusals = () => results().map(({ isError }) => isError)
  const ledger = (type: string) =>
    client.user.json<{ skill: string; payload: Record<string, unknown> }[]>(['ledger', '--type', type])
  const rulesHeard = async (type: string) => (await ledger(type)).map(({ payload: { rule } }) => rule)
  return { client, results, refusals, ledger, rulesHeard }
}

const STEP = '---\nconsumes: [user-request]\nproduces: [view]\n---\n'

test('the model is refused until it has an effort or a log entry, and its sub-agent never counts', async () => {
  const { client, results, refusals, ledger, rulesHeard } = await hookedIn({
    '.claude/skills/watched/SKILL.md':
      '---\nname: watched\ndescription: Is watched.\nheartbeat: 4\n---\n\nDo it.\n',
    '.claude/skills/watched/steps/look.md': STEP,
    '.claude/skills/plain/SKILL.md': '---\nname: plain\ndescription: Is plain.\n---\n\nDo it.\n',
  })
  await using _ = client
  await client.user.json(['enforce', '--session-gate', 'on'])
  const write = use('Write', { file_path: `${client.project}/a.txt`, content: 'x\n' })
  const delegate = { description: 'Count', prompt: 'Count to five', subagent_type: 'general-purpose' }
  client.model.script('agent', [...Array.from({ length: 5 }, () => run('true')), say('Five.')])
  client.model.script('main', [
    write,
    say('It is refused.'),
    use('Agent', { ...delegate, run_in_background: false }),
    ...Array.from({ length: 4 }, () => run('true')),
    run('holdfast log "Counted to five."'),
    write,
    use('Read', { file_path: `${client.project}/.claude/skills/plain/SKILL.md` }),
    say('Done.'),
  ])

  const conversation = client.open({ env: client.holdfastOnPath() })
  await conversation.say('Change it')
  expect(results()[0]?.text).toContain(inOurVoice(NO_EFFORT))
  await conversation.say('/watched it')
  await conversation.end()

  expect(client.model.last('agent').toolResults()).toHaveLength(5)
  expect(refusals()).toEqual([true, false, false, false, false, true, false, false, false])
  expect(results()[5]?.text).toContain(inOurVoice(noLogEntry(4)))
  // Once before the first log entry, and once after it.
  expect(timesIn(client.model.last(), inOurVoice(noLogEntry(1)))).toBe(2)
  expect(await rulesHeard('tool.refused')).toEqual(['session-gate', 'heartbeat'])
  // Reading a skill activates it.
  expect(await ledger('span.suspended')).toMatchObject([{ skill: 'watched' }])
})

test('todos, phases and a command of the plan are observed as the model works', async () => {
  const { client, results, refusals, rulesHeard } = await hookedIn({
    'check.sh': 'exit 0\n',
    '.claude/skills/build/SKILL.md':
      '---\nname: build\ndescription: Builds.\nrequired_todos: [gather-context, Write it]\n---\n\nBuild it.\n',
    '.claude/skills/build/holdfast.yaml': `phases:
  - {label: "0", name: Setup, proof: [mode]}
  - {label: "1", name: Plan, commands: [§CMD_LOOK], proof: {tests: {command: sh check.sh, rank: observed}}}
  - {label: "2", name: Make}
`,
  })
  await using _ = client
  const plans = (...texts: readonly string[]) =>
    use('TodoWrite', {
      todos: texts.map((content) => ({ content, status: 'in_progress', activeForm: content })),
    })
  client.model.script('main', [
    plans('Gather the context'),
    plans('Gather the context', 'Write it'),
    run('holdfast session phase . 2'),
    run('holdfast session phase . 0'),
    run('holdfast session phase . 1'),
    run(`holdfast session phase . 1 <<'E'\n{"mode": "tdd"}\nE`),
    run('sh check.sh'),
    run('holdfast session phase . 2'),
    say('Done.'),
  ])

  const env = {
    ...client.holdfastOnPath(),
    CLAUDE_CODE_ENABLE_TODO_TOOLS: '1',
    CLAUDE_CODE_ENABLE_TASKS: '0',
  }
  await client.run('/build it', { env })

  expect(refusals()).toEqual([true, false, true, false, true, false, false, false])
  expect(results()[0]?.text).toContain(inOurVoice(todosLacking('build', 'Write it')))
  expect(results()[2]?.text).toContain('is "0: Setup".')
  expect(results()[4]?.text).toContain('requires proof of: mode')
  expect(timesIn(client.model.last(), '§CMD_LOOK')).toBe(1)
  expect(await rulesHeard('tool.refused')).toEqual(['todo-check'])
  expect(await rulesHeard('phase.refused')).toEqual(['phase-order', 'phase-proof'])
  const [effort] = await client.user.json<{ id: number }[]>(['effort', 'find-active'])
  expect(await client.user.json(['effort', 'show', `${effort?.id}`])).toMatchObject({
    current_phase: '2: Make',
    todos: [
      { text: 'gather-context', listed: true },
      { text: 'Write it', listed: true },
    ],
  })
  expect(await client.user.json(['artifact', 'list', `${effort?.id}`])).toMatchObject([
    { name: 'tests', rank: 'observed' },
  ])
})

test('directives, the stage, a full context and notes for later reach the model, and survive a compaction', async () => {
  const { client, results, refusals, ledger, rulesHeard } = await hookedIn({
    '.claude/skills/plan/SKILL.md': '---\nname: plan\ndescription: Plans.\n---\n\nPlan it.\n',
    '.claude/skills/plan/steps/look.md': STEP,
    'src/a.ts': 'a\n',
    'src/b.ts': 'b\n',
    'src/.directives/AGENTS.md': 'Name things plainly.\n',
    'lib/.directives/INVARIANTS.md': '---\nrequired: before-writing\n---\nNo state in lib.\n',
  })
  await using _ = client
  const read = (path: string) => use('Read', { file_path: `${client.project}/${path}` })
  const write = use('Write', { file_path: `${client.project}/lib/a.ts`, content: 'x\n' })
  client.model.script('compaction', [say('<analysis>-</analysis><summary>the summary</summary>')])
  const first = [
    read('src/a.ts'),
    read('src/b.ts'),
    write,
    read('lib/.directives/INVARIANTS.md'),
    write,
    say('Done.\n\n- TODO: renew the certificate'),
    say('It is nearly full.'),
  ]
  client.model.script('main', [
    ...first.map((turn) => ({ ...turn, inputTokens: 150_000 })),
    read('src/a.ts'),
    say('Read again.'),
  ])

  const conversation = client.open()
  await conversation.say('/plan the login')
  const directive = 'Name things plainly.'
  expect(refusals()).toEqual([false, false, true, false, false])
  expect(results()[2]?.text).toContain('.directives/INVARIANTS.md, then repeat this call.')
  expect(timesIn(client.model.last(), directive)).toBe(1)
  await conversation.say('Go on')
  await conversation.say('/compact')
  expect(timesIn(client.model.last(), inOurVoice(contextFull(75)))).toBe(1)
  await conversation.say('/plan the login')
  const { sessionId } = await conversation.end()

  const last = client.model.last()
  expect(last.mentions('the summary')).toBe(true)
  expect(timesIn(last, directive)).toBe(1)
  expect(last.mentions('State when the last session ended (')).toBe(true)
  expect(last.mentions(inOurVoice(inQueue('One item', 'TODO: renew the certificate')))).toBe(true)
  expect(await rulesHeard('tool.refused')).toEqual(['directive-gate'])
  expect(await ledger('stage.entered')).toMatchObject([{ skill: 'plan', payload: { stage: 'plan' } }])
  expect((await ledger('context.warned'))[0]).toMatchObject({ payload: { mark: 73 } })
  // Before the compaction, at the end of its window, and at the end of the last one.
  expect((await ledger('effort.dehydrated')).map(({ payload: { author } }) => author)).toEqual([
    'engine',
    'engine',
    'engine',
  ])
  const windows = await client.user.json<
    { id: number; loaded_files: string[]; prev_session_id: number | null }[]
  >(['session', 'find', '--native-id', sessionId])
  const before = windows.find(({ prev_session_id }) => prev_session_id === null)
  expect(before?.loaded_files).toEqual(
    ['src/a.ts', 'src/b.ts', 'lib/.directives/INVARIANTS.md'].map((path) => `${client.project}/${path}`),
  )
  const said = await client.user.json<{ role: string; content: string }[]>([
    'rpc',
    'db.messages.list',
    JSON.stringify({ session_id: before?.id }),
  ])
  expect(said.map(({ role }) => role).join(' ')).toBe(
    'user tool tool tool tool tool assistant user assistant',
  )
  expect(said[0]?.content).toBe('/plan the login')
  expect(said.findIndex(({ content }) => content.includes('→ refused: '))).toBe(3)
})
