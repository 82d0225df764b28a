import { afterAll, describe, expect, test, vi } from 'vitest'
import { User } from '../holdfast.ts'
import { Scene } from './scene.ts'
import { type Files, PIPELINE as CONDITIONS, side, skill } from './skills.ts'

vi.setConfig({ testTimeout: 600_000 })

const user = new User()
afterAll(() => user[Symbol.asyncDispose]())

const PIPELINE = side('pipeline:\n  - {id: look, skill: inner, limit: 3}\n  - {id: end, prompt: End it.}\n')
const INNER: Files = {
  ...skill('inner'),
  '.claude/skills/inner/runbook.md': '## Step 1: Look\n\nDo it.\n\n## Step 2: Tell\n\nDo it.\n',
}

/** A pipeline whose first step has called its skill; returns the efforts of both. */
async function calling(inner: Files = INNER) {
  const it = new Scene(user, { ...PIPELINE, ...inner })
  await it.call('/flow')
  const outer = it.effort
  await it.good('step go look --effort EFFORT')
  await callInner(it)
  return { it, outer, inner: it.effort }
}

const callInner = (it: Scene) => it.use('Skill', { skill: 'inner' }, { success: true, commandName: 'inner' })

async function finishInner(it: Scene): Promise<void> {
  await it.good("step go 'Step 1' --effort EFFORT")
  await it.good('step done --effort EFFORT')
  await it.good('step done --effort EFFORT')
}

/** What the surfaces say about the pipeline. */
async function saidOf(it: Scene, outer: number): Promise<readonly string[]> {
  const texts: string[] = []
  for (const command of ['step --effort', 'recap --effort', 'session continue', 'pipeline next']) {
    await it.good(`${command} ${outer}`)
    texts.push(it.said)
  }
  await it.good('status')
  return [...texts, it.said]
}

describe('a step of a pipeline that called a skill', () => {
  test('says that the skill is finished and how to report it, also after a compaction and a restart', async () => {
    const { it, outer, inner } = await calling()
    await finishInner(it)
    const done = `holdfast step done look --effort ${outer}`
    const isTold = (texts: readonly string[]) => {
      expect(texts.map((text) => text.includes(done))).toEqual(texts.map(() => true))
      expect(texts.slice(0, 4).map((text) => text.includes(`/inner is finished (effort ${inner}).`))).toEqual(
        [true, true, true, true],
      )
      expect(texts.join('\n')).not.toContain('Call this skill')
    }
    isTold(await saidOf(it, outer))
    await it.fire('SessionStart', { source: 'compact' })
    isTold(await saidOf(it, outer))
    await it.fire('SessionEnd', { reason: 'other' })
    await it.fire('SessionStart', { source: 'resume' })
    isTold(await saidOf(it, outer))
    await it.good(`step done look --effort ${outer}`)
    expect(it.said).toContain('Do this: End it.')
  })

  test('says to go on with the skill while it is open', async () => {
    const { it, outer, inner } = await calling()
    await it.good(`step --effort ${outer}`)
    expect(it.said).toContain(
      `/inner is not finished (effort ${inner}). Go on with it: holdfast session continue ${inner}`,
    )
    expect(it.said).not.toContain('Call this skill')
    await it.good(`recap --effort ${outer}`)
    expect(it.said).toContain(`holdfast session continue ${inner}`)
    await it.good(`session continue ${inner}`)
    expect(it.said).toContain("holdfast step go 'Step 1'")
  })

  test('asks for it again after a failure, and after the skill was given up', async () => {
    const { it, outer, inner } = await calling()
    await it.good(`effort finish ${inner} --abandon 'it was the wrong one'`)
    await it.good(`step --effort ${outer}`)
    expect(it.said).toContain(`/inner was given up (effort ${inner}, it was the wrong one).`)
    expect(it.said).toContain('Call this skill: /inner')
    await it.good(`step fail look --effort ${outer} --reason 'it was given up'`)
    expect(it.said).toContain('Call this skill: /inner')
    expect(it.said).not.toContain('/inner was given up')
  })

  test('is not done while the skill is open: the refusal names its effort and how to go on', async () => {
    const { it, outer, inner } = await calling()
    for (const report of [
      `step done look --effort ${outer}`,
      `pipeline done ${outer} look`,
      `step go end --effort ${outer}`,
    ]) {
      const refused = await it.bad(report)
      expect(refused).toContain(`Step "look" has called /inner, and effort ${inner} is not finished.`)
      expect(refused).toContain(`holdfast session continue ${inner}`)
    }
    await it.good(`session continue ${inner}`)
    await finishInner(it)
    await it.good(`step done look --effort ${outer}`)
    expect(it.said).toContain('Do this: End it.')
  })

  test('is not done while the skill is parked, and says what the user can do', async () => {
    const limited = { ...INNER, ...side('steps: {Step 1: {limit: 1}}\n', 'inner') }
    const { it, outer, inner } = await calling({ ...INNER, ...limited })
    await it.good("step go 'Step 1' --effort EFFORT")
    await it.bad("step fail 'Step 1' --effort EFFORT --reason red")
    const refused = await it.bad(`step done look --effort ${outer}`)
    expect(refused).toContain(`Step "look" has called /inner, and effort ${inner} is parked: Limit reached`)
    expect(refused).toContain(`holdfast effort approve ${inner} 'Step 1' --reason '____'`)
    await it.good(`step fail look --effort ${outer} --reason 'it is parked'`)
  })

  test('that the user approves lets the parked skill go on too, with one approval', async () => {
    const limited = side('steps: {Step 1: {limit: 1}}\n', 'inner')
    const { it, outer, inner } = await calling({ ...INNER, ...limited })
    await it.good("step go 'Step 1' --effort EFFORT")
    await it.bad("step fail 'Step 1' --effort EFFORT --reason red")
    for (const reason of ['first', 'second', 'third'])
      await it.bad(`step fail look --effort ${outer} --reason ${reason}`)
    await it.good(`effort approve ${outer} look --reason 'once more'`)
    await it.good(`step go look --effort ${outer}`)
    await callInner(it)
    await it.good(`step go 'Step 1' --effort ${inner}`)
    await it.good(`step done 'Step 1' --effort ${inner}`)
    await it.good(`step done 'Step 2' --effort ${inner}`)
    await it.good(`step done look --effort ${outer}`)
    expect(it.said).toContain('Do this: End it.')
  })

  test('is not done before the skill was called, but may fail', async () => {
    const it = new Scene(user, { ...PIPELINE, ...INNER })
    await it.call('/flow')
    await it.good('step go look --effort EFFORT')
    const refused = await it.bad('step done look --effort EFFORT')
    expect(refused).toContain('Step "look" calls /inner, and nobody has called it yet. Call /inner first.')
    await it.good("step fail look --effort EFFORT --reason 'it cannot be called'")
    await callInner(it)
    await finishInner(it)
    await it.good('step done look')
  })

  test('says that a skill without a plan was called, whatever came of it', async () => {
    const { it, outer } = await calling(skill('inner'))
    await it.good(`step --effort ${outer}`)
    expect(it.said).toContain('/inner was already called; do not call it again if its work is done.')
    expect(it.said).toContain(`Then: holdfast step done look --effort ${outer}`)
  })
})

test.each(['step go make --effort EFFORT', 'effort phase EFFORT make'])(
  'a step with a condition does not end because another one starts by %s',
  async (start) => {
    const it = new Scene(user, side(CONDITIONS))
    await it.call('/flow')
    await it.good('step go look --effort EFFORT')
    const refused = await it.bad(start)
    expect(refused).toContain('Step "look" is done when')
    expect(refused).toContain(', and only its report ends it.')
    expect(refused).toContain(`holdfast step done look --effort ${it.effort} --verified '____'`)
    await it.good("step done look --effort EFFORT --verified 'I saw it'")
    const { current } = await it.ask<{ current: readonly string[] }>('step.show', { effort_id: it.effort })
    expect(current).toEqual(['make'])
  },
)

test('a step that calls a skill does not end because a phase is entered', async () => {
  const it = new Scene(user, { ...PIPELINE, ...INNER })
  await it.call('/flow')
  await it.good('step go look --effort EFFORT')
  expect(await it.bad('effort phase EFFORT end')).toContain('nobody has called it yet')
})
