import { request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

/** The variable with the socket that leads the workers of a run to what it shares. */
export const SHARED_SOCKET = 'HOLDFAST_TEST_SHARED'

/** What a run makes at the first request for it: the folder of the programs, the url of a PostgreSQL. */
export type Share = 'programs' | 'postgres'

/** Asks the run for something that it shares; undefined outside of a run. */
export async function shared(what: Share): Promise<string | undefined> {
  const socketPath = process.env[SHARED_SOCKET]
  if (socketPath === undefined) return undefined
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request({ socketPath, path: `/${what}`, agent: false }, resolve)
    .on('error', reject)
    .end()
  const answer = await promise
  const said = await text(answer)
  if (answer.statusCode !== 200) throw new Error(said)
  return said
}

/** The PostgreSQL of this run; it starts when the first test asks for it. */
export async function sharedPostgres(): Promise<string> {
  const url = await shared('postgres')
  if (url === undefined) throw new Error('Only a run of the tests has a PostgreSQL to share.')
  return url
}
