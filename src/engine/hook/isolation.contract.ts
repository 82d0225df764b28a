import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rules } from '../../rules/index.ts'
import { type ClientAt, clientAt, contextOf, edited, reasonOf, skillOf } from './client.contract.ts'
import { planOf, putWorkflow } from '../methods/workflow.contract.ts'
import type { Answer, World } from '../world.contract.ts'

const PHASES =
  '```json\n{"phases": [{"label": "0", "name": "Setup", "proof": ["mode"]}, {"label": "1", "name": "Make"}]}\n```\n'
const SUB = { agent_id: 'sub', agent_type: 'helper' }

type Event = readonly [name: string, payload: object]

/** An event that a rule answers in the main thread, and its preceding events. */
type Scene = (it: ClientAt, world: World) => Promise<Event>

const bash = (command: string, more: object = {}): object => ({
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: 'the-call',
  ...more,
})
const file = (tool: string, path: string): object => ({
  tool_name: tool,
  tool_input: { file_path: path, content: '' },
  tool_use_id: 'the-call',
})
const ENDED = { tool_response: { stdout: '', stderr: '', interrupted: false } }

const calling =
  (skill: string, event: (it: ClientAt, effort: number) => Event): Scene =>
  async (it) => {
    await it.prompt(`/${skill}`)
    return event(it, (await it.efforts()).at(-1)?.id)
  }

const SCENES: Readonly<Record<string, Scene>> = {
  'skill-invoked': async () => ['UserPromptSubmit', { prompt: '/flow' }],
  'continuation-next': async (it) => {
    await it.prompt('/plain then /flow and /plan')
    return ['Stop', { stop_hook_active: false, background_tasks: [] }]
  },
  modes: async () => ['UserPromptSubmit', { prompt: 'Mend it #ver' }],
  shortcuts: async (it) => {
    await writeFile(join(it.project, 'session.md'), '# Session\n')
    return ['UserPromptSubmit', { prompt: 's' }]
  },
  'door-gate': async () => ['PreToolUse', bash('holdfast pause')],
  'outside-gate': async (it, world) => {
    await world.call('db.project.setLevel', { path: it.project, level: 'locked' })
    return ['PreToolUse', bash('holdfast status | head')]
  },
  'hooks-kept': async (it) => [
    'ConfigChange',
    { source: 'project_settings', file_path: join(it.project, '.claude/settings.json') },
  ],
  'stage-track': async () => [
    'UserPromptExpansion',
    { prompt: '/plan x', command_name: 'plan', command_args: 'x' },
  ],
  'first-step-gate': async (it, world) => {
    const name = world.name('first')
    const plan = planOf([{ id: 'a', next: { ok: [] } }], { activate: 'first' })
    await putWorkflow(world, plan, { name, project: it.project })
    await it.prompt(`/${name}`)
    return ['PreToolUse', bash('ls')]
  },
  'step-gate': calling('flow', (it) => ['PreToolUse', file('Read', it.flow('steps/do.md'))]),
  'subagent-gate': async (it, world) => {
    await world.call('db.project.setLevel', { path: it.project, level: 'strict' })
    await it.prompt('/flow')
    return ['PreToolUse', file('Read', it.flow('steps/do.md'))]
  },
  'read-unresolved': calling('flow', () => ['PreToolUse', bash('cat "$STEP"')]),
  'subagent-steps': calling('flow', (it) => [
    'PreToolUse',
    {
      tool_name: 'Agent',
      tool_input: { prompt: `Do ${it.flow('steps/look.md')}`, subagent_type: 'helper' },
      tool_use_id: 'the-call',
    },
  ]),
  'phase-order': calling('phased', (_, id) => ['PreToolUse', bash(`holdfast effort phase ${id} 1`)]),
  'phase-proof': async (it, world) => {
    await it.prompt('/phased')
    const id = (await it.efforts()).at(-1)?.id
    await world.call('db.effort.phase', { effort_id: id, label: '0' })
    return ['PreToolUse', bash(`holdfast effort phase ${id} 1`)]
  },
  'todo-check': calling('asking', () => ['TaskCompleted', { task_id: '1', task_subject: 'Ship it' }]),
  heartbeat: async (it) => {
    await it.prompt('/watched')
    for (let n = 0; n < 2; n++) await it.use('Bash', { command: 'ls' })
    return ['PreToolUse', bash('ls')]
  },
  'session-gate': async (it, world) => {
    await world.call('db.project.setSessionGate', { path: it.project, on: true })
    return ['PreToolUse', file('Write', join(it.project, 'a.txt'))]
  },
  'directive-gate': async (it) => ['PreToolUse', file('Write', join(it.project, 'hard/a.txt'))],
  'write-gate': calling('gated', (it) => ['PreToolUse', file('Write', join(it.project, 'kept/a.txt'))]),
  'write-unresolved': async (it, world) => {
    await world.call('db.project.setSessionGate', { path: it.project, on: true })
    return ['PreToolUse', bash('echo x > "$OUT"')]
  },
  'span-switch': calling('plain', (it) => [
    'PostToolUse',
    { ...file('Read', it.flow('SKILL.md')), tool_response: {} },
  ]),
  'step-visit': calling('flow', (it) => [
    'PostToolUse',
    { ...file('Read', it.flow('steps/look.md')), tool_response: {} },
  ]),
  'evidence-seen': calling('proving', () => ['PostToolUse', bash('make a', ENDED)]),
  'phase-entered': async (it, world) => {
    await it.prompt('/phased')
    const id = (await it.efforts()).at(-1)?.id
    const call = bash(`holdfast effort phase ${id} 0`)
    await it.fire('PreToolUse', call)
    await world.call('db.effort.phase', { effort_id: id, label: '0' })
    return ['PostToolUse', { ...call, ...ENDED }]
  },
  'stop-gate': calling('gated', () => ['Stop', { stop_hook_active: false, background_tasks: [] }]),
  'directive-discovery': async (it) => ['PreToolUse', file('Read', join(it.project, 'soft/a.txt'))],
  'context-budget': async (it, world) => {
    const [window] = await it.windows()
    await world.call('db.session.updateContextUsage', { session_id: window?.id, usage: 0.75 })
    return ['PostToolUse', bash('ls', ENDED)]
  },
  'queue-reminder': async (it, world) => {
    const projects = await world.call('db.project.list', {})
    const project_id = projects.find(({ path }: Answer) => path === it.project)?.id
    await world.call('queue.add', { content: 'Look at it', project_id })
    return ['UserPromptSubmit', { prompt: '/flow' }]
  },
  memory: async (it, world) => {
    const doc = { source_type: 'doc', source_path: 'login.md', chunk_text: 'The login page.' }
    await world.call('search.upsert', { ...doc, path: it.project })
    return ['UserPromptSubmit', { prompt: '/plain the login page' }]
  },
  'queue-flush': async (it) => {
    await it.prompt('TODO: look at it later')
    return ['PreCompact', { trigger: 'auto' }]
  },
  'effort-lost': async (it, world) => {
    await it.prompt('/flow')
    await it.fire('SessionEnd', { reason: 'other' })
    const effort_id = (await it.efforts()).at(-1)?.id
    await world.call('commands.session.continue', { effort_id, native_id: world.name('native') })
    return ['SessionStart', { source: 'resume' }]
  },
  'plan-edit': async (it, world) => {
    await it.prompt('/flow')
    await edited(world, it, it.flow('steps/do.md'), '---\nproduces: [result]\n---\n')
    return ['UserPromptSubmit', { prompt: 'Go on' }]
  },
  'session-begin': calling('flow', () => ['SessionStart', { source: 'compact' }]),
  recap: calling('flow', () => ['SessionStart', { source: 'compact' }]),
  dehydrate: calling('flow', () => ['PreCompact', { trigger: 'auto' }]),
  'session-end': calling('flow', () => ['SessionEnd', { reason: 'other' }]),
}

/** Sub-agents get nothing from the main thread, and never move its progress; their own skills are in scope.contract. */
export function isolationContract(world: () => World): void {
  const begun = async () => {
    const it = await clientAt(world())
    const one = { one: 'consumes: [user-request]\nproduces: [a]' }
    const added = (name: string, more: Readonly<Record<string, string>>) =>
      it.add(name, { ...skillOf(name, one), ...more })
    await added('plan', {})
    await added('asking', { 'holdfast.yaml': 'required_todos: [Ship it]\n' })
    await added('gated', { 'holdfast.yaml': 'hold: stop\nsteps: {one: {writes: [kept/**]}}\n' })
    await added('watched', { 'holdfast.yaml': 'heartbeat: 2\n' })
    await added('proving', {
      'holdfast.yaml': 'gate: produced\nartifacts: {a: {command: make a, rank: observed}}\n',
    })
    const head = skillOf('phased')['SKILL.md']
    await it.add('phased', { 'SKILL.md': `${head}\n${PHASES}` })
    for (const [folder, text] of [
      ['hard', '---\nrequired: before-writing\n---\n'],
      ['soft', 'Be kind.'],
    ] as const) {
      await mkdir(join(it.project, folder))
      await writeFile(join(it.project, folder, 'INVARIANTS.md'), text)
    }
    await it.start()
    return it
  }
  /** The state of the session and its work, without its last activity. */
  const stateOf = async (it: ClientAt) => {
    await world().store.flush()
    const windows = (await it.windows()).map((row) => ({
      ...row,
      last_heartbeat: undefined,
      stale_at: undefined,
    }))
    const ids = windows.map(({ id }) => id).join(', ')
    const efforts = await it.efforts()
    const of = `where effort_id in (${[0, ...efforts.map(({ id }) => id)].join(', ')})`
    return {
      windows,
      efforts,
      spans: await it.spanRows(),
      frames: await it.rows(`select * from continuations where session_id = '${it.session}' order by id`),
      messages: await it.rows(`select * from messages where session_id in (${ids}) order by id`),
      state: await it.rows(`select * from plan_state ${of} order by effort_id, name`),
      visits: await it.rows(`select * from step_visits ${of} order by id`),
      ledger: await world().lastSeq(),
    }
  }

  test('every rule is tested with a sub-agent', () => {
    expect(Object.keys(SCENES).toSorted()).toEqual(rules.map(({ name }) => name).toSorted())
  })

  /** What a plan holds back from everybody, what nobody loosens alone, and what strict holds back from sub-agents. */
  const FOR_ALL = [
    ['write-gate', 'tool.refused'],
    ['door-gate', 'tool.refused'],
    ['outside-gate', 'tool.refused'],
    ['subagent-gate', 'step.refused'],
  ] as const
  const scenes = Object.entries(SCENES).filter(([rule]) => !FOR_ALL.some(([name]) => name === rule))

  test.each(FOR_ALL)('a sub-agent is refused by %s, and nothing else changes', async (forAll, entry) => {
    const it = await begun()
    const [name, payload] = (await SCENES[forAll]?.(it, world())) ?? ['', {}]
    const { ledger, ...before } = await stateOf(it)
    expect((await it.fire(name, { ...payload, ...SUB })).decision).toBe('block')
    const { ledger: now, ...after } = await stateOf(it)
    expect(after).toEqual(before)
    expect((await world().since(ledger)).map(({ event_type, seq }) => [event_type, seq])).toEqual([
      [entry, now],
    ])
  })

  describe('the work of a sub-agent does not concern', () => {
    test.each(scenes)('%s', async (_, scene) => {
      const it = await begun()
      const [name, payload] = await scene(it, world())
      const before = await stateOf(it)
      const answer = await it.fire(name, { ...payload, ...SUB })
      expect([answer.decision, answer.reply]).toEqual(['allow', undefined])
      expect(await stateOf(it)).toEqual(before)
      // The main thread gets an answer to the same event, so the silence was not accidental.
      const own = await it.fire(name, payload)
      const said = [contextOf(own), reasonOf(own)].join('')
      expect(said !== '' || (await world().lastSeq()) > before.ledger).toBe(true)
    })
  })

  test('a sub-agent that starts, works and stops gets no context, even with a delegated step', async () => {
    const it = await begun()
    await it.prompt('/flow')
    const [handOver, payload] = (await SCENES['subagent-steps']?.(it, world())) ?? ['', {}]
    await it.fire(handOver, payload)
    const launched = { tool_response: { isAsync: true, status: 'async_launched', agentId: SUB.agent_id } }
    await it.fire('PostToolUse', { ...payload, ...launched })
    const before = await stateOf(it)
    const heard = []
    for (const [name, more] of [
      ['SubagentStart', {}],
      ['PreToolUse', file('Read', it.flow('steps/look.md'))],
      ['PostToolUse', { ...file('Read', it.flow('steps/look.md')), tool_response: {} }],
      ['PreToolUse', file('Write', join(it.project, 'hard/a.txt'))],
      ['PermissionRequest', bash('ls')],
      ['PostToolUseFailure', bash('ls', { error: 'no' })],
      ['Notification', { message: 'x' }],
    ] as const)
      heard.push(await it.fire(name, { ...more, ...SUB }))
    expect(await stateOf(it)).toEqual(before)
    const stop = { ...SUB, stop_hook_active: false, background_tasks: [] }
    heard.push(await it.fire('SubagentStop', stop))
    expect(heard.map(({ decision, reply }) => [decision, reply])).toEqual(
      heard.map(() => ['allow', undefined]),
    )
    const after = await stateOf(it)
    expect((await world().since(before.ledger)).map(({ event_type }) => event_type)).toEqual([
      'step.visited',
      'delegation.ended',
    ])
    const { windows, messages } = before
    expect({ windows: after.windows, messages: after.messages }).toEqual({ windows, messages })
  })
}
