import {
  guardCommand,
  hookCommand,
  kindOfCommand,
  pipeCommand,
  sharedHookCommand,
} from '../../hook/commands.ts'
import { AGENT_HEADERS, AGENT_VARIABLES } from '../../model/agent.ts'
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
/** Seconds; the daemon replies within five. */
const TIMEOUT = 6

/** The hook URL of the daemon. */
export const urlOf = (port: number | string): string => `http://127.0.0.1:${port}/hook/${NAME}`

/** The hook groups of an event; strict mode adds one for Bash, so that repairs can run. */
export function groupsFor(hooked: Hooked, wiring: Wiring): readonly object[] {
  const { event, starts, gates, timeout } = hooked
  if (wiring.scope === 'project') return [sharedGroup(hooked)]
  const { launcher, port, token } = wiring
  if (starts === true) {
    const command = hookCommand({ client: NAME, launcher, limit: START.limit })
    return [group([{ type: 'command', command, timeout: START.timeout }])]
  }
  const guard = {
    type: 'command',
    command: guardCommand({ ...wiring, client: NAME }),
    timeout: TIMEOUT,
    onFailure: 'block',
  }
  // In a terminal, the client sends the requests of http hooks through its sandbox, which asks about loopback.
  if (wiring.lock !== undefined || wiring.byCommands === true) {
    const pipe = { type: 'command', command: pipeCommand({ client: NAME, home: wiring.home }) }
    const closes = gates === true && (wiring.failsClosed || wiring.lock !== undefined)
    return [group([closes ? guard : { ...pipe, timeout: timeout ?? TIMEOUT }])]
  }
  const http = {
    type: 'http',
    url: urlOf(port),
    headers: { Authorization: `Bearer ${token}`, ...AGENT },
    allowedEnvVars: AGENT_VARIABLES,
    timeout: timeout ?? TIMEOUT,
  }
  if (gates !== true || !wiring.failsClosed) return [group([http])]
  const closing = { ...http, url: `${http.url}/strict${ADVICE}`, onFailure: 'block' }
  if (event !== 'PreToolUse') return [group([closing])]
  return [group([closing], NOT_BASH), group([guard], 'Bash')]
}

/** The client puts the values of the variables into the headers. */
const AGENT = Object.fromEntries(
  AGENT_HEADERS.map((header, index) => [header, `\${${AGENT_VARIABLES[index] ?? ''}}`]),
)

/** For shared files and plugins: no token and no local path. */
function sharedGroup({ starts, timeout }: Hooked, finder?: string): object {
  const command =
    starts === true
      ? sharedHookCommand({ client: NAME, limit: START.limit, ...(finder !== undefined && { finder }) })
      : pipeCommand({ client: NAME })
  return group([
    { type: 'command', command, timeout: starts === true ? START.timeout : (timeout ?? TIMEOUT) },
  ])
}

/** The hooks of the plugin: as in project settings, but it has its own script to find our program. */
export const pluginHooks = (): Readonly<Record<string, readonly object[]>> =>
  Object.fromEntries(HOOKED.map((hooked) => [hooked.event, [sharedGroup(hooked, FINDER_WORD)]]))

/** The script of the plugin that finds our program. */
export const FINDER = 'bin/holdfast'
const FINDER_WORD = `"$CLAUDE_PLUGIN_ROOT"/${FINDER}`

/** The client shows only the URL of a failed hook; it never sends this fragment. */
export const ADVICE = '#Holdfast:no-reply-in-strict-mode.Run:holdfast-daemon-start'

/** Every tool but Bash; a matcher cannot exclude in any other way. */
const NOT_BASH = '^(?!Bash$)'

const group = (hooks: readonly object[], matcher?: string): object =>
  matcher === undefined ? { hooks } : { matcher, hooks }

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
