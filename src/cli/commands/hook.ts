import { clients, defaultClient } from '../../clients/index.ts'
import { agentIn } from '../../model/agent.ts'
import { findHome } from '../../daemon/home.ts'
import { holdfastOnPath } from '../../daemon/launcher.ts'
import { textOf } from '../../daemon/processes.ts'
import { shellWord } from '../../model/shell/word.ts'
import { LIMITS } from '../../rpc/scan.ts'
import { numberOf } from '../frame/args.ts'
import { recordedFrom } from '../daemon/environment.ts'
import { clientAround } from '../daemon/sessions-around.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { noteDecided, noteStart, USUAL_LIMIT } from '../daemon/hook-limit.ts'
import { type Io, usage } from '../frame/io.ts'
import { untilHttp } from '../daemon/until-http.ts'

export const hook: Command = {
  name: 'hook',
  summary: 'Send a hook event from stdin to the daemon and print the reply; always exits with 0.',
  usage: 'CLIENT',
  places: { CLIENT: `name of the client, such as ${defaultClient.name}` },
  flags: {
    limit: {
      kind: 'value',
      summary: `time limit in milliseconds (default ${USUAL_LIMIT}); only a start of the daemon may take more than ${USUAL_LIMIT}`,
    },
  },
  isHarmless: true,
  async run(io, { positionals, values }) {
    const [client = ''] = positionals
    // main.ts enforces the limit from the start of the process.
    if (values['limit'] !== undefined) numberOf(values['limit'], '--limit')
    await decide(io, client)
    return 0
  },
}

/** The message of a hook that starts the daemon. */
export const STARTING = 'holdfast: starting the daemon.'

async function decide(io: Io, client: string): Promise<void> {
  const payload = await readPayload()
  let isNew = false
  const onStart = () => {
    isNew = true
    noteStart()
    io.note(STARTING)
  }
  const agent_id = agentIn(io.env)
  const report = await reportOf(io, client, payload)
  using daemon = new Remote({ ...io, onStart })
  const { reply } = await daemon.call<{ reply?: unknown }>('hooks.handle', {
    client,
    payload,
    has_command: holdfastOnPath(io.env) !== undefined && !isPermittedByPath(io, client),
    environment: { ...recordedFrom(io.env), clients: clientAround(client) },
    ...(agent_id !== undefined && { agent_id }),
    ...(report !== undefined && { report }),
  })
  if (reply !== undefined && reply !== null) io.out(JSON.stringify(reply))
  noteDecided()
  // The client sends its next hooks over HTTP, which a new daemon opens a moment later.
  if (isNew) await untilHttp(daemon)
}

/** Whether agents may call the launcher unasked; then texts name it instead of a command on the PATH. */
function isPermittedByPath({ env, cwd }: Io, name: string): boolean {
  const { launcher, user } = findHome(env)
  const folders = { user: user.clients.get(name) ?? '', project: cwd }
  const rule = JSON.stringify(`${shellWord(launcher)} step *`).slice(1, -1)
  return (['user', 'local'] as const).some((scope) =>
    textOf(clients.get(name)?.settings.path(scope, folders) ?? '').includes(rule),
  )
}

/** Loads the other commands only for a prompt that may call one, because every prompt waits for this process. */
async function reportOf(io: Io, client: string, payload: unknown): Promise<string | undefined> {
  if (!/"\s*\/holdfast[:-]/i.test(JSON.stringify(payload))) return undefined
  const { reportFor } = await import('../daemon/in-client.ts')
  return await reportFor(io, { client, payload }, () => import('./index.ts'))
}

async function readPayload(): Promise<unknown> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    length += part.length
    if (length <= LIMITS.bytes) parts.push(part)
  }
  if (length > LIMITS.bytes) throw usage(`The hook event has ${length} bytes; the limit is ${LIMITS.bytes}.`)
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown
  } catch {
    throw usage('The hook event must be JSON.')
  }
}
