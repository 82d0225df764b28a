import type { Client } from '../model/client.ts'
import { claudeCode } from './claude-code/index.ts'

/** Every agent client that we know, by name. A new one is a line here. */
export const clients: ReadonlyMap<string, Client> = new Map(
  [claudeCode].map((client) => [client.name, client]),
)
