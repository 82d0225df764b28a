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

/** How an event reaches us; `starts` brings the daemon up first, which takes its time. */
interface Hooked {
  readonly event: string
  readonly starts?: true
  /** Refused where we do not answer, when the user wants that. Only what comes before something is done. */
  readonly gates?: true
  /** Seconds, where the usual ones are too many. */
  readonly timeout?: number
}

/** The events that some rule or recorder wants, and no others. SessionStart takes no http, and the prompt is the moment to bring back what has died. */
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
  { event: 'SubagentStop' },
  { event: 'PreCompact' },
  { event: 'TaskCreated' },
  { event: 'TaskCompleted' },
  // The client waits for these when it ends.
  { event: 'SessionEnd', timeout: 2 },
]

/** A daemon needs a second or two to start; its own limit ends first, because it says why. */
const START = { timeout: 5, limit: 4500 }
/** The daemon answers within five. */
const TIMEOUT = 6

export const urlOf = (port: number | string): string => `http://127.0.0.1:${port}/hook/${NAME}`

/** The groups that an event gets: one, or where the shell has to stay open for repairs one more. */
export function groupsFor(hooked: Hooked, wiring: Wiring): readonly object[] {
  const { event, starts, gates, timeout } = hooked
  if (wiring.scope === 'project') return [sharedGroup(hooked)]
  const { node, entry, home, port, token } = wiring
  if (starts === true) {
    const command = hookCommand({ client: NAME, node, entry, home, limit: START.limit })
    return [group([{ type: 'command', command, timeout: START.timeout }])]
  }
  const http = {
    type: 'http',
    url: urlOf(port),
    headers: { Authorization: `Bearer ${token}` },
    timeout: timeout ?? TIMEOUT,
  }
  if (gates !== true || !wiring.failsClosed) return [group([http])]
  const strict = { ...http, url: `${http.url}/strict${ADVICE}` }
  const closing = { ...strict, onFailure: 'block' }
  if (event !== 'PreToolUse') return [group([closing])]
  const guard = { type: 'command', command: guardCommand({ home }), timeout: TIMEOUT, onFailure: 'block' }
  return [group([closing], NOT_BASH), group([strict, guard], 'Bash')]
}

/** For files that many machines share, a plugin's too: neither a token nor a path of one machine. */
function sharedGroup({ starts, timeout }: Hooked): object {
  const command =
    starts === true ? sharedHookCommand({ client: NAME, limit: START.limit }) : pipeCommand({ client: NAME })
  return group([
    { type: 'command', command, timeout: starts === true ? START.timeout : (timeout ?? TIMEOUT) },
  ])
}

/** The hooks of the plugin: the same events in the same way as in the settings of a project. */
export const pluginHooks = (): Readonly<Record<string, readonly object[]>> =>
  Object.fromEntries(HOOKED.map((hooked) => [hooked.event, [sharedGroup(hooked)]]))

/** All that a client shows of a hook that nobody has answered is its URL; this part of it is never sent. */
const ADVICE = '#Holdfast-is-strict-here.Bring-its-daemon-back:holdfast-daemon-start'

/** A rule of the client can only name what it is for, so that the shell is told apart here. */
const NOT_BASH = '^(?!Bash$)'

const group = (hooks: readonly object[], matcher?: string): object =>
  matcher === undefined ? { hooks } : { matcher, hooks }

/** Known by what it calls: the client takes no mark of ours. */
export function isOurs(handler: unknown): boolean {
  const { type, url, command } = fieldsOf(handler)
  if (type === 'http') return typeof url === 'string' && OUR_URL.test(url)
  return type === 'command' && typeof command === 'string' && kindOfCommand(command, NAME) !== undefined
}

const OUR_URL = new RegExp(String.raw`^http://127\.0\.0\.1:[^/]+/hook/${NAME}(/strict(#.*)?)?$`)

export const isGuard = (handler: unknown): boolean =>
  kindOfCommand(String(fieldsOf(handler)['command']), NAME) === 'guard'

/** How a handler of ours calls us; a guard only looks whether it could. */
export function wayOf(handler: unknown): readonly Way[] {
  const { type, url, headers, command } = fieldsOf(handler)
  if (type === 'http')
    return [{ kind: 'http', url: String(url), headers: fieldsOf(headers) as Record<string, string> }]
  return kindOfCommand(String(command), NAME) === 'hook'
    ? [{ kind: 'command', command: String(command) }]
    : []
}
