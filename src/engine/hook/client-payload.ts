import * as z from 'zod'
import { type Client, clientMeant } from '../../model/client.ts'
import { EngineError } from '../../model/error.ts'
import type { Context } from '../call/context.ts'
import * as p from '../call/params.ts'

/** What a client tells us, in its own words. */
export const told = z.strictObject({
  client: p.name.optional().describe('The agent client that tells it; without one, the default client.'),
  payload: z.unknown().describe("The client's own payload."),
})

export function clientNamed({ clients }: Context, name: string | undefined): Client {
  const client = clientMeant(clients, name)
  if (client !== undefined) return client
  throw new EngineError(
    'not-found',
    `There is no client ${name ?? ''}; known: ${[...clients.keys()].join(', ')}.`,
    {
      field: 'client',
    },
  )
}
