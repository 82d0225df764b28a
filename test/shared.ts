import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'

/** The variable with the socket that leads the workers of a run to what it shares. */
export const SHARED_SOCKET = 'HOLDFAST_TEST_SHARED'

/** What a run makes at the first request for it: the folder of the programs, the url of a PostgreSQL. */
export type Share = 'programs' | 'postgres'

/** The answer to a request for a share. */
export type Answer = { readonly value: string } | { readonly problem: string }

/** Asks the run for something that it shares; undefined outside of a run. */
export async function shared(what: Share): Promise<string | undefined> {
  const path = process.env[SHARED_SOCKET]
  if (path === undefined) return undefined
  const socket = createConnection(path)
  socket.end(what)
  const answer = JSON.parse(await text(socket)) as Answer
  if ('problem' in answer) throw new Error(answer.problem)
  return answer.value
}

/** The PostgreSQL of this run; it starts when the first test asks for it. */
export async function sharedPostgres(): Promise<string> {
  const url = await shared('postgres')
  if (url === undefined) throw new Error('Only a run of the tests has a PostgreSQL to share.')
  return url
}
