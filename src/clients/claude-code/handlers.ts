import {
  guardCommand,
  hookCommand,
  kindOfCommand,
  pipeCommand,
  sharedHookCommand,
} from '../../hook/commands.ts'
import type { Way, Wiring } from '../../model/client-settings.ts'
import { NAME } from './decode.ts'
import { fieldsOf } from './fields.ts'

/** How the client reports an event to us. */
interface Hooked {
  readonly event: string
  /** Starts the daemon first, which takes longer. */
  readonly starts?: true
  /** In strict mode, the client blocks it if we do not reply; only for events before an action. */
  readonly gates?: true
  /** Seconds, if the default is too long. */
  readonly timeout?: number
}

/** The events that rules and recorders use; session start and prompts also start the daemon. */
export const HOOKED: readonly Hooked[] = [
  { event: 'SessionStart', starts: true },
  { event: 'UserPromptSubmit', starts: true },
  { event: 'UserPromptExpansion', gates: true },
  { event: 'PreToolUse', gates: true },
  { event: 'PostToolUse' },
  { event: 'PostToolUseFailure' },
  { event: 'PermissionDenied' },
  { event: 'Stop' },
  { event: 'StopFailure' },
  { event: 'SubagentStart' },
  { event: 'SubagentStop' },
  { event: 'PreCompact' },
  { event: 'TaskCreated' },
  { event: 'TaskCompleted' },
  { event: 'ConfigChange' },
  // The client waits for this hook when it exits.
  { event: 'SessionEnd', timeout: 2 },
]

/** Our own limit ends before the client's timeout, because our message says why. */
const START = { timeout: 5, limit: 4500 }
/** Seconds; a pipe ends within two. */
const TIMEOUT = 3

/** The URL of http hooks, which older versions wrote. */
export const urlOf = (port: number | string): string => `http://127.0.0.1:${port}/hook/${NAME}`

/** The hook groups of an event; in strict mode, a guard lets repairs run. */
export function groupsFor(hooked: Hooked, wiring: Wiring): readonly object[] {
  const { starts, gates, timeout = TIMEOUT } = hooked
  if (wiring.scope === 'project') return [sharedGroup(hooked)]
  const { home, launcher, lock, failsClosed } = wiring
  if (starts === true) {
    const command = hookCommand({ client: NAME, launcher, limit: START.limit })
    return [group({ type: 'command', command, timeout: START.timeout })]
  }
  if (gates === true && (failsClosed || lock !== undefined)) {
    const command = guardCommand({ ...wiring, client: NAME })
    return [group({ type: 'command', command, timeout, onFailure: 'block' })]
  }
  return [group({ type: 'command', command: pipeCommand({ client: NAME, home }), timeout })]
}

/** For shared files and plugins: no token and no local path. */
function sharedGroup({ starts, timeout }: Hooked, finder?: string): object {
  const command =
    starts === true
      ? sharedHookCommand({ client: NAME, limit: START.limit, ...(finder !== undefined && { finder }) })
      : pipeCommand({ client: NAME })
  return group({ type: 'command', command, timeout: starts === true ? START.timeout : (timeout ?? TIMEOUT) })
}

/** The hooks of the plugin: as in project settings, but it has its own script to find our program. */
export const pluginHooks = (): Readonly<Record<string, readonly object[]>> =>
  Object.fromEntries(HOOKED.map((hooked) => [hooked.event, [sharedGroup(hooked, FINDER_WORD)]]))

/** The script of the plugin that finds our program. */
export const FINDER = 'bin/holdfast'
const FINDER_WORD = `"$CLAUDE_PLUGIN_ROOT"/${FINDER}`

const group = (hook: object): object => ({ hooks: [hook] })

/** Whether a handler is ours, by what it calls; the client allows no marker. */
export function isOurs(handler: unknown): boolean {
  const { type, url, command } = fieldsOf(handler)
  if (type === 'http') return typeof url === 'string' && OUR_URL.test(url)
  return type === 'command' && typeof command === 'string' && kindOfCommand(command, NAME) !== undefined
}

const OUR_URL = new RegExp(String.raw`^http://127\.0\.0\.1:[^/]+/hook/${NAME}(/strict(#.*)?)?$`)

/** Whether a handler is the guard of strict mode. */
export const isGuard = (handler: unknown): boolean =>
  kindOfCommand(String(fieldsOf(handler)['command']), NAME) === 'guard'

/** How our handler calls us; a guard only checks that the daemon runs. */
export function wayOf(handler: unknown): readonly Way[] {
  const { type, url, headers, command } = fieldsOf(handler)
  if (type === 'http')
    return [{ kind: 'http', url: String(url), headers: fieldsOf(headers) as Record<string, string> }]
  return kindOfCommand(String(command), NAME) === 'hook'
    ? [{ kind: 'command', command: String(command) }]
    : []
}
