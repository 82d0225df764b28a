import * as z from 'zod'
import { type Client, clientMeant } from '../../model/client.ts'
import { EngineError } from '../../model/error.ts'
import { oneLine } from '../../model/text/line.ts'
import type { Context } from '../call/context.ts'
import * as p from '../call/params.ts'
import { toldEnvironment } from '../session/environment.ts'

/** The parameters of every hook method. */
export const told = z.strictObject({
  client: p.name.optional().describe('The name of the client. Default: the default client.'),
  agent_id: p.name.optional().describe('The agent that the client runs as; registered if unknown.'),
  payload: z.unknown().describe('The payload as the client sent it.'),
  has_command: z
    .boolean()
    .optional()
    .describe('Whether `holdfast` is a command where the client runs. Default: as in its last event.'),
  environment: toldEnvironment,
  report: p
    .textUpTo(20_000)
    .optional()
    .describe('What one of our commands printed, for the prompt that calls it.'),
})

export function clientNamed({ clients }: Context, name: string | undefined): Client {
  const client = clientMeant(clients, name)
  if (client !== undefined) return client
  throw new EngineError(
    'not-found',
    `Unknown client ${name ?? ''}. Known clients: ${[...clients.keys()].join(', ')}.`,
    {
      field: 'client',
    },
  )
}

/** The error for a payload of another event than the method's. */
export const otherEvent = (name: string, method: string): EngineError =>
  new EngineError('invalid', `This is a payload of ${oneLine(name)}. Call ${method} instead.`, {
    field: 'payload',
    hint: `holdfast rpc ${method}`,
  })

/** The error for a call that has a payload and plain fields. */
export const bothForms = (): EngineError =>
  new EngineError('invalid', 'Pass either payload or session_id, not both.', { field: 'session_id' })
