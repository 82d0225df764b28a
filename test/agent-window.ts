import { onTestFinished } from 'vitest'
import type { LedgerRow } from '../src/store/ledger.ts'
import { ENTRY } from './holdfast.ts'
import { HookedClient } from './hooked-client.ts'
import { SkilledUser } from './skilled-user.ts'

export const SESSION = 'one'

/** A window of a user at a level, with work on a skill whose second step is not due. */
export async function windowAt(level: string) {
  const user = await SkilledUser.arrive()
  onTestFinished(() => user[Symbol.asyncDispose]())
  await user.json(['enforce', level])
  const client = new HookedClient(user, SESSION, { patient: true })
  await client.fire('SessionStart', { source: 'startup' })
  await client.fire('UserPromptSubmit', { prompt: '/deploy it' })
  /** Runs a command as the shell of the client does; the word `holdfast` is our program. */
  const inShell = (command: string) =>
    client.shell(
      `CLAUDE_CODE_SESSION_ID=${SESSION}; export CLAUDE_CODE_SESSION_ID; exec sh -c 'holdfast() { "$NODE" "$ENTRY" "$@"; }; eval "$COMMAND"'`,
      '',
      { COMMAND: command, NODE: process.execPath, ENTRY },
    )
  const before = async (tool_name: string, tool_input: object, more: object = {}) =>
    await client.fire('PreToolUse', { tool_name, tool_input, tool_use_id: crypto.randomUUID(), ...more })
  const announce = async (command: string, more: object = {}) => await before('Bash', { command }, more)
  const entries = async (type: string) =>
    (await user.ask<LedgerRow[]>('ledger.list', { event_type: type, session_id: SESSION })).map(
      ({ payload }) => payload as { readonly by?: string; readonly how?: string },
    )
  return { user, client, inShell, before, announce, entries }
}

/** A client that is a process: it starts its session, and then runs shells that have its id. */
export const clientProcess = (window: Awaited<ReturnType<typeof windowAt>>, script: string) => {
  const start = {
    session_id: 'three',
    cwd: window.user.project,
    hook_event_name: 'SessionStart',
    source: 'startup',
  }
  return window.client.shell('eval "$SCRIPT"; exit "$?"', '', {
    SCRIPT: `printf '%s' "$START" | "$NODE" "$ENTRY" hook claude-code --limit 600000 >&2; ${script}`,
    START: JSON.stringify(start),
    NODE: process.execPath,
    ENTRY,
  })
}
