import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { HookedClient } from '../hooked-client.ts'
import { SkilledUser } from '../skilled-user.ts'

vi.setConfig({ testTimeout: 300_000 })

const SHIP = '.claude/skills/deploy/steps/ship.md'
const FREE = '---\nconsumes: [user-request]\n---\n'

/** A window at a level with an effort of the skill `deploy`, whose second step is not due. */
async function windowAt(level: string) {
  const user = await SkilledUser.arrive()
  onTestFinished(() => user[Symbol.asyncDispose]())
  await user.json(['enforce', level])
  const client = new HookedClient(user, 'one', { patient: true })
  await client.fire('SessionStart', { source: 'startup' })
  await client.fire('UserPromptSubmit', { prompt: '/deploy it' })
  const [effort] = await user.json<{ id: number }[]>(['effort', 'find-active'])
  const id = String(effort?.id)
  const told: string[] = []
  const use = async (tool_name: string, tool_input: object, act: () => void = () => undefined) => {
    const call = { tool_name, tool_input, tool_use_id: crypto.randomUUID() }
    const before = await client.fire('PreToolUse', call)
    told.push(before.context)
    if (before.refusals.length > 0) return before
    act()
    const after = await client.fire('PostToolUse', { ...call, tool_response: {} })
    told.push(after.context)
    return after
  }
  const ship = join(user.project, SHIP)
  const isRefused = async () => (await use('Read', { file_path: ship })).refusals.length > 0
  const waiting = async () =>
    (await user.json<{ plan_edit: string | null }>(['effort', 'show', id])).plan_edit
  /** The line about the edit, once the daemon has noticed it. */
  const noticed = () => vi.waitUntil(waiting, { timeout: 60_000, interval: 100 })
  return { user, client, id, use, told, ship, isRefused, waiting, noticed }
}

test('an edit by the agent does not loosen its effort until the user accepts it', async () => {
  const { user, client, id, use, told, ship, isRefused, noticed } = await windowAt('enforce')
  expect(await isRefused()).toBe(true)
  await use('Write', { file_path: ship, content: FREE }, () => user.put(SHIP, FREE))
  const line = await noticed()
  expect(line).toContain(`changes ship. Effort ${id} keeps the plan that it has.`)
  expect(await isRefused()).toBe(true)
  await use('Bash', { command: 'ls' })
  // The first hook after the daemon has noticed the edit tells it, and that may be the hook of the edit.
  expect(told.filter((context) => context.includes(`holdfast effort accept ${id}`))).toHaveLength(1)
  const command = `holdfast effort accept ${id}`
  const asked = await client.fire('PreToolUse', {
    tool_name: 'Bash',
    tool_input: { command },
    tool_use_id: 'door',
  })
  expect(asked.questions.join()).toContain(command)
  for (const words of [['status'], ['step', '--effort', id], ['effort', 'show', id]])
    expect((await user.run(words)).stdout).toContain(`holdfast effort accept ${id}`)
  const accepted = await user.run(['effort', 'accept', id])
  expect(accepted.stdout).toContain(
    `Effort ${id} (deploy) now follows the edited plan: the edit changes ship.`,
  )
  expect(await isRefused()).toBe(false)
  const again = await user.run(['effort', 'accept', id])
  expect([again.code, again.stderr.includes('nothing to accept')]).toEqual([1, true])
  const [entry] = await user.json<{ payload: Record<string, unknown> }[]>([
    'ledger',
    '--type',
    'plan.accepted',
  ])
  expect(entry?.payload).toMatchObject({ by: 'user', from: expect.any(String), to: expect.any(String) })
})

test('an edit by the user applies at enforce, and waits at strict', async () => {
  const free = await windowAt('enforce')
  free.user.put(SHIP, FREE)
  await vi.waitUntil(async () => !(await free.isRefused()), { timeout: 60_000, interval: 100 })
  const strict = await windowAt('strict')
  strict.user.put(SHIP, FREE)
  await strict.noticed()
  expect(await strict.isRefused()).toBe(true)
  await strict.user.json(['effort', 'accept', strict.id])
  expect(await strict.isRefused()).toBe(false)
})

test('an edit while the daemon is down does not loosen an effort at strict', async () => {
  const { user, isRefused, noticed, ship } = await windowAt('strict')
  await user.json(['daemon', 'stop'])
  rmSync(join(user.project, '.claude/skills/deploy'), { recursive: true })
  await noticed()
  expect(await isRefused()).toBe(true)
  expect(ship).toContain('deploy')
})
