import { afterAll, describe, expect, test, vi } from 'vitest'
import { User } from '../holdfast.ts'
import { Scene } from './scene.ts'
import { type Files, S, side, skill, step } from './skills.ts'

vi.setConfig({ testTimeout: 600_000 })

const user = new User()
afterAll(() => user[Symbol.asyncDispose]())

const FOLDER = '.claude/skills/flow'

interface Failing {
  readonly files: Files
  /** The step that fails, as commands and sentences name it. */
  readonly name: string
  /** The last step. */
  readonly last: string
  readonly start?: (it: Scene) => Promise<unknown>
}

/** A step that may be tried three times, in each notation. */
const NOTATIONS: Readonly<Record<string, Failing>> = {
  phases: {
    files: side('phases:\n  - {label: "1", name: Build, limit: 3}\n  - {label: "2", name: End}\n'),
    name: '1',
    last: '2',
  },
  headings: {
    files: {
      ...side('proof: {"2": [end]}\nsteps: {"1": {limit: 3}}\n'),
      [`${FOLDER}/SKILL.md`]:
        '---\nname: flow\ndescription: Does it.\n---\n\n## Phase 1: Build\n\nDo it.\n\n## Phase 2: End\n\nDo it.\n',
    },
    name: '1',
    last: '2',
  },
  'sub-phases': {
    files: side(
      'phases:\n  - {label: "1", name: Plan}\n  - {label: "1.1", name: Build, limit: 3}\n  - {label: "2", name: End}\n',
    ),
    name: '1.1',
    last: '2',
    start: async (it) => {
      await it.good('step go 1 --effort EFFORT')
      await it.good('step go 1.1 --effort EFFORT')
    },
  },
  runbook: {
    files: {
      ...side('steps: {Step 1: {limit: 3}}\n'),
      [`${FOLDER}/runbook.md`]: '## Step 1: Build\n\nDo it.\n\n## Step 2: End\n\nDo it.\n',
    },
    name: 'Step 1',
    last: 'Step 2',
  },
  pipeline: {
    files: side('pipeline:\n  - {id: build, prompt: Build it., limit: 3}\n  - {id: end, prompt: End it.}\n'),
    name: 'build',
    last: 'end',
  },
  'step files': {
    files: {
      ...skill('flow'),
      [`${S}/build.md`]: step('consumes: [user-request]\nproduces: [thing]\nlimit: 3'),
      [`${S}/end.md`]: step('consumes: [thing]\nproduces: [end]'),
    },
    name: 'build',
    last: 'end',
    start: (it) => it.read(`${S}/build.md`),
  },
}

async function failed({ files, name, start }: Failing) {
  const it = new Scene(user, files)
  await it.call('/flow')
  await (start === undefined ? it.good(`step go '${name}' --effort EFFORT`) : start(it))
  await it.good(`step fail '${name}' --effort EFFORT --reason 'two tests fail'`)
  return it
}

const SURFACES = ['step --effort EFFORT', 'recap --effort EFFORT', 'session continue EFFORT', 'status']

/** What each command prints, by command. */
async function told(it: Scene, commands: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  const texts: [string, string][] = []
  for (const command of commands) {
    await it.bad(command)
    texts.push([command, it.said])
  }
  return texts
}

/** The same texts, if each of them has this. */
const having = (texts: readonly (readonly [string, string])[], part: string) =>
  texts.map(([command]) => [command, expect.stringContaining(part)])

describe.each(Object.entries(NOTATIONS))('a failed step of %s', (kind, notation) => {
  const { name } = notation
  const failure = `Step "${name}" failed (two tests fail), try 1 of 3.`

  test('is told as failed, with its reason and its try, wherever progress is told', async () => {
    const it = await failed(notation)
    expect(it.said).toContain(failure)
    const texts = await told(it, SURFACES)
    expect(texts).toEqual(having(texts, failure))
  })

  test('is to be done again', async () => {
    const it = await failed(notation)
    const texts = await told(it, ['step --effort EFFORT', 'recap --effort EFFORT'])
    expect(texts).toEqual(having(texts, `${failure} Do it again.`))
  })

  test('is told no more once it is done', async () => {
    const it = await failed(notation)
    await again(it, kind)
    await it.good(`step done '${name}' --effort EFFORT`)
    expect(it.said).not.toContain('two tests fail')
    await it.good('recap --effort EFFORT')
    expect(it.said).not.toContain('two tests fail')
  })

  test('at its limit says how often it failed and why, and that the plan is parked', async () => {
    const it = await failed(notation)
    for (const reason of ['still red', 'red to the end']) {
      await again(it, kind)
      await it.bad(`step fail '${name}' --effort EFFORT --reason '${reason}'`)
    }
    const texts = await told(it, SURFACES)
    for (const part of [
      `Step "${name}" failed (red to the end), try 3 of 3.`,
      'arked: ',
      'only the user can run',
    ])
      expect(texts).toEqual(having(texts, part))
    expect(texts.join('\n')).not.toContain('Do it again')
  })
})

test.each(Object.entries(NOTATIONS))(
  'a failed step of %s fails again without being started again, up to its limit and after an approval',
  async (_, notation) => {
    const it = await failed(notation)
    const fail = (reason: string) =>
      it.bad(`step fail '${notation.name}' --effort EFFORT --reason '${reason}'`)
    await fail('still red')
    await it.bad('step --effort EFFORT')
    expect(it.said).toContain(`Step "${notation.name}" failed (still red), try 2 of 3.`)
    await fail('red to the end')
    await it.bad('step --effort EFFORT')
    expect(it.said).toContain(`Step "${notation.name}" failed (red to the end), try 3 of 3.`)
    expect(it.said).toContain('parked')
    await it.good(`effort approve EFFORT '${notation.name}' --reason 'once more'`)
    await fail('red after all')
    await it.bad('step --effort EFFORT')
    expect(it.said).toContain(`Step "${notation.name}" failed (red after all), try 4.`)
    expect(it.said).toContain('parked')
  },
)

test.each(Object.entries(NOTATIONS))(
  'a failed step of %s that the user passed by an approval is waived: the plan ends, and every check agrees',
  async (kind, notation) => {
    const { name, last } = notation
    const it = await failed(notation)
    for (const reason of ['still red', 'red to the end'])
      await it.bad(`step fail '${name}' --effort EFFORT --reason '${reason}'`)
    await it.good(`effort approve EFFORT '${last}' --reason 'go on without it'`)
    await it.good(`step go '${last}' --effort EFFORT`)
    await it.good(
      `step done '${last}' --effort EFFORT${kind === 'headings' ? ` --proof '{"end": "seen"}'` : ''}`,
    )
    const shown = await it.ask<{ status: string; steps: readonly { label: string; state: string }[] }>(
      'step.show',
      { effort_id: it.effort },
    )
    expect(shown.status).toBe('finished')
    expect(shown.steps.find(({ label }) => label === name)?.state).toBe('waived')
    expect(await it.bad('effort validate EFFORT')).toBeUndefined()
  },
)

test('phases that an outcome of the plan leaves out are not missed', async () => {
  const it = new Scene(
    user,
    side(
      'phases:\n  - {label: "1", name: Draft}\n  - {label: "2", name: Judge, next: {ok: "3", drop: end}}\n  - {label: "3", name: Publish}\n',
    ),
  )
  await it.call('/flow')
  await it.good('step go 1 --effort EFFORT')
  await it.good('step done --effort EFFORT')
  await it.good('step done 2 --outcome drop --effort EFFORT')
  expect(it.said).toContain('finished')
  expect(await it.bad('effort validate EFFORT')).toBeUndefined()
})

/** A step in a file starts again when it is read. */
async function again(it: Scene, kind: string): Promise<void> {
  if (kind === 'step files') await it.read(`${S}/build.md`)
}

test.each(['phases', 'headings', 'sub-phases', 'runbook'])(
  'a failed step of %s names the report of another failure',
  async (kind) => {
    const it = await failed(NOTATIONS[kind] ?? { files: {}, name: '', last: '' })
    const texts = await told(it, ['step --effort EFFORT', 'recap --effort EFFORT', 'effort show EFFORT'])
    expect(texts).toEqual(
      texts.map(([command]) => [command, expect.stringMatching(/holdfast step fail .* --reason '____'/)]),
    )
  },
)
