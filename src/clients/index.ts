import type { Client, Clients } from '../model/client.ts'
import { claudeCode } from './claude-code/index.ts'

/** Every agent client that we know. A new one is a line here. */
const LIST: readonly [Client, ...Client[]] = [claudeCode]

export const clients: Clients = new Map(LIST.map((client) => [client.name, client]))

/** The first is meant where nobody names one. */
export const defaultClient: Client = LIST[0]
