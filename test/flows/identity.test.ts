import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Agent } from '../../src/model/agent.ts'
import type { Session } from '../../src/model/session.ts'
import { command, keyOf, PIPES, type Route } from '../hook-routes.ts'
import { User } from '../holdfast.ts'

vi.setConfig({ testTimeout: 120_000 })

/** As a client sends it that resolves the one variable and not the other. */
const http: Route = async (user, body) => {
  const { port, token } = keyOf(user)
  const headers = {
    'Content-Type': 'application/json',
    Authorization: `Bearer ${token}`,
    'Holdfast-Agent': '${HOLDFAST_AGENT}',
    'Holdfast-Pane': user.env['FLEET_PANE'] ?? '',
  }
  const answer = await fetch(`http://127.0.0.1:${port}/hook/claude-code`, { method: 'POST', headers, body })
  return { code: 0, stdout: await answer.text(), stderr: '' }
}

test('the agent of a client arrives by every route of its hooks', async () => {
  await using user = new User({ FLEET_PANE: 'work:fox' })
  mkdirSync(join(user.project, '.git'))
  for (const [name, route] of Object.entries({ command, ...PIPES, http })) {
    const payload = { session_id: name, cwd: user.project, hook_event_name: 'UserPromptSubmit', prompt: 'Hi' }
    await route(user, JSON.stringify(payload))
    const found = await user.json<readonly Session[]>(['session', 'find', '--native-id', name])
    expect([name, found[0]?.agent_id]).toEqual([name, 'work:fox'])
  }
})

test('commands of an agent are about its own work, and an agent that only they know is registered', async () => {
  await using user = new User()
  mkdirSync(join(user.project, '.git'))
  await user.json(['skill', 'new', 'ship', '--notation', 'steps'])
  const as = (agent: string) => ({ env: { HOLDFAST_AGENT: agent } })
  const start = (dir: string, agent: string) =>
    user.json<{ id: number; session: Session }>(['effort', 'start', dir, 'ship'], as(agent))
  const [fox, owl] = [await start('one', 'fox'), await start('two', 'owl')]
  expect(fox.session).toMatchObject({ agent_id: 'fox', effort_id: fox.id })
  const logged = await user.json<{ effort_id: number }>(['log', 'Seen'], as('owl'))
  expect(logged.effort_id).toBe(owl.id)
  const agents = await user.json<readonly Agent[]>(['agent', 'list'])
  expect(agents.map(({ id, effort_id }) => [id, effort_id])).toEqual([
    ['fox', fox.id],
    ['owl', owl.id],
  ])
  // A typed name is not registered, because it may be a typing error.
  const typed = await user.run(['log', 'x', '--agent', 'fix'], as('fox'))
  expect(typed).toMatchObject({ code: 66, stderr: expect.stringContaining('holdfast agent register fix') })
  await user.json(['effort', 'finish', String(fox.id), '--abandon', 'no longer needed'])
  const over = await user.run(['session', 'continue'], as('fox'))
  expect(over).toMatchObject({ code: 1, stdout: expect.stringContaining('is finished') })
  const shown = await user.run(['session', 'continue'])
  expect(shown.stdout).toContain('shown only, nothing changed; agent owl has it')
  expect(shown.stdout).toContain(`holdfast agent release owl && holdfast session continue ${owl.id} --take`)
})

test('commands that move an effort refuse the effort of another session, but never the user', async () => {
  await using user = new User()
  mkdirSync(join(user.project, '.git'))
  await user.json(['skill', 'new', 'ship', '--notation', 'phases'])
  const as = (session: string) => ({ env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session } })
  const { id } = await user.json<{ id: number }>(['effort', 'start', 'one', 'ship'], as('mine'))
  const effort = String(id)
  for (const words of [
    ['step', 'go', '--effort', effort],
    ['step', 'done', '--effort', effort],
    ['step', 'fail', '--effort', effort, '--reason', 'no'],
    ['effort', 'phase', effort, '1'],
    ['effort', 'finish', effort, '--abandon', 'no'],
  ]) {
    const refused = await user.run(words, as('theirs'))
    expect([words, refused.code]).toEqual([words, 1])
    expect(refused.stderr).toContain(`holdfast session continue ${effort} --take`)
  }
  expect(await user.run(['step', 'go', '--effort', effort], as('mine'))).toMatchObject({ code: 0 })
  expect(await user.run(['effort', 'finish', effort, '--abandon', 'no'])).toMatchObject({ code: 0 })
})
