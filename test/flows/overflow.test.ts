import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Session } from '../../src/model/session.ts'
import { Agent } from '../agent.ts'
import { SkilledUser } from '../skilled-user.ts'
import { currentPhase } from '../../src/rules/told/words.ts'

vi.setConfig({ testTimeout: 300_000 })

/** An agent in the first phase of a skill, on a task outside of its window's folder. */
async function atWork() {
  const user = await SkilledUser.arrive()
  onTestFinished(() => user[Symbol.asyncDispose]())
  const agent = new Agent(user, 'one')
  await agent.starts()
  await agent.holdfast(['effort', 'start', 'tasks/login', 'implement'])
  await agent.holdfast(['session', 'phase', 'tasks/login', '0: Setup'])
  const windows = () => user.ask<Session[]>('db.session.find', { open: true })
  const [window] = await windows()
  return { user, agent, windows, window, effort: window?.effort_id ?? 0 }
}

test('after a full context, the next window gets its handover note, its phase and its files', async () => {
  const { user, agent, windows, window, effort } = await atWork()
  const kept = user.put('src/login.ts', 'half a parser')
  const left = {
    summary: 'Half of the parser',
    nextSteps: ['Write the other half'],
    requiredFiles: ['src/login.ts', 'src/gone.ts'],
  }
  expect(await agent.holdfast(['session', 'dehydrate', 'tasks/login'], JSON.stringify(left))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('holdfast session continue'),
  })
  await agent.ends('clear')
  expect(await windows()).toEqual([])

  // A new window gets the waiting efforts and the command that works.
  const next = new Agent(user, 'two')
  const told = await next.starts('clear')
  expect(told).toMatch(/^- effort \d+ of implement, 0: Setup, \d+ (s|min) ago: /m)
  const [, command = ''] = /: holdfast (session continue .*)$/m.exec(told) ?? []
  const on = await next.holdfast(command.split(' '))
  expect(on.stdout).toContain(`(effort ${effort}, 1_IMPLEMENT)\n`)
  for (const part of ['Phase: 0: Setup', 'Half of the parser', '- Write the other half', `- ${kept}\n`])
    expect(on.stdout).toContain(part)
  expect(on.stdout).toContain(`- ${join(user.project, 'src/gone.ts')} (missing)`)
  expect(await windows()).toMatchObject([
    { native_id: 'two', effort_id: effort, prev_session_id: window?.id },
  ])
  const moved = await next.holdfast(['session', 'phase', 'tasks/login', '1: Work'], '{"mode":"tdd"}')
  expect(moved.stdout).toContain('Phase: 1: Work')
})

test('a reopened window continues as before, unless its work was resumed elsewhere', async () => {
  const { user, agent, windows, window, effort } = await atWork()
  // The client dies during a call, without an end event.
  await agent.begins('Bash', { command: 'npm publish' })
  const told = await agent.starts('resume')
  expect(told).toContain(currentPhase('0: Setup'))
  expect(told).toContain('npm publish')
  expect(await windows()).toMatchObject([
    { native_id: 'one', effort_id: effort, prev_session_id: window?.id },
  ])
  const on = await agent.holdfast(['session', 'continue'])
  expect(on.stdout).toContain(`(effort ${effort}, 1_IMPLEMENT)\n`)
  expect(await windows()).toHaveLength(1)

  await agent.ends('other')
  const next = new Agent(user, 'two')
  await next.starts()
  await next.holdfast(['session', 'continue', 'tasks/login'])
  await agent.starts('resume')
  const served = new Map((await windows()).map(({ native_id, effort_id }) => [native_id, effort_id]))
  expect(served.get('two')).toBe(effort)
  expect(served.get('one')).not.toBe(effort)
  const refused = await agent.holdfast(['session', 'continue', 'tasks/login'])
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`effort ${effort} (implement) by session`),
  })
})
