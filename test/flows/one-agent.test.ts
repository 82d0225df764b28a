import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Effort } from '../../src/model/effort.ts'
import type { Session } from '../../src/model/session.ts'
import type { Span } from '../../src/model/span.ts'
import { Agent } from '../agent.ts'
import { SkilledUser } from '../skilled-user.ts'
import { NO_PHASE } from '../../src/rules/told/words.ts'

vi.setConfig({ testTimeout: 300_000 })

/** The form of the seeds' own skills: the task comes on stdin. */
const PARAMETERS = JSON.stringify({ taskSummary: 'Let users in', directoriesOfInterest: ['src'] })

test('an agent calls a skill, names its task, completes it and continues with the next skill in one window', async () => {
  await using user = await SkilledUser.arrive()
  const testing = user.put('src/.directives/TESTING.md', 'Test it.')
  const agent = new Agent(user, 'one')
  const windows = () => user.ask<Session[]>('db.session.find', { native_id: 'one' })
  expect(await agent.starts()).toBe('')
  const [window] = await windows()

  // The call starts the work in the current folder; naming the task replaces that.
  expect(await agent.hears('/brainstorm the login page')).toContain("step go '0: Setup' --effort 2")
  const begun = await agent.holdfast(['session', 'activate', 'tasks/login', 'brainstorm'], PARAMETERS)
  const [, id = ''] = /\(effort (\d+), 1_BRAINSTORM\)/.exec(begun.stdout) ?? []
  expect(begun.stdout).toContain(testing)
  expect(await windows()).toMatchObject([{ id: window?.id, effort_id: Number(id), ended_at: null }])

  // Tool calls count until the next log entry.
  await agent.holdfast(['session', 'phase', 'tasks/login', '0: Setup'])
  for (const command of ['ls', 'cat README.md']) await agent.uses('Bash', { command })
  expect(await windows()).toMatchObject([{ heartbeat_counter: 2 }])
  const logged = await agent.holdfast(
    ['log', 'tasks/login/BRAINSTORM_LOG.md'],
    '## Two ways\n\nOne is short.\n',
  )
  expect(logged.stdout).toBe(`${join(user.project, 'tasks/login/1_BRAINSTORM_LOG.md')}\n`)
  expect(readFileSync(logged.stdout.trim(), 'utf8')).toMatch(
    /^\n## \[[-\d]+ [:\d]+\] Two ways\n\nOne is short\.\n$/,
  )
  expect(await windows()).toMatchObject([{ heartbeat_counter: 0 }])

  await agent.holdfast(['session', 'phase', 'tasks/login', '1: Work'], '{"mode":"focused"}')
  user.put('tasks/login/1_BRAINSTORM.md', '# Debrief\n')
  expect(await agent.holdfast(['effort', 'finish', id, '--abandon', 'no longer needed'])).toMatchObject({
    code: 0,
  })

  expect(await agent.hears('/implement what we thought of')).toContain(NO_PHASE)
  const next = await agent.holdfast(['effort', 'start', 'tasks/login', 'implement'])
  expect(next.stdout).toContain(
    `of brainstorm, debrief: ${join(user.project, 'tasks/login/1_BRAINSTORM.md')}\n`,
  )
  await agent.holdfast(['session', 'phase', 'tasks/login', '0: Setup'])
  expect((await agent.holdfast(['status', '--line'])).stdout).toBe('[2:implement:P0]\n')
  expect(await windows()).toMatchObject([{ id: window?.id, ended_at: null }])
  const efforts = await user.ask<Effort[]>('db.effort.list', { task_id: join(user.project, 'tasks/login') })
  expect(efforts).toMatchObject([
    { id: Number(id), ordinal: 1, lifecycle: 'finished', current_phase: '1: Work' },
    { ordinal: 2, skill: 'implement', lifecycle: 'active', current_phase: '0: Setup' },
  ])
  const spans = await user.ask<Span[]>('span.list', { session_id: 'one' })
  expect(spans.filter(({ status }) => status !== 'completed')).toMatchObject([
    { skill: 'implement', effort_id: efforts[1]?.id },
  ])
})
