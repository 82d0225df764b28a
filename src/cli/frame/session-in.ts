import { clients } from '../../clients/index.ts'
import type { Io } from './io.ts'
import { pipedText } from './stdin.ts'

/** The calling session, from the environment or from a piped status payload. */
export async function sessionIn(io: Io): Promise<string | undefined> {
  return sessionOf(io) ?? sessionNamed(await pipedText(io))
}

/** The calling session, from the environment. */
function sessionOf(io: Io): string | undefined {
  return [...clients.values()]
    .map((client) => client.sessionIn(io.env))
    .find((id) => id !== undefined && id !== '')
}

function sessionNamed(text: string | undefined): string | undefined {
  for (const client of text === undefined ? [] : clients.values()) {
    const { session } = client.decode(parsed(text))
    if (session !== undefined) return session
  }
  return undefined
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '') as unknown
  } catch {
    return undefined
  }
}
