import { expect, test } from 'vitest'
import type { HookEvent, ToolCall } from '../../model/event.ts'
import { forgetAgentCall, noteAgentCall, wasByAgent } from './agent-calls.ts'

let sessions = 0
/** A session in a folder of its own, and whether a file there that changes now counts as its edit. */
function agentAt() {
  const session = `calls-${++sessions}`
  const cwd = `/calls/${session}`
  const fire = (happening: object) => noteAgentCall({ client: 'c', session, cwd, ...happening } as HookEvent)
  const isAgents = (root = cwd, folder = `${root}/skills/a`) => wasByAgent(Date.now(), { root, folder })
  return { session, cwd, fire, isAgents }
}
const command = (text = 'make', id = 'one'): ToolCall => ({
  id,
  name: 'Bash',
  does: { kind: 'command', command: text },
  input: null,
})
const before = (tool: ToolCall) => ({ kind: 'tool.before', tool })
const after = (tool: ToolCall, more: object = {}) => ({
  kind: 'tool.after',
  tool: { ...tool, ended: true, ...more },
})
/** Our clock counts milliseconds, so an end counts from the next one on. */
const tick = async () => {
  for (const from = Date.now(); Date.now() <= from;) await new Promise((resolve) => setImmediate(resolve))
}

test.each([
  ['its end', after(command())],
  ['its failure', { kind: 'tool.failed', tool: command() }],
  ['its denial', { kind: 'permission.denied', tool: command() }],
  ['the end of its batch', { kind: 'tool.batch', tools: [command()] }],
  ['the next prompt', { kind: 'prompt.submitted', text: '', by: 'user' }],
  ['the end of the turn', { kind: 'turn.stopped' }],
  ['the end of the session', { kind: 'session.ended' }],
])('a command counts until %s', async (_, end) => {
  const { fire, isAgents } = agentAt()
  fire(before(command()))
  expect(isAgents()).toBe(true)
  fire(end)
  await tick()
  expect(isAgents()).toBe(false)
})

test('a command in the background counts until the session ends', async () => {
  const { fire, isAgents } = agentAt()
  fire(before(command()))
  for (const event of [after(command(), { ended: false, goesOn: true }), { kind: 'turn.stopped' }])
    fire(event)
  expect(isAgents()).toBe(true)
  fire({ kind: 'session.ended' })
  await tick()
  expect(isAgents()).toBe(false)
})

test('calls that only read, and calls that were refused, do not count', () => {
  const { fire, isAgents, session, cwd } = agentAt()
  const read: ToolCall = {
    id: 'r',
    name: 'Read',
    does: { kind: 'files', touches: [{ path: '/x', how: 'read' }] },
    input: null,
  }
  fire(before(read))
  expect(isAgents()).toBe(false)
  fire(before(command()))
  forgetAgentCall({ client: 'c', session, cwd, ...before(command()) } as HookEvent)
  expect(isAgents()).toBe(false)
})

test('a call elsewhere counts if it names the checkout, or if the skill lies outside of it', () => {
  const { fire, isAgents } = agentAt()
  fire(before(command('sed -i s/a/b/ /calls/other/skills/a/SKILL.md')))
  expect([isAgents('/calls/other'), isAgents('/calls/third')]).toEqual([true, false])
  expect(isAgents('/calls/third', '/home/me/.claude/skills/a')).toBe(true)
})

test('a call whose input is nested too deep to read may name any folder', () => {
  const { fire, isAgents } = agentAt()
  const input = Array.from({ length: 50_000 }).reduce<unknown>((inner) => [inner], 1)
  fire(before({ id: 'd', name: 'mcp__x__y', does: { kind: 'other' }, input }))
  expect([isAgents(), isAgents('/calls/anywhere')]).toEqual([true, true])
  // A call in memory would count for the other tests too.
  fire({ kind: 'session.ended' })
})

test('an edit before or long after a call is not its edit', () => {
  const { cwd, fire } = agentAt()
  fire(before(command()))
  const at = (offset: number) => wasByAgent(Date.now() + offset, { root: cwd, folder: cwd })
  expect([at(-1000), at(0), at(4_000_000)]).toEqual([false, true, false])
})
