import type { Client, Clients } from '../model/client.ts'
import { claudeCode } from './claude-code/index.ts'

/** All agent clients; a new client is a line here. */
const LIST: readonly [Client, ...Client[]] = [claudeCode]

/** All clients by name. */
export const clients: Clients = new Map(LIST.map((client) => [client.name, client]))

/** The client that applies if the user names none. */
export const defaultClient: Client = LIST[0]
