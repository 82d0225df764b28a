import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { processesOf } from '../processes-of.ts'
import { ENTRY, User } from '../holdfast.ts'

vi.setConfig({ testTimeout: 600_000 })

/** The files of a skill, below its folder. */
type Files = Readonly<Record<string, string>>

interface Result {
  readonly skill: string
  readonly passed: boolean
  readonly levels: readonly {
    readonly level: number
    readonly passed: boolean
    readonly counts: Readonly<Record<string, number>>
    readonly findings: readonly { code: string; message: string; path: readonly string[] }[]
    readonly notes: readonly string[]
  }[]
}

/** A user whose temporary files are in a folder of their own, in no repository. */
const user = new User()
const temporary = join(user.folder, 'tmp')
beforeAll(() => mkdirSync(temporary))
afterAll(() => user[Symbol.asyncDispose]())

const NAME = 'flow'
const side = (yaml: string, more: Files = {}): Files => ({ 'holdfast.yaml': yaml, ...more })

const skillMd = (text: string, name = NAME): Files => ({
  'SKILL.md': `---\nname: ${name}\ndescription: Does it.\n---\n\n${text}\n`,
})

function put(files: Files, name = NAME): void {
  const folder = join(user.project, 'skills', name)
  rmSync(folder, { recursive: true, force: true })
  const all = { ...skillMd('Do it.', name), ...files }
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

async function tested(files: Files, level: number, name = NAME): Promise<Result & { readonly code: number }> {
  put(files, name)
  const words = ['--json', 'skill', 'test', name, '--level', String(level)]
  const { code, stdout, stderr } = await user.run(words, { env: { TMPDIR: temporary } })
  if (stdout === '') throw new Error(stderr)
  return { code, ...(JSON.parse(stdout) as Result) }
}

const step = (fields: string, text = 'Do this.'): string => `---\n${fields}\n---\n\n# A step\n\n${text}\n`
const STEPS: Files = {
  'steps/look.md': step('produces: [view]'),
  'steps/think.md': step('consumes: [view]\nproduces: [idea]'),
  'steps/do.md': step('consumes: [idea]'),
}

const GOOD: Readonly<Record<string, Files>> = {
  'step files': STEPS,
  'step files with proofs': {
    ...STEPS,
    ...side('gate: produced\nartifacts:\n  idea: {command: npm test, covers: ["src/**"]}\n'),
  },
  phases: side(`hold: stop
required_todos: [say what is missing]
heartbeat: 5
phases:
  - {label: "1", name: Red, proof: {failing: {command: npm test, expect: fail, covers: ["tests/**"]}}}
  - {label: "2", name: Green, writes: [src/**], next: {again: "1"}, limit: 2, proof: {tests: {command: npm test, covers: ["src/**"]}}}
  - {label: "3", name: Review, dispatch: 2, next: {ok: "4", fail: "2"}}
  - {label: "4", name: Tell, proof: [whom], optional: true}
`),
  'a runbook': {
    'runbook.md': `---\nname: ${NAME}\n---\n\n# Flow\n\n## Step 1: Look\n\n**Objective**: look.\n\n## Step 2: Do\n\n**Objective**: do it.\n`,
  },
  'a pipeline': side(`pipeline:
  - {id: look, prompt: Look around., verify: it was seen}
  - {id: call, skill: other}
  - {id: run, command: npm test, onError: undo}
  - {id: make, prompt: Make it., verify: {file: out.md}, limit: 2}
  - {id: undo, prompt: Undo it., optional: true}
`),
}

const workflow = (text: string): Files => ({
  'workflow.ts': `import { dispatch, gate, param, qrOutput, step, workflow } from 'holdfast/workflow'\n\n${text}`,
})

/** The review of a workflow; its sub-agent says the result if that is required. */
const review = (isRequired: boolean): string =>
  `const state = { result: param.choice(['pass', 'fail'], { required: ${isRequired} }), report: param.text() }
const review = workflow('review', [step({ id: 'judge', title: 'Judge', actions: [qrOutput()], next: null })], { state })
`

const REVIEWED = workflow(`${review(true)}export default workflow(
  '${NAME}',
  [
    step({ id: 'write', title: 'Write {{topic}}', next: 'check' }),
    ...gate({ id: 'check', name: 'QR', work: 'write', pass: 'count', review: dispatch('quality-reviewer', { workflow: 'review' }) }),
    step({ id: 'count', title: 'Count', run: 'exit 1', next: { ok: null, fail: 'write' } }),
  ],
  {
    activate: 'first',
    params: { topic: param.text({ required: true }), depth: param.number({ default: 3, min: 1, max: 9 }) },
    workflows: { review },
  },
)
`)

/** As small as a workflow with a gate can be. */
const UNDECIDED = workflow(`${review(false)}export default workflow(
  '${NAME}',
  [
    step({ id: 'write', title: 'Write', next: 'check' }),
    ...gate({ id: 'check', name: 'QR', work: 'write', pass: null, review: dispatch('quality-reviewer', { workflow: 'review' }) }),
  ],
  { workflows: { review } },
)
`)

/** Agents rehearse all skills that we ship in the long form, `npm run torture -- skills`, and else three of them. */
const REHEARSED =
  process.env['HOLDFAST_SKILLS'] === 'all' ? /./ : /\/(decision-critic|mode-verify|orchestrate)$/
const SHIPPED = [...globSync('contents/skills/*/SKILL.md'), ...globSync('examples/*/workflow.ts')]
  .map(dirname)
  .map((folder) => [folder, REHEARSED.test(folder) ? 2 : 0] as const)

test.each(SHIPPED)('%s passes up to level %i', async (folder, level) => {
  const words = ['--json', 'skill', 'test', resolve(folder), '--level', String(level)]
  const { stdout, code } = await user.run(words, { env: { TMPDIR: temporary } })
  const { levels } = JSON.parse(stdout) as Result
  expect(levels.flatMap(({ findings }) => findings)).toEqual([])
  expect({ code, levels: levels.length }).toEqual({ code: 0, levels: level + 1 })
})

describe('a good skill passes every level', () => {
  test.each(Object.entries({ ...GOOD, 'a workflow': REVIEWED }))('%s', async (_, files) => {
    const { code, passed, levels } = await tested(files, 2)
    expect(levels.flatMap(({ findings }) => findings)).toEqual([])
    expect({ code, passed }).toEqual({ code: 0, passed: true })
    expect(levels.map(({ level }) => level)).toEqual([0, 1, 2])
    expect(levels[0]?.counts['paths']).toBeGreaterThan(0)
    expect(readdirSync(temporary)).toEqual([])
  })
})

const SAYS = 'Do what the user says.\n\n1. Look.\n2. Think.\n3. Tell.'
const IN_CHAINS = side('continuation: {cooperative: true, default-exit: []}\n')

/** Skills without a plan: alone, in chains, and with what a skill may demand all the same. */
const PLAIN: Readonly<Record<string, Files>> = {
  'a list that its author means as a text': { ...IN_CHAINS, ...skillMd(SAYS) },
  'todos, signs of life and a result with a choice': side(
    'required_todos: [say why, say how]\nheartbeat: 2\nresult: {type: object, required: [ok, tier], properties: {ok: {type: boolean}, tier: {enum: [low, high]}}}\n',
  ),
}

describe('a skill without a plan passes every level, and the report says so', () => {
  test.each(Object.entries(PLAIN))('%s', async (_, files) => {
    const { code, levels } = await tested(files, 2)
    expect(levels.flatMap(({ findings }) => findings)).toEqual([])
    expect(code).toBe(0)
    expect(levels.map(({ level }) => level)).toEqual([0, 1, 2])
    expect(levels[0]?.notes[0]).toContain('It has no plan')
    expect(levels[2]?.counts['prompts']).toBe(3)
    expect(readdirSync(temporary)).toEqual([])
  })
})

test('a skill whose plan is only inferred is refused, with the command that adopts it', async () => {
  put(skillMd(SAYS))
  const { code, stderr } = await user.run(['skill', 'test', NAME])
  expect(code).toBe(1)
  expect(stderr).toContain('is only inferred')
  expect(stderr).toContain(`holdfast skill adopt ${NAME}`)
})

/** Texts that lead an orchestrator wrong, by what the test says of them. */
const MISLEADING = [
  ['has no code', 'Carry out the runbook.'],
  ['has not begun', 'Run this:\n\n```sh\nholdfast runbook status NAME\n```'],
  [
    'cannot fail with the category',
    'Run this:\n\n```sh\nholdfast runbook next NAME\n```\n\nAny other answer has the category `odd`.',
  ],
] as const

test.each(MISLEADING)('an orchestrator that its text leads wrong: %s', async (says, text) => {
  const { code, levels } = await tested(skillMd(text, 'orchestrate'), 2, 'orchestrate')
  expect(code).toBe(1)
  expect(levels[2]?.findings.filter(({ code: kind }) => kind === 'obedient')).not.toEqual([])
  expect(JSON.stringify(levels[2]?.findings)).toContain(says)
  expect(readdirSync(temporary)).toEqual([])
})

const phases = (...lines: readonly string[]): Files =>
  side(`phases:\n${lines.map((line) => `  - ${line}\n`).join('')}`)

const module = (steps: readonly object[]): Files => ({
  'workflow.mjs': `export default ${JSON.stringify({ name: NAME, steps })}\n`,
})

/** Skills that a level finds wrong, with the code of what it finds. */
const BAD: readonly (readonly [level: number, what: string, Files, code: string])[] = [
  [
    0,
    'a limit that parks where nothing can be approved',
    module([
      { id: 'look', title: 'Look', next: { ok: 'turn', stop: null } },
      { id: 'turn', title: 'Turn', next: { ok: 'back' } },
      { id: 'back', title: 'Turn back', next: { ok: 'turn' }, limit: 2 },
    ]),
    'parked',
  ],
  [
    0,
    'a step behind a limit that is never reached',
    module([
      { id: 'look', title: 'Look', next: { ok: null, fail: null }, limit: 2, onLimit: 'ask' },
      { id: 'ask', title: 'Ask', next: { ok: null } },
    ]),
    'unreachable',
  ],
  [
    0,
    'an error of the check',
    { 'steps/do.md': step('consumes: [nothing]'), 'steps/a.md': step('produces: [a]') },
    'check',
  ],
  [
    1,
    'a text that is cut',
    { ...STEPS, 'steps/do.md': step('consumes: [idea]', 'Much. '.repeat(6000)) },
    'size',
  ],
  [
    1,
    'a command that does not exist',
    { ...STEPS, 'steps/do.md': step('consumes: [idea]', 'Run `holdfast skill grahp x`.') },
    'command',
  ],
  [
    1,
    'a flag that does not exist',
    side(
      'pipeline:\n  - {id: a, prompt: "Run `holdfast step done --result ok`"}\n  - {id: b, prompt: "Run `holdfast skill check --every`"}\n',
    ),
    'command',
  ],
  [
    2,
    'a proof of files that only a later phase may write',
    phases(
      '{label: "1", name: Test, proof: {tests: {command: npm test, covers: ["src/**"]}}}',
      '{label: "2", name: Write, writes: [src/**]}',
    ),
    'obedient',
  ],
  [
    1,
    'a step of a workflow that is cut',
    workflow(
      `export default workflow('${NAME}', [step({ id: 'a', title: 'A', actions: ['Much. '.repeat(6000)], next: null })])\n`,
    ),
    'size',
  ],
  [2, 'a review that never says its result', UNDECIDED, 'obedient'],
  [1, 'a text with a command that does not exist', skillMd('Run `holdfast verifi` first.'), 'command'],
  [1, 'a text with a file that does not exist', skillMd('Read `references/how.md` first.'), 'file'],
  [1, 'a text that is too long', skillMd('Much. '.repeat(6000)), 'size'],
  [
    2,
    'a result that nobody can give, in a skill without a plan',
    side('result: {type: string, minLength: 17000}\n'),
    'obedient',
  ],
  [
    2,
    'a file outside of the project that must exist',
    side(
      'pipeline:\n  - {id: a, prompt: Do it., verify: {file: /nowhere/out.md}}\n  - {id: b, prompt: Do more.}\n',
    ),
    'obedient',
  ],
]

test.each(BAD)('level %i finds %s', async (level, _, files, code) => {
  const result = await tested(files, level)
  expect(result).toMatchObject({ code: 1, passed: false })
  const found = result.levels.find((one) => one.level === level)?.findings ?? []
  expect(found.map((one) => one.code)).toContain(code)
  expect(readdirSync(temporary)).toEqual([])
})

test('a plan that demands nothing is noted', async () => {
  const { levels } = await tested(STEPS, 2)
  expect(levels[2]?.notes).toHaveLength(1)
})

test.each([
  [['nothing'], 66],
  [['skills/flow', '--level', '3'], 64],
  [['skills', '--level', 'x'], 64],
])('%j exits by the table of errors', async (words, exit) => {
  put(STEPS)
  expect((await user.run(['skill', 'test', ...words])).code).toBe(exit)
})

test('a skill is found by its folder too, and a person reads one line for each level', async () => {
  put(STEPS)
  const { stdout } = await user.run(['skill', 'test', 'skills/flow', '--level', '0'])
  expect(stdout).toMatch(/^level 0 passed: steps 3, /)
})

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a test that is ended by %s leaves neither a folder nor a process',
  async (signal) => {
    put(GOOD['phases'] ?? {})
    const child = spawn(process.execPath, [ENTRY, 'skill', 'test', NAME], {
      cwd: user.project,
      env: { ...user.env, TMPDIR: temporary },
      stdio: 'ignore',
    })
    while (readdirSync(temporary).length === 0 || processesOf(user.folder).length < 2)
      await new Promise((soon) => setTimeout(soon, 20))
    child.kill(signal)
    await once(child, 'close')
    expect(readdirSync(temporary)).toEqual([])
    while (processesOf(user.folder).length > 0) await new Promise((soon) => setTimeout(soon, 20))
  },
)
