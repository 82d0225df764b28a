import { resolve } from 'node:path'
import { clients, defaultClient } from '../../clients/index.ts'
import { agentIn } from '../../model/agent.ts'
import type { Flags } from './args.ts'
import { findMethod } from './methods.ts'
import { type Io, piped, readValue, usage } from './io.ts'

/** Flags that identify the caller; the client's environment provides the defaults. */
export const CALLER_FLAGS = {
  agent: { kind: 'value', summary: 'id of the agent (default: $HOLDFAST_AGENT, else $FLEET_PANE)' },
  native_id: {
    kind: 'value',
    summary: "the client's id of the session (default: from the client's environment)",
  },
  client: { kind: 'value', summary: `the agent client, such as ${defaultClient.name}` },
} as const satisfies Flags

/** The caller as parameters of a method. */
export function callerOf(io: Io, values: Readonly<Record<string, string>>) {
  const around = io.session ?? sessionAround(io)
  const { agent: agent_id = agentIn(io.env), native_id = around?.native_id, client = around?.client } = values
  return {
    cwd: resolve(io.cwd),
    ...(agent_id !== undefined && { agent_id }),
    ...(native_id !== undefined && { native_id }),
    ...(client !== undefined && { client }),
  }
}

const sessionAround = ({ env }: Io) =>
  [...clients.values()].flatMap((client) => {
    const session = client.sessionIn(env)
    return session === undefined || session === '' ? [] : [{ native_id: session, client: client.name }]
  })[0]

const CALLS = "The client's id of the session that calls."

/** Parameters with the session that calls, for a method that asks for it; the ledger then names it. */
export function withCaller(
  io: Io,
  name: string,
  params: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { native_id } = callerOf(io, {})
  const isAsked = findMethod(name)?.params.properties['native_id']?.description === CALLS
  return isAsked && native_id !== undefined ? { native_id, ...params } : params
}

/** Only who calls, for methods that refuse the effort of somebody else. */
export function identityOf(io: Io, values: Readonly<Record<string, string>> = {}) {
  const { cwd: _, client: __, ...identity } = callerOf(io, values)
  return identity
}

/** A JSON object from a flag or from stdin, if either has one. */
export async function objectFrom(
  io: Io,
  typed: string | undefined,
  what: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const text = typed === undefined ? await piped(io) : readValue(typed, io)
  if (text.trim() === '') return undefined
  const value = parse(text, what)
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>
  throw usage(`${what} must be a JSON object.`)
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw usage(`${what} must be JSON: ${error instanceof Error ? error.message : String(error)}.`)
  }
}
