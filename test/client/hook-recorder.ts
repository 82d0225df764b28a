import type { IncomingMessage, ServerResponse } from 'node:http'
import { Loopback, sendJson } from './loopback.ts'

/** The parts of a hook payload that the stories use. */
export interface HookEvent {
  readonly hook_event_name: string
  readonly session_id: string
  readonly agent_id?: string
  readonly source?: string
  readonly prompt?: string
  readonly command_name?: string
  readonly command_args?: string
  readonly tool_name?: string
  readonly tool_input?: Readonly<Record<string, unknown>>
}

/** Hooks of the test itself: they record every event, and answer with `reply`. */
export class HookRecorder extends Loopback {
  readonly events: HookEvent[] = []
  reply: (event: HookEvent) => object | undefined = () => undefined

  /** The names of the events in order. */
  names(): readonly string[] {
    return this.events.map((event) => event.hook_event_name)
  }

  named(name: string): readonly HookEvent[] {
    return this.events.filter((event) => event.hook_event_name === name)
  }

  /** Settings that send these events here. */
  settings(...names: readonly string[]): object {
    return hookSettings(names, this.url)
  }

  protected override answer(_request: IncomingMessage, text: string, response: ServerResponse): void {
    const event = JSON.parse(text) as HookEvent
    this.events.push(event)
    sendJson(response, 200, this.reply(event))
  }
}

/** Settings that send events to a URL; SessionStart has no http hooks, so a command sends it. */
export function hookSettings(names: readonly string[], url: string, more: object = {}): object {
  const http = { type: 'http', url, ...more }
  const command = { type: 'command', command: process.execPath, args: ['-e', CARRY, url], ...more }
  return {
    hooks: Object.fromEntries(
      names.map((name) => [name, [{ hooks: [name === 'SessionStart' ? command : http] }]]),
    ),
  }
}

const CARRY = `
  const { readFileSync } = require('node:fs')
  fetch(process.argv[1], { method: 'POST', body: readFileSync(0) })
    .then((response) => response.text())
    .then((text) => process.stdout.write(text))
`

/** An answer that refuses a tool call. */
export const deny = (reason: string): object => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: reason,
  },
})

/** An answer with a context for the model. */
export const tell = (event: HookEvent, additionalContext: string): object => ({
  hookSpecificOutput: { hookEventName: event.hook_event_name, additionalContext },
})
