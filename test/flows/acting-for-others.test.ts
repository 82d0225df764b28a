import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Effort } from '../../src/model/effort.ts'
import { clientProcess, SESSION, windowAt } from '../agent-window.ts'
import { ENTRY } from '../holdfast.ts'
import { HookedClient } from '../hooked-client.ts'

vi.setConfig({ testTimeout: 300_000 })

test.each(['enforce', 'strict', 'observe'])(
  'at %s, an agent acts in the name of no other session, and not as the user',
  async (level) => {
    const { user, client, inShell, entries } = await windowAt(level)
    const other = new HookedClient(user, 'two', { patient: true })
    await other.fire('SessionStart', { source: 'startup' })
    await other.fire('UserPromptSubmit', { prompt: '/deploy another thing' })
    const efforts = await user.ask<Effort[]>('db.effort.findActive', {})
    const { id } = efforts.find(({ request }) => request === 'another thing') ?? { id: 0 }
    const log = `log --effort ${id} Mine`
    const params = JSON.stringify({ effort_id: id, text: 'Mine', native_id: 'two' })
    const forged = [
      `env -u CLAUDE_CODE_SESSION_ID "$NODE" "$ENTRY" ${log}`,
      `env CLAUDE_CODE_SESSION_ID=two "$NODE" "$ENTRY" ${log}`,
      `holdfast ${log} --native-id two`,
      `holdfast rpc commands.log.append '${params}'`,
      `holdfast step done build --effort ${id} --native-id two`,
      // It starts what it prints.
      `env -u CLAUDE_CODE_SESSION_ID "$NODE" "$ENTRY" step --effort ${id}`,
    ]
    const isRefused = /acts (?:as the user|for session two), but session one calls it/
    const answers: string[] = []
    for (const command of forged) answers.push((await inShell(command)).stderr)
    const refused = answers.filter((text) => isRefused.test(text))
    expect(refused).toHaveLength(level === 'observe' ? 0 : forged.length)
    expect(await entries('door.refused')).toHaveLength(level === 'observe' ? 0 : forged.length)
    expect(await inShell(`env -u CLAUDE_CODE_SESSION_ID "$NODE" "$ENTRY" status`)).toMatchObject({ code: 0 })
    expect(await inShell(`holdfast log Mine --native-id ${SESSION}`)).toMatchObject({ code: 0 })
    expect(await client.shell(`"${process.execPath}" "${ENTRY}" ${log} --native-id two`, '')).toMatchObject({
      code: 0,
    })
  },
)

test.runIf(process.platform === 'linux')(
  'an agent that puts another session around its command is known by the process of its client',
  async () => {
    const window = await windowAt('strict')
    const nested = `env CLAUDE_CODE_SESSION_ID=${SESSION} sh -c '"$NODE" "$ENTRY" log Mine; exit "$?"'\nexit "$?"\n`
    writeFileSync(join(window.user.project, 'nested.sh'), nested)
    const inside = await clientProcess(window, 'CLAUDE_CODE_SESSION_ID=three sh nested.sh')
    expect(inside.stderr).toContain(`acts for session ${SESSION}, but session three calls it`)
    expect(inside.code).toBe(1)
  },
)
