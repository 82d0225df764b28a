import * as z from 'zod'
import type { Client } from '../../model/client.ts'
import type { SessionEnvironment } from '../../model/environment.ts'
import { EngineError } from '../../model/error.ts'
import { type HookEvent, SESSION_SOURCES } from '../../model/event.ts'
import * as p from '../call/params.ts'
import { told } from './client-payload.ts'

/** Fields that replace the payload, for callers that are no client. */
const ORIGIN = {
  session_id: p.name
    .optional()
    .describe("The client's id of the session. With it, the fields below replace the payload."),
  cwd: p.path.optional().describe('The folder that the client works in. Required for a new session.'),
}

const TOOL = {
  ...ORIGIN,
  tool: p.name.optional().describe("The client's name of the tool."),
  args: p.object.optional().describe('The input of the tool.'),
  tool_use_id: p.name.optional().describe("The client's id of the call."),
}

const PLAIN = {
  'session.started': {
    ...ORIGIN,
    pid: p.id.optional().describe('The process id of the client.'),
    source: z.enum(SESSION_SOURCES).optional().describe('Why the session starts. Default: unknown.'),
  },
  'prompt.submitted': { ...ORIGIN, prompt: p.text.optional().describe('What the user wrote.') },
  'tool.before': TOOL,
  'tool.after': { ...TOOL, result: z.unknown().optional().describe('The result of the tool.') },
}

/** True for events that a caller can tell by plain fields; only a client reports the others. */
export const isPlainKind = (kind: HookEvent['kind'] | undefined): kind is keyof typeof PLAIN =>
  kind !== undefined && kind in PLAIN

/** The parameters of a hook method: a payload, or plain fields instead. */
export const paramsFor = (kind: HookEvent['kind'] | undefined): z.ZodObject =>
  isPlainKind(kind) ? told.extend({ payload: told.shape.payload.optional(), ...PLAIN[kind] }) : told

const IN_SESSION = { session_id: '7c1e4f0a' }
const CALL = { ...IN_SESSION, tool: 'Read', args: { file_path: '/home/user/project/README.md' } }

/** A session told by plain fields, event by event. */
export const EXAMPLES: Readonly<Record<keyof typeof PLAIN, object>> = {
  'session.started': { ...IN_SESSION, cwd: '/home/user/project', pid: 4242 },
  'prompt.submitted': { ...IN_SESSION, prompt: '/ship a login page' },
  'tool.before': CALL,
  'tool.after': { ...CALL, result: { content: '# A project' } },
}

/** The parameters of a call, as `paramsFor` has checked them. */
export interface HookParams {
  readonly client?: string
  readonly payload?: unknown
  readonly has_command?: boolean
  readonly environment?: SessionEnvironment
  readonly report?: string
  readonly session_id?: string
  readonly cwd?: string
  readonly agent_id?: string
  readonly pid?: number
  readonly source?: string
  readonly prompt?: string
  readonly tool?: string
  readonly args?: object
  readonly tool_use_id?: string
  readonly result?: unknown
}

/** The event that plain fields tell, decoded by the client like one of its payloads. */
export function plainEvent(client: Client, kind: HookEvent['kind'], fields: HookParams): HookEvent {
  const { session_id: session, cwd, prompt, source, tool, args, result, tool_use_id: id } = fields
  if (session === undefined) throw missing('session_id')
  if (tool === undefined && kind.startsWith('tool.')) throw missing('tool')
  if (prompt === undefined && kind === 'prompt.submitted') throw missing('prompt')
  const payload = client.payload({
    session,
    ...(cwd !== undefined && { cwd }),
    ...(prompt !== undefined && { prompt }),
    ...(source !== undefined && { source }),
    ...(tool !== undefined && { tool: { name: tool, id, input: args ?? {}, result } }),
  })
  return {
    ...client.decode(client.named(payload, kind)),
    ...(fields.pid !== undefined && { pid: fields.pid }),
  }
}

const missing = (field: string): EngineError =>
  new EngineError('invalid', `${field} is required, unless payload is given.`, { field })
