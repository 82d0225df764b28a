import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Effort } from '../../src/model/effort.ts'
import type { Session } from '../../src/model/session.ts'
import { Agent } from '../agent.ts'
import { SkilledUser } from '../skilled-user.ts'
import { inOurVoice } from '../../src/model/text/voice.ts'
import { needs, productOf } from '../../src/rules/told/words.ts'

vi.setConfig({ testTimeout: 300_000 })

const DIR = 'tasks/login'

interface Started extends Effort {
  readonly log: string
}

// INV_AGENT_OWNS_EFFORT
test('three agents work on one task with three efforts and do not disturb each other, even with a full context', async () => {
  await using user = await SkilledUser.arrive()
  const crew = ['ada', 'bob', 'cy'].map((name) => ({ name, agent: new Agent(user, `window-${name}`) }))
  const [ada, bob, cy] = crew
  if (ada === undefined || bob === undefined || cy === undefined) throw new Error('They are three.')
  const start = async ({ name, agent }: typeof ada, skill: string): Promise<Started> => {
    const begun = await agent.holdfast(['--json', 'effort', 'start', DIR, skill, '--agent', name])
    return JSON.parse(begun.stdout) as Started
  }
  await Promise.all(
    crew.map(async ({ name, agent }) => {
      await agent.starts()
      await user.ask('db.agents.register', { id: name })
    }),
  )
  const [thought, built, shipped] = await Promise.all([
    start(ada, 'brainstorm'),
    start(bob, 'implement'),
    start(cy, 'deploy'),
  ])
  expect(new Set([thought, built, shipped].map(({ ordinal }) => ordinal))).toEqual(new Set([1, 2, 3]))

  // Each has its own phase or step and its own log, and the folder means its own effort.
  const step = (name: string) => ({
    file_path: join(user.project, '.claude/skills/deploy/steps', `${name}.md`),
  })
  const [, , early, browsing] = await Promise.all([
    ada.agent.holdfast(['session', 'phase', DIR, '0: Setup']),
    bob.agent.holdfast(['session', 'phase', DIR, '0: Setup']),
    cy.agent.uses('Read', step('ship')),
    ada.agent.uses('Read', step('ship')),
  ])
  expect(early).toContain(inOurVoice(needs('ship', productOf('bundle', ['build']))))
  expect(browsing).toBe('')
  expect(await cy.agent.uses('Read', step('build'))).toBe('')
  await Promise.all(crew.map(({ name, agent }) => agent.holdfast(['log', `By ${name}`])))
  for (const [index, { log }] of [thought, built, shipped].entries())
    expect(readFileSync(log, 'utf8')).toMatch(new RegExp(`^\\n## .* By ${crew[index]?.name}\\n$`))
  expect((await user.json<object[]>(['fleet'])).toSorted(byAgent)).toMatchObject([
    { agent: 'ada', state: 'working', status: expect.stringMatching(/brainstorm:P0\]$/) },
    { agent: 'bob', state: 'working', status: expect.stringMatching(/implement:P0\]$/) },
    { agent: 'cy', state: 'working', status: expect.stringMatching(/deploy:build\]$/) },
  ])

  // No agent gets what belongs to another.
  const stolen = await ada.agent.holdfast(['agent', 'claim', 'ada', String(built.id)])
  expect(stolen).toMatchObject({ code: 1 })
  const twice = await cy.agent.holdfast(['effort', 'start', DIR, 'implement', '--agent', 'cy'])
  expect(twice).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`cy already owns effort ${shipped.id}`),
  })

  const open = () => user.ask<Session[]>('db.session.find', { task_id: join(user.project, DIR), open: true })
  const before = await open()
  const left = JSON.stringify({ summary: 'Half of the parser' })
  const kept = await bob.agent.holdfast(['session', 'dehydrate', DIR], left)
  expect(kept).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`next session of effort ${built.id}.`),
  })
  await bob.agent.ends()
  const next = { name: 'bob', agent: new Agent(user, 'window-of-bob') }
  // The effort does not wait for other agents: it is still bob's.
  const told = await next.agent.starts('clear')
  expect(told).toContain('; in use by agent bob.')
  expect(told).not.toContain('session continue')
  const on = await next.agent.holdfast(['session', 'continue', '--agent', 'bob'])
  expect(on.stdout).toContain('Half of the parser')
  expect(on.stdout).toContain('Phase: 0: Setup')
  const after = await open()
  const others = (windows: readonly Session[]) =>
    windows.filter(({ agent_id }) => agent_id !== 'bob').map(lasting)
  expect(others(after)).toEqual(others(before))
  expect(after.filter(({ agent_id }) => agent_id === 'bob')).toMatchObject([
    { native_id: 'window-of-bob', effort_id: built.id },
  ])

  // An agent that has finished is free for the next skill, and the task continues.
  await ada.agent.holdfast(['effort', 'finish', String(thought.id), '--abandon', 'no longer needed'])
  expect(await start(ada, 'test')).toMatchObject({ ordinal: 4, agent_id: 'ada' })
  const efforts = await user.ask<Effort[]>('db.effort.list', { task_id: join(user.project, DIR) })
  const owners = efforts.filter(({ lifecycle }) => lifecycle === 'active').map(({ agent_id }) => agent_id)
  expect(new Set(owners)).toEqual(new Set(['ada', 'bob', 'cy']))
})

const byAgent = (a: object, b: object) => JSON.stringify(a).localeCompare(JSON.stringify(b))

/** A window without its heartbeats. */
const lasting = ({ id, native_id, effort_id, ended_at }: Session) => ({ id, native_id, effort_id, ended_at })
