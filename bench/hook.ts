import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pipeCommand } from '../src/hook/commands.ts'
import { atMost, compared, race, type Row, timed } from './measure.ts'
import { HOLDFAST, homeIn, shareCore, startDaemon, startNode, stop, withFolder } from './processes.ts'

const BARE_HTTP = join(import.meta.dirname, 'bare-http.cjs')
const PAYLOAD = JSON.stringify({
  session_id: '0d6b7c1e-5a53-4c53-9d7e-2f3a0c9a1b11',
  cwd: '/home/somebody/project',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'x'.repeat(800) },
})

/** One hook as its client sees it, by each route, while the daemon runs. */
export function hook(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const [bareKey, ourKey] = [join(folder, 'bare.json'), join(folder, 'home', 'hook.json')]
    const [bare, daemon] = [startNode([BARE_HTTP, bareKey], homeIn(folder)), startDaemon(folder)]
    const [echo, ours] = [await keyIn(bareKey), await keyIn(ourKey)]
    const run = (program: string, ...words: readonly string[]) =>
      timed(() => {
        const { status } = spawnSync(program, words, { input: PAYLOAD, env: homeIn(folder) })
        if (status !== 0) throw new Error(`${program} ended with ${status}.`)
      })
    const line = pipeCommand({ client: 'claude-code' })
    const processes = await race(
      { rounds, calls: 60, turns: 30, warmUp: 5 },
      {
        bare: run('bash', '-c', barePipe(echo.port)),
        bash: run('bash', '-c', line),
        sh: run('sh', '-c', line),
        nothing: run(process.execPath, '-e', '0'),
        command: run(process.execPath, HOLDFAST, 'hook', 'claude-code'),
      },
    )
    shareCore([bare, daemon])
    const [toEcho, toUs] = [await Post.open(echo), await Post.open(ours)]
    const kept = await race(
      { rounds, calls: 5000, warmUp: 2000 },
      { echo: timed(() => toEcho.post()), daemon: timed(() => toUs.post()) },
    )
    for (const connection of [toEcho, toUs]) connection.close()
    await Promise.all([stop(bare), stop(daemon)])
    const piped = { name: 'hook', against: 'bare bash pipe', baseline: processes.bare, unit: 'ms' } as const
    return [
      compared({
        name: 'hook',
        what: 'http, connection kept',
        times: kept.daemon,
        against: 'bare node:http',
        baseline: kept.echo,
        target: atMost(1.3),
      }),
      compared({ ...piped, what: 'pipe in bash', times: processes.bash, target: atMost(1.2) }),
      compared({ ...piped, what: 'pipe in sh', times: processes.sh }),
      compared({
        ...piped,
        what: 'holdfast hook',
        times: processes.command,
        against: 'node -e 0',
        baseline: processes.nothing,
      }),
    ]
  })
}

interface Key {
  readonly port: number
  readonly token: string
}

/** As soon as whoever listens has written it. */
async function keyIn(path: string): Promise<Key> {
  while (!existsSync(path)) await sleep(5)
  return JSON.parse(readFileSync(path, 'utf8')) as Key
}

/** Says and checks as little as can be said. */
const barePipe = (port: number) =>
  [
    'LC_ALL=C;IFS= read -r -N 8192 b',
    `{ printf "POST / HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\nContent-Length: \${#b}\\r\\n\\r\\n%s" "$b" >&3`,
    `IFS= read -r -N 65536 -t 5 r <&3; } 3<>/dev/tcp/127.0.0.1/${port}`,
    'exit 0',
  ].join(';')

/** A kept connection on which every answer is empty. */
class Post {
  readonly #socket: Socket
  readonly #request: string
  #answered: (() => void) | undefined

  private constructor(socket: Socket, { port, token }: Key) {
    this.#socket = socket
    this.#request = [
      'POST /hook/claude-code HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(PAYLOAD)}`,
      `\r\n${PAYLOAD}`,
    ].join('\r\n')
    socket.setEncoding('latin1').on('data', (text: string) => {
      if (!text.startsWith('HTTP/1.1 200 ')) throw new Error(text)
      if (text.endsWith('\r\n\r\n')) this.#answered?.()
    })
  }

  static open(key: Key): Promise<Post> {
    return new Promise((resolve) => {
      const socket = createConnection(key.port, '127.0.0.1', () => resolve(new Post(socket, key)))
    })
  }

  post(): Promise<void> {
    return new Promise((resolve) => {
      this.#answered = resolve
      this.#socket.write(this.#request)
    })
  }

  close(): void {
    this.#socket.destroy()
  }
}
