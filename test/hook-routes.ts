import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectTo } from '../src/cli/daemon/connect.ts'
import { findHome } from '../src/daemon/home.ts'
import type { DaemonStatus } from '../src/engine/call/context.ts'
import { hookCommand, pipeCommand } from '../src/hook/commands.ts'
import { ENTRY, testDaemon, type User } from './holdfast.ts'

/** The client whose hooks are sent. */
export const CLIENT = 'claude-code'
/** Milliseconds for hooks in tests that are not about time, because a busy machine is slow. */
export const PATIENT = 60_000
const HOOK_DAEMON = testDaemon('test/hook-daemon.ts')

/** A daemon as our own child, once its HTTP is open or has failed. */
export async function running(
  user: User,
  entry = [HOOK_DAEMON],
): Promise<{ child: ChildProcess; http: DaemonStatus['http'] }> {
  const child = spawn(process.execPath, entry, { env: user.env, stdio: 'ignore' })
  for (;;) {
    await sleep(20)
    const connection = await connectTo(findHome(user.env))
    if (connection === undefined) continue
    const { http } = (await connection.call('daemon.status')) as DaemonStatus
    connection.close()
    if (http.listening || http.problem !== null) return { child, http }
  }
}

/** Ends a daemon, and waits until it is gone. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}

interface Said {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end. */
export async function run(
  program: string,
  words: readonly string[],
  input: string,
  env: object,
): Promise<Said> {
  const child = spawn(program, words, { env: env as NodeJS.ProcessEnv, cwd: '/' })
  const [out, err]: [string[], string[]] = [[], []]
  child.stdout.setEncoding('utf8').on('data', (text: string) => void out.push(text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void err.push(text))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout: out.join(''), stderr: err.join('') }
}

/** The hook key of a user's daemon. */
export const keyOf = (user: User) =>
  JSON.parse(readFileSync(findHome(user.env).hookKey, 'utf8')) as {
    port: number
    token: string
    countersign: string
  }

/** A route for a hook to the daemon. */
export type Route = (user: User, input: string) => Promise<Said>

/** As a client sends it itself. */
export const http: Route = async (user, body) => {
  const { port, token } = keyOf(user)
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
  const answer = await fetch(`http://127.0.0.1:${port}/hook/${CLIENT}`, { method: 'POST', headers, body })
  return { code: answer.status === 200 ? 0 : answer.status, stdout: await answer.text(), stderr: '' }
}

/** A line of shell that waits longer than `init` lets it. */
export const withLimit = (line: string, milliseconds = PATIENT): string =>
  line
    .replace(/--limit \d+/, `--limit ${milliseconds}`)
    .replaceAll(/ -t \d+/g, ` -t ${Math.ceil(milliseconds / 1000)}`)

/** As `init` writes it. */
export const PIPE = pipeCommand({ client: CLIENT })

/** As a shell sends it. */
export const pipe =
  (
    shell: string,
    { options = [], line = withLimit(PIPE) }: { options?: readonly string[]; line?: string } = {},
  ): Route =>
  (user, input) =>
    run(shell, [...options, '-c', line], input, user.env)

/** As on a machine with only these programs. */
export const pipeWith =
  (...programs: readonly string[]): Route =>
  (user, input) => {
    const folder = join(user.folder, programs.join('-'))
    mkdirSync(folder, { recursive: true })
    for (const program of programs) {
      const path = join(folder, program)
      rmSync(path, { force: true })
      if (program === 'holdfast')
        writeFileSync(path, `#!/bin/sh\nexec ${process.execPath} ${ENTRY} "$@" --limit ${PATIENT}\n`, {
          mode: 0o755,
        })
      else symlinkSync(`/usr/bin/${program}`, path)
    }
    // Dash, because a shell that is bash needs nothing else.
    return run('/bin/dash', ['-c', withLimit(PIPE)], input, { ...user.env, PATH: folder })
  }

/** Our own program. */
export const programOf = ({ holdfast: launcher }: User) => ({ client: CLIENT, launcher })

/** As the program sends it. */
export const command: Route = (user, input) =>
  run('sh', ['-c', hookCommand({ ...programOf(user), limit: PATIENT })], input, user.env)

/** What makes a bash behave like those before 4.1. */
export const OLD_BASH = 'read(){ case "$*" in *-N*)return 2;esac;builtin read "$@";};'

/** A pipe in all shells that may exist. */
export const pipesOf = (line: string): Readonly<Record<string, Route>> => ({
  'the pipe in sh': pipe('sh', { line }),
  'the pipe in bash': pipe('bash', { line }),
  'the pipe in bash that is called sh': pipe('bash', { line, options: ['--posix'] }),
  'the pipe in an old bash': pipe('bash', { line: `${OLD_BASH}${line}` }),
})

export const PIPES = pipesOf(withLimit(PIPE))

/** All routes. */
export const ROUTES: Readonly<Record<string, Route>> = {
  http: http,
  ...PIPES,
  'the pipe without bash': pipeWith('holdfast'),
  'the command': command,
}
