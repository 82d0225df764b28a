import { afterAll, describe, expect, test, vi } from 'vitest'
import { User } from '../holdfast.ts'
import { Scene } from './scene.ts'
import { type Files, S, side, skill, step } from './skills.ts'

vi.setConfig({ testTimeout: 600_000 })

const user = new User()
afterAll(() => user[Symbol.asyncDispose]())

const FOLDER = '.claude/skills/flow'

async function begun(files: Files): Promise<Scene> {
  const it = new Scene(user, files)
  await it.call('/flow')
  return it
}

/** What a command prints, whether it succeeds or not. */
async function said(it: Scene, command: string): Promise<string> {
  return (await it.bad(command)) ?? it.said
}

describe('a parked plan', () => {
  const files = side('phases:\n  - {label: "1", name: Build, limit: 1}\n  - {label: "2", name: End}\n')
  const parked = async (): Promise<Scene> => {
    const it = await begun(files)
    await it.good('step go 1 --effort EFFORT')
    await it.bad("step fail 1 --effort EFFORT --reason 'it is red'")
    return it
  }
  const COMMANDS = [
    'step --effort EFFORT',
    'step go 2 --effort EFFORT',
    'step go --effort EFFORT',
    'step done --effort EFFORT',
    "effort phase EFFORT '2: End'",
    'effort finish EFFORT',
    'effort show EFFORT',
    'recap --effort EFFORT',
    'status',
    'why',
  ]

  test('says so and that only the user can go on, wherever it is told', async () => {
    const it = await parked()
    for (const command of COMMANDS) {
      const text = await said(it, command)
      expect(text).toMatch(/\bparked\b/i)
      expect(text).toContain(`holdfast effort approve ${it.effort} 1 --reason '____'`)
      expect(text).toContain('only the user can run')
      expect(text).not.toContain('what shows it')
      expect(text).not.toMatch(/blocked/i)
    }
    expect(await said(it, 'status --line')).toContain(':parked]')
  })

  test('names the step that the user has approved already, and no other approval', async () => {
    const it = await begun(files)
    await it.good("effort approve EFFORT 2 --reason 'skip the build'")
    await it.good('step go 1 --effort EFFORT')
    await it.bad("step fail 1 --effort EFFORT --reason 'it is red'")
    for (const command of [
      'step --effort EFFORT',
      'step go 1 --effort EFFORT',
      "effort phase EFFORT '1: Build'",
    ]) {
      const text = await said(it, command)
      expect(text).toContain(`holdfast step go '2: End' --effort ${it.effort}`)
      expect(text).not.toContain('effort approve')
      expect(text).not.toContain('only the user')
    }
    await it.good('step go 2 --effort EFFORT')
  })

  test('of a pipeline is called parked too', async () => {
    const it = await begun(
      side('pipeline:\n  - {id: build, prompt: Build it., limit: 1}\n  - {id: end, prompt: End.}\n'),
    )
    await it.good('step go build --effort EFFORT')
    await it.bad('step fail build --effort EFFORT --reason red')
    expect(await said(it, 'pipeline')).toMatch(/ parked /)
    for (const command of ['pipeline --continue', 'pipeline next EFFORT', 'pipeline status EFFORT']) {
      const text = await said(it, command)
      expect(text).toContain('parked')
      expect(text).not.toContain('blocked')
      expect(text).toContain('only the user can run')
    }
  })
})

describe('an optional end', () => {
  const ENDS: Readonly<Record<string, Files>> = {
    phases: side('phases:\n  - {label: "1", name: Make}\n  - {label: "2", name: Tell, optional: true}\n'),
    runbook: {
      ...skill('flow'),
      [`${FOLDER}/runbook.md`]: '## Step 1: Make\n\n## Step 2: Tell (optional)\n',
    },
    pipeline: side(
      'pipeline:\n  - {id: make, prompt: Make.}\n  - {id: tell, prompt: Tell., optional: true}\n',
    ),
    'step files': {
      ...skill('flow'),
      [`${S}/make.md`]: step('consumes: [user-request]\nproduces: [thing]'),
      [`${S}/tell.md`]: step('consumes: [thing]\nproduces: [news]\noptional: true'),
    },
  }

  test.each(Object.entries(ENDS))('of %s has one way on, and says what is optional', async (_, files) => {
    const it = await begun(files)
    if (files[`${S}/make.md`] === undefined) await it.good('step go --effort EFFORT')
    else await it.read(`${S}/make.md`)
    await it.good('step done --effort EFFORT')
    await it.good('step --effort EFFORT')
    expect(it.said.match(/^next: .*$/gm)).toEqual([`next: holdfast effort finish ${it.effort}`])
    expect(it.said).toMatch(/^optional: /m)
    expect(it.said).toMatch(/^to leave it out: holdfast step skip /m)
    await it.good('recap --effort EFFORT')
    expect(it.said).toContain(`Every required step is done. Run: holdfast effort finish ${it.effort}`)
    expect(it.said).toMatch(/Optional: /)
    expect(it.said).not.toMatch(/^Next: /m)
  })
})

describe('a finished effort', () => {
  const files = { ...skill('flow'), [`${FOLDER}/runbook.md`]: '## Step 1: Make\n\n' }

  test('is shown as finished with its result, and a new start only after that', async () => {
    const it = await begun(files)
    await it.good('step go --effort EFFORT')
    await it.good('step done --effort EFFORT')
    for (const command of ['step', 'step flow', 'step --effort EFFORT']) {
      await it.good(command)
      expect(it.said).toMatch(/^Step 1 +Make +completed/m)
      expect(it.said).toMatch(/^Effort \d+ is finished: its plan was carried out .*ago\.$/m)
      expect(it.said).toMatch(/^To begin it anew, if the user asks: holdfast effort start /m)
    }
    const refused = await it.bad('step done')
    expect(refused).toContain('is finished. Begin it anew only if the user asks.')
  })

  test('that was given up says so, with the reason', async () => {
    const it = await begun(files)
    await it.good("effort finish EFFORT --abandon 'the user changed their mind'")
    await it.good('step --effort EFFORT')
    expect(it.said).toMatch(
      /^Effort \d+ is finished: it was given up .*ago \(the user changed their mind\)\.$/m,
    )
  })
})

test('the older spelling of a move shows the text of a step in a file, because that counts as reading it', async () => {
  const it = await begun({
    ...skill('flow'),
    [`${S}/look.md`]: step('consumes: [user-request]\nproduces: [view]'),
  })
  await it.good('effort phase EFFORT look')
  expect(it.said).toContain('Then that.')
})

test('the older spelling of a move says where any other plan stands', async () => {
  const it = await begun({
    ...skill('flow'),
    [`${FOLDER}/runbook.md`]: '## Step 1: Make\n\n## Step 2: Tell\n',
  })
  await it.good("effort phase EFFORT 'Step 1'")
  expect(it.said).toContain(`next: holdfast step done 'Step 1' --effort ${it.effort}`)
})

test('an outcome that a plan does not know is an error that names those it knows, not a failure', async () => {
  const it = await begun({
    ...skill('flow'),
    [`${S}/look.md`]: step('consumes: [user-request]\nproduces: [view]'),
  })
  await it.read(`${S}/look.md`)
  const refused = await it.bad('step done look --effort EFFORT --outcome banana')
  expect(refused).toContain('has no next step for the outcome "banana". It has: ok, fail.')
  const { steps } = await it.ask<{ steps: readonly { state: string }[] }>('step.show', {
    effort_id: it.effort,
  })
  expect(steps).toMatchObject([{ state: 'started' }])
})
