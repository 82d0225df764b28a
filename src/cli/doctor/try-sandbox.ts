import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import type { SandboxTrial } from '../../model/client-files.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Io } from '../frame/io.ts'

/** What a run of the client showed about its sandbox. */
export type Tried =
  | { readonly kind: 'proved' }
  | { readonly kind: 'open'; readonly path: string }
  | { readonly kind: 'unknown'; readonly why: string }

const LIMIT_MILLISECONDS = 60_000
const RAN = 'holdfast-ran-this'

/** Runs the installed client once, with a model of our own that asks for the text of a step. */
export async function trySandbox(
  io: Io,
  trial: SandboxTrial,
  { project, unread }: { readonly project: string; readonly unread: readonly string[] },
): Promise<Tried> {
  const path = unread.flatMap(filesAt)[0]
  if (path === undefined) return { kind: 'unknown', why: 'there is no step to try it with' }
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-trial-'))
  try {
    const command = `cat ${shellWord(path)}; echo ${RAN}`
    const { printed, why } = await runClient(io, trial, { project, folder, command })
    if (printed?.includes(RAN) !== true) return { kind: 'unknown', why: why ?? 'the client ran no command' }
    return printed.includes(lastLine(path)) ? { kind: 'open', path } : { kind: 'proved' }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Files with text, because an empty one shows nothing. */
function filesAt(path: string): readonly string[] {
  const info = statSync(path, { throwIfNoEntry: false })
  if (info === undefined) return []
  const files = info.isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path]
  return files.filter((file) => file.endsWith('.md') && lastLine(file) !== '')
}

const lastLine = (path: string): string => readFileSync(path, 'utf8').trim().split('\n').at(-1) ?? ''

interface Run {
  readonly project: string
  readonly folder: string
  readonly command: string
}

async function runClient(io: Io, trial: SandboxTrial, { project, folder, command }: Run) {
  let printed: string | undefined
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await textOf(request)
    printed = trial.printed(body) ?? printed
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(trial.reply(body, command))
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { words, env } = trial.start({ url, folder })
    const why = await ended(words, { cwd: project, env: { ...io.env, ...env } })
    return { printed, why }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** Runs a program to its end; returns why it failed. */
function ended(
  [program = '', ...words]: readonly string[],
  at: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const child = spawn(program, words, {
    ...at,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MILLISECONDS,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void (said = `${said}${text}`.slice(-300)))
  child.on('error', ({ message }) => resolve(`${program} does not start: ${message}`))
  child.on('close', (code) =>
    resolve(code === 0 ? undefined : `${program} exited with ${code ?? 'a signal'}: ${said.trim()}`),
  )
  return promise
}
