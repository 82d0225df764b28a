import { afterAll, describe, expect, test, vi } from 'vitest'
import { User } from '../holdfast.ts'
import { Scene } from './scene.ts'
import { type Files, side, skill } from './skills.ts'

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

  test('says that a skill without a plan was called, whatever came of it', async () => {
    const { it, outer } = await calling(skill('inner'))
    await it.good(`step --effort ${outer}`)
    expect(it.said).toContain('/inner was already called; do not call it again if its work is done.')
    expect(it.said).toContain(`Then: holdfast step done look --effort ${outer}`)
  })
})
