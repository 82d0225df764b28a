import { expect, test } from 'vitest'
import { failure, type World } from '../world.contract.ts'
import { clientAt } from '../hook/client.contract.ts'

const APPROVE = ['effort', 'approve', '1', 'build', '--reason', 'no time']
const COMMAND = `holdfast effort approve 1 build --reason 'no time'`

/** Who may loosen the rules, as the daemon judges it. */
export function doorContract(world: () => World): void {
  const asked = async (level: string) => {
    const it = await clientAt(world())
    await it.start()
    await world().call('db.project.setLevel', { path: it.project, level })
    const announce = (command: string, tool_use_id: string) =>
      it.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command }, tool_use_id })
    const open = (words: readonly string[] = APPROVE) =>
      world().call('door.open', { words, sessions: ['unknown', it.session] })
    return { it, announce, open }
  }

  test('a caller without a known session is the user', async () => {
    const before = await world().lastSeq()
    expect(await world().call('door.open', { words: APPROVE, sessions: ['nobody'] })).toEqual({ by: 'user' })
    expect(await world().since(before)).toMatchObject([
      { event_type: 'door.opened', payload: { command: COMMAND, by: 'user' } },
    ])
  })

  test('the user’s yes holds for the very words, while the call runs that asked', async () => {
    const { announce, open, it } = await asked('enforce')
    expect(await failure(open())).toMatchObject({ code: 'refused' })
    expect((await announce(COMMAND, 'first')).decision).toBe('ask')
    expect(await open()).toEqual({ by: 'user' })
    expect(await failure(open([...APPROVE.slice(0, 3), 'ship', '--reason', 'x']))).toMatchObject({
      code: 'refused',
    })
    await it.fire('PostToolUse', {
      tool_name: 'Bash',
      tool_input: { command: COMMAND },
      tool_use_id: 'first',
      tool_response: { stdout: '', stderr: '', interrupted: false },
    })
    expect(await failure(open())).toMatchObject({ code: 'refused' })
  })

  test('a later call ends the question, because the first one may have been denied', async () => {
    const { announce, open } = await asked('enforce')
    await announce(COMMAND, 'first')
    await announce('ls', 'second')
    expect(await failure(open())).toMatchObject({
      code: 'refused',
      message: expect.stringContaining('then the client asks the user'),
    })
  })

  test('at strict no agent may, and the refusal is recorded as the agent’s', async () => {
    const { announce, open } = await asked('strict')
    expect((await announce(COMMAND, 'first')).decision).toBe('block')
    const before = await world().lastSeq()
    expect(await failure(open())).toMatchObject({ code: 'refused' })
    expect(await world().since(before)).toMatchObject([
      { event_type: 'door.refused', payload: { command: COMMAND, by: 'agent' } },
    ])
  })

  test('the entries of a call that loosens the rules say who made it', async () => {
    const { it } = await asked('enforce')
    await it.prompt('/flow')
    const effort_id = (await it.efforts()).at(-1)?.id
    const before = await world().lastSeq()
    await world().call('db.effort.approve', { effort_id, subject: 'do', reason: 'ok', by: 'user' })
    expect(await world().since(before)).toMatchObject([
      { event_type: 'approval.given', payload: { by: 'user', reason: 'ok' } },
    ])
  })
}
