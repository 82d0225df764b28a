import type { Scene } from './scene.ts'
import {
  type Files,
  skill,
  side,
  step,
  S,
  flow,
  PRODUCED,
  PROVED,
  PHASES,
  WRITES,
  PIPELINE,
  MODES,
} from './skills.ts'

/** A way to be refused. */
export interface Kind {
  readonly files: Files
  /** Gets refused, and returns the refusal. */
  readonly refuse: (it: Scene) => Promise<string | undefined>
  /** The work that the text asks for beside its command or file; returns what is wrong. */
  readonly work?: (it: Scene, refusal: string) => Promise<string | undefined> | void
}

const called = (files: Files, refuse: Kind['refuse'], work?: Kind['work']): Kind => ({
  files,
  async refuse(it) {
    await it.call('/flow')
    return await refuse(it)
  },
  ...(work !== undefined && { work }),
})
/** A skill with phases, in one of them. */
const inPhase = (phase: string, refuse: Kind['refuse']): Kind =>
  called(side(PHASES), async (it) => {
    if (phase !== '') await it.good("step go '1: Build' --effort EFFORT")
    if (['2', '4'].includes(phase))
      await it.good(`step go '2: Check' --effort EFFORT --proof '{"how": "so"}'`)
    if (phase === '4') await it.good(`prove tests --effort EFFORT`)
    if (phase === '4') await it.good(`step go '4: Tell' --effort EFFORT`)
    return await refuse(it)
  })
/** A pipeline whose first steps are done. */
const inPipeline = (done: number, refuse: Kind['refuse'], work?: Kind['work']): Kind =>
  called(
    side(PIPELINE),
    async (it) => {
      await it.good('step go look --effort EFFORT')
      if (done > 0) await it.good('step done look --effort EFFORT --verified "I saw it"')
      return await refuse(it)
    },
    work,
  )
const agent = (id: string, prompt: string) => ({
  tool_name: 'Agent',
  tool_input: { description: 'x', prompt, subagent_type: 'helper' },
  tool_use_id: id,
})
/** A phase for sub-agents before one that opens files. */
const asking = (refuse: Kind['refuse']): Kind =>
  called(
    side(
      'phases:\n  - {label: "1", name: Ask, dispatch: 2}\n  - {label: "2", name: End, writes: [src/**]}\n',
    ),
    async (it) => {
      await it.good("step go '1: Ask' --effort EFFORT")
      return await refuse(it)
    },
  )
const SUB = { agent_id: 'sub', agent_type: 'helper' }

export const KINDS: Readonly<Record<string, Kind>> = {
  'a missing input': called(flow(), (it) => it.read(`${S}/think.md`)),
  'several missing inputs': called(flow(), (it) => it.read(`${S}/do.md`)),
  'a missing input, by shell': called(flow(), (it) => it.shell(`cat ${S}/*.md`)),
  'a missing input, by search': called(flow(), (it) =>
    it.use('Grep', { pattern: '.', path: `${it.project}/${S}`, output_mode: 'content' }),
  ),
  'a missing input, handed to a sub-agent': called(flow(), (it) =>
    it.fire('PreToolUse', agent('c', `Do ${it.project}/${S}/do.md`)),
  ),
  'a missing input at strict without a call': {
    files: flow(),
    async refuse(it) {
      await it.good('enforce strict')
      await it.fire('SessionStart', { source: 'startup' })
      return await it.read(`${S}/do.md`)
    },
  },
  'an owed artifact': called(flow(PRODUCED), async (it) => {
    await it.read(`${S}/look.md`)
    return await it.read(`${S}/think.md`)
  }),
  'an owed artifact, two steps ahead': called(flow(PRODUCED), async (it) => {
    await it.read(`${S}/look.md`)
    return await it.read(`${S}/do.md`)
  }),
  'several owed artifacts': called(
    { ...flow(PRODUCED), [`${S}/look.md`]: step('produces: [view, list]') },
    async (it) => {
      await it.read(`${S}/look.md`)
      return await it.read(`${S}/think.md`)
    },
  ),
  'an artifact that must be proved': called(flow(PROVED), async (it) => {
    await it.read(`${S}/look.md`)
    return await it.read(`${S}/think.md`)
  }),
  'a record without its step': called(flow(PRODUCED), async (it) => {
    await it.good('artifact put EFFORT view --path src/a.ts')
    return await it.read(`${S}/think.md`)
  }),
  'stale evidence': called(flow(PROVED), async (it) => {
    await it.read(`${S}/look.md`)
    await it.good('prove view --effort EFFORT')
    it.put('src/a.ts', 'changed')
    return await it.read(`${S}/think.md`)
  }),
  'a stale claim': called(flow(PRODUCED), async (it) => {
    await it.read(`${S}/look.md`)
    await it.good('artifact put EFFORT view --path src/a.ts')
    it.put('src/a.ts', 'changed')
    return await it.read(`${S}/think.md`)
  }),
  'a step read in part': called(flow(), async (it) => {
    await it.read(`${S}/look.md`, { to: 9 })
    return await it.read(`${S}/think.md`)
  }),
  'a step with a sub-agent': called(
    flow(),
    async (it) => {
      await it.fire('PreToolUse', agent('c', `Do ${it.project}/${S}/look.md`))
      return await it.read(`${S}/think.md`)
    },
    async (it) => {
      await it.read(`${S}/look.md`, { more: SUB })
      await it.fire('PostToolUse', {
        ...agent('c', ''),
        tool_response: { status: 'completed', agentId: 'sub' },
      })
      return await it.read(`${S}/think.md`)
    },
  ),
  'a step that a sub-agent was not shown': called(flow(), async (it) => {
    await it.fire('PreToolUse', agent('c', `Do ${it.project}/${S}/look.md`))
    await it.fire('PostToolUse', {
      ...agent('c', ''),
      tool_response: { status: 'completed', agentId: 'sub' },
    })
    return await it.read(`${S}/think.md`)
  }),
  'a step that only an outcome leads to': called(
    { ...flow('steps:\n  think: {next: {again: fix}}\n'), [`${S}/fix.md`]: step('produces: [fixed]') },
    (it) => it.read(`${S}/fix.md`),
  ),
  'a step that only an outcome leads to, begun': called(
    { ...flow('steps:\n  think: {next: {again: fix}}\n'), [`${S}/fix.md`]: step('produces: [fixed]') },
    async (it) => {
      await it.read(`${S}/look.md`)
      await it.read(`${S}/think.md`)
      return await it.read(`${S}/fix.md`)
    },
  ),
  'a phase out of order': inPhase('', (it) => it.before("effort phase EFFORT '4: Tell'")),
  'a phase out of order, by step go': inPhase('1', (it) => it.bad("step go '4: Tell' --effort EFFORT")),
  'a phase that is over': inPhase('2', (it) => it.bad("effort phase EFFORT '9: Other'")),
  'a phase of another plan': inPhase('1', (it) => it.before('effort phase EFFORT banana')),
  'a step of another plan': inPhase('1', (it) => it.bad('step go banana --effort EFFORT')),
  'a phase without its claim': inPhase('1', (it) => it.before("effort phase EFFORT '2: Check'")),
  'a phase with a blank claim': inPhase('1', (it) =>
    it.bad(`effort phase EFFORT '2: Check' --proof '{"how": "____"}'`),
  ),
  'a phase without its proof': inPhase('2', (it) => it.before("effort phase EFFORT '4: Tell'")),
  'a phase with a claim where proof is needed': inPhase('2', (it) =>
    it.bad(`effort phase EFFORT '4: Tell' --proof '{"tests": true}'`),
  ),
  'a phase with stale proof': inPhase('2', async (it) => {
    await it.good('prove tests --effort EFFORT')
    it.put('src/a.ts', 'changed')
    return await it.before("effort phase EFFORT '4: Tell'")
  }),
  'a loop at its limit': called(
    side(
      'phases:\n  - {label: "1", name: Try, limit: 1}\n  - {label: "2", name: See, next: {ok: end, again: "1"}}\n',
    ),
    async (it) => {
      await it.good("step go '1: Try' --effort EFFORT")
      await it.good("step go '2: See' --effort EFFORT")
      return await it.bad("step go '1: Try' --effort EFFORT")
    },
  ),
  'step done without its claim': inPhase('1', (it) => it.bad('step done --effort EFFORT')),
  'step done without its proof': inPhase('2', (it) => it.bad('step done --effort EFFORT')),
  'step done of a step that was not read': called(flow(), (it) => it.bad('step done look --effort EFFORT')),
  'step done of a step read in part': called(flow(), async (it) => {
    await it.read(`${S}/look.md`, { to: 9 })
    return await it.bad('step done look --effort EFFORT')
  }),
  'step done without a demanded artifact': called(flow(PROVED), async (it) => {
    await it.read(`${S}/look.md`)
    return await it.bad('step done look --effort EFFORT')
  }),
  'step done of a later step': called(flow(), (it) => it.bad('step done do --effort EFFORT')),
  'step done with nothing begun': called(
    { ...flow(), [`${S}/see.md`]: step('consumes: [user-request]\nproduces: [sight]') },
    (it) => it.bad('step done --effort EFFORT'),
  ),
  'step skip of a required step': inPhase('1', (it) => it.bad('step skip --effort EFFORT')),
  'step skip of a required step file': called(flow(), (it) => it.bad('step skip think --effort EFFORT')),
  'step go to a later step file': called(flow(), (it) => it.bad('step go do --effort EFFORT')),
  'step go with an owed artifact': called(flow(PRODUCED), async (it) => {
    await it.read(`${S}/look.md`)
    return await it.bad('step go think --effort EFFORT')
  }),
  'step done with sub-agents at work': asking((it) => it.bad('step done --effort EFFORT')),
  'a file that waits for sub-agents': asking((it) =>
    it.use('Write', { file_path: `${it.project}/src/a.ts`, content: 'x' }),
  ),
  'finish with open steps': called(flow(), (it) => it.bad('effort finish EFFORT')),
  'finish with an owed artifact': called(flow(PRODUCED), async (it) => {
    await it.read(`${S}/look.md`)
    return await it.bad('effort finish EFFORT')
  }),
  'finish with open phases': inPhase('1', (it) => it.bad('effort finish EFFORT')),
  'finish without the last proof': inPhase('4', (it) => it.bad('effort finish EFFORT')),
  'a report without what shows it': inPipeline(0, (it) => it.bad('step done look --effort EFFORT')),
  'a report with a blank': inPipeline(0, (it) => it.bad('step done look --effort EFFORT --verified ____')),
  'a report without its file': inPipeline(
    1,
    (it) => it.bad('step done make --effort EFFORT'),
    (it, refusal) => it.put(/the file (\S+) exists/.exec(refusal)?.[1] ?? 'out.md', 'out'),
  ),
  'a report of a later step': inPipeline(0, (it) => it.bad('step done end --effort EFFORT')),
  'a pipeline at its limit': inPipeline(1, async (it) => {
    await it.bad('step fail make --effort EFFORT --reason broken')
    return await it.bad('step go make --effort EFFORT')
  }),
  'finish of a pipeline': inPipeline(1, (it) => it.bad('effort finish EFFORT')),
  'todos that are not listed': called(
    { ...flow(), ...skill('flow', 'required_todos: [look around, say so]\n') },
    (it) => it.use('TodoWrite', { todos: [{ content: 'Something', status: 'pending' }] }),
  ),
  'no log entry': called(skill('flow', 'heartbeat: 2\n'), async (it) => {
    for (let at = 0; at < 2; at++) await it.use('Bash', { command: 'ls' })
    return await it.use('Bash', { command: 'ls' })
  }),
  'a change without an effort': {
    files: { ...skill('flow'), 'notes.md': 'x' },
    async refuse(it) {
      await it.good('enforce --session-gate on')
      await it.fire('SessionStart', { source: 'startup' })
      return await it.use('Write', { file_path: `${it.project}/notes.md`, content: 'y' })
    },
  },
  'a directive that was not read': {
    files: {
      'hard/.directives/INVARIANTS.md': '---\nrequired: before-writing\n---\n\nMind it.\n',
      'hard/a.txt': '',
    },
    async refuse(it) {
      await it.fire('SessionStart', { source: 'startup' })
      return await it.use('Write', { file_path: `${it.project}/hard/a.txt`, content: '' })
    },
  },
  'a file before its phase': called(side(WRITES), (it) =>
    it.use('Write', { file_path: `${it.project}/src/a.ts`, content: '' }),
  ),
  'a file before its phase, which owes a claim': called(side(WRITES), async (it) => {
    await it.good("step go '1: Red' --effort EFFORT")
    return await it.use('Edit', { file_path: `${it.project}/src/a.ts` })
  }),
  'a file before its phase, by shell': called(side(WRITES), async (it) => {
    await it.good("step go '1: Red' --effort EFFORT")
    return await it.shell('echo x > src/a.ts')
  }),
  'a turn with open phases': called(side(`hold: stop\n${WRITES}`), async (it) => {
    await it.good("step go '1: Red' --effort EFFORT")
    return await it.fire('Stop', { stop_hook_active: false })
  }),
  'a turn with open steps': called(flow('hold: stop\n'), async (it) => {
    await it.read(`${S}/look.md`)
    return await it.fire('Stop', { stop_hook_active: false })
  }),
  'a turn with an owed artifact': called(flow(`hold: stop\n${PRODUCED}`), async (it) => {
    await it.read(`${S}/look.md`)
    return await it.fire('Stop', { stop_hook_active: false })
  }),
  'a turn with an open report': called(side(`hold: stop\n${PIPELINE}`), async (it) => {
    await it.good('step go look --effort EFFORT')
    return await it.fire('Stop', { stop_hook_active: false })
  }),
  'a mode that the skill does not have': called(MODES, (it) =>
    it.bad('effort start work flow --mode banana'),
  ),
  'a skill that does not exist': called(flow(), (it) => it.bad('effort start work flwo')),
  'prove without a covered file': called(
    flow(`${PRODUCED}artifacts:\n  view: {command: test -d src, covers: [lib/**]}\n`),
    async (it) => {
      await it.read(`${S}/look.md`)
      return await it.bad('prove view --effort EFFORT')
    },
    (it) => it.put('lib/a.ts', 'a'),
  ),
  'prove of another name': called(flow(PROVED), async (it) => {
    await it.read(`${S}/look.md`)
    return await it.bad('prove views --effort EFFORT')
  }),
}
