import { createReadStream, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { UserFolders } from '../../model/client-files.ts'
import { ownFolder } from '../../model/client-files.ts'
import type { Client, Clients } from '../../model/client.ts'
import type { ClientHistory } from '../../model/history.ts'

/** A transcript of an earlier session on the disk. */
export interface Transcript {
  readonly client: Client
  readonly history: ClientHistory
  readonly session: string
  readonly path: string
  readonly bytes: number
  /** When it was written last, in milliseconds since 1970. */
  readonly written: number
}

/** The transcripts of all clients, the oldest first. */
export function transcriptsOf(user: UserFolders, clients: Clients): readonly Transcript[] {
  return [...clients.values()]
    .flatMap((client) => {
      const { history } = client
      return history === undefined
        ? []
        : inFolder(join(ownFolder(user, client), history.folder), client, history)
    })
    .toSorted((a, b) => a.written - b.written)
}

function inFolder(folder: string, client: Client, history: ClientHistory): readonly Transcript[] {
  return namesIn(folder).flatMap((project) =>
    namesIn(join(folder, project)).flatMap((name) => {
      const session = history.sessionOf(`${project}/${name}`)
      const path = join(folder, project, name)
      const info = session === undefined ? undefined : statSync(path, { throwIfNoEntry: false })
      return session === undefined || info?.isFile() !== true
        ? []
        : [{ client, history, session, path, bytes: info.size, written: info.mtimeMs }]
    }),
  )
}

/** What is no folder, or may not be read, has no transcripts. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** A line with its place in the file; without a text if it is too long. */
export interface Line {
  readonly text: string | undefined
  readonly from: number
  readonly to: number
}

/** A longer line holds pictures or files, and would take the memory. */
const LONGEST_LINE = 16_777_216
const NEWLINE = 10

/** The complete lines of a file from a place on; never holds more than one line. */
export async function* linesFrom(path: string, from: number, end = Infinity): AsyncGenerator<Line> {
  let begin = from
  let at = from
  let parts: Buffer[] = []
  let length = 0
  const options = { start: from, highWaterMark: 1_048_576, ...(end !== Infinity && { end: end - 1 }) }
  for await (const chunk of createReadStream(path, options) as AsyncIterable<Buffer>) {
    let rest = chunk
    for (let stop = rest.indexOf(NEWLINE); stop !== -1; stop = rest.indexOf(NEWLINE)) {
      const isLong = length + stop > LONGEST_LINE
      const text = isLong ? undefined : Buffer.concat([...parts, rest.subarray(0, stop)]).toString('utf8')
      at += stop + 1
      yield { text, from: begin, to: at }
      begin = at
      parts = []
      length = 0
      rest = rest.subarray(stop + 1)
    }
    at += rest.length
    length += rest.length
    if (length <= LONGEST_LINE) parts.push(rest)
    else parts = []
  }
}

const HEAD_BYTES = 1_048_576

/** The folder that a session works in, as one of its first lines says. */
export async function cwdOf({ path, history }: Transcript): Promise<string | undefined> {
  for await (const { text } of linesFrom(path, 0, HEAD_BYTES)) {
    const cwd = text === undefined ? undefined : history.cwdIn(text)
    if (cwd !== undefined) return cwd
  }
  return undefined
}
