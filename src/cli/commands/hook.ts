import { defaultClient } from '../../clients/index.ts'
import { LIMITS } from '../../rpc/scan.ts'
import { numberOf } from '../frame/args.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { noteDecided, USUAL_LIMIT } from '../daemon/hook-limit.ts'
import { type Io, usage } from '../frame/io.ts'
import { untilHttp } from '../daemon/until-http.ts'

export const hook: Command = {
  name: 'hook',
  summary: 'Pass what a client reports on stdin to the daemon, and print what it decides; never fails.',
  usage: 'CLIENT',
  places: { CLIENT: `the name of the client, such as ${defaultClient.name}` },
  flags: { limit: { kind: 'value', summary: `milliseconds it may take, ${USUAL_LIMIT} without` } },
  isHarmless: true,
  async run(io, { positionals, values }) {
    const [client = ''] = positionals
    // It is kept since the process began.
    if (values['limit'] !== undefined) numberOf(values['limit'], '--limit')
    await decide(io, client)
    return 0
  },
}

async function decide(io: Io, client: string): Promise<void> {
  const payload = await readPayload()
  let isNew = false
  const onStart = () => {
    isNew = true
    io.note('holdfast: the daemon did not run, so it is started.')
  }
  using daemon = new Remote({ ...io, onStart })
  const { reply } = await daemon.call<{ reply?: unknown }>('hooks.handle', { client, payload })
  if (reply !== undefined && reply !== null) io.out(JSON.stringify(reply))
  noteDecided()
  // The client's next hooks come over HTTP, and would go unheard by a daemon that has only just begun.
  if (isNew) await untilHttp(daemon)
}

async function readPayload(): Promise<unknown> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    length += part.length
    if (length <= LIMITS.bytes) parts.push(part)
  }
  if (length > LIMITS.bytes) throw usage(`A hook may report ${LIMITS.bytes} bytes, not ${length}.`)
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown
  } catch {
    throw usage('What a hook reports must be JSON.')
  }
}
