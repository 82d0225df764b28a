import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'

/** The variable with the socket through which the workers of a run get its shares. */
export const SHARED_SOCKET = 'HOLDFAST_TEST_SHARED'

/** What a run makes at the first request: the folder of the programs, the URL of a PostgreSQL. */
export type Share = 'programs' | 'postgres'

/** The answer to a request for a share. */
export type Answer = { readonly value: string } | { readonly problem: string }

/** Requests a share from the run; undefined outside of a run. */
export async function shared(what: Share): Promise<string | undefined> {
  const path = process.env[SHARED_SOCKET]
  if (path === undefined) return undefined
  const socket = createConnection(path)
  socket.end(what)
  const answer = JSON.parse(await text(socket)) as Answer
  if ('problem' in answer) throw new Error(answer.problem)
  return answer.value
}

/** The PostgreSQL of this run; it starts at the first request. */
export async function sharedPostgres(): Promise<string> {
  const url = await shared('postgres')
  if (url === undefined) throw new Error('Only a run of the tests has a PostgreSQL to share.')
  return url
}
