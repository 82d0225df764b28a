import * as z from 'zod'
import type { Client } from '../../model/client.ts'
import { EngineError } from '../../model/error.ts'
import type { Context } from '../call/context.ts'
import * as p from '../call/params.ts'

/** What a client tells us, in its own words. */
export const told = z.strictObject({
  client: p.name.default('claude-code').describe('The agent program that tells it.'),
  payload: z.unknown().describe("The client's own payload."),
})

export function clientNamed({ clients }: Context, name: string): Client {
  const client = clients.get(name)
  if (client !== undefined) return client
  throw new EngineError(
    'not-found',
    `There is no client ${name}; known: ${[...clients.keys()].join(', ')}.`,
    {
      field: 'client',
    },
  )
}
