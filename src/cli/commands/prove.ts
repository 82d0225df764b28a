import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { EngineError } from '../../model/error.ts'
import type { ProofEnvironment, SessionEnvironment } from '../../model/environment.ts'
import { asItBegan } from '../daemon/environment.ts'
import { callerAround } from '../daemon/sessions-around.ts'
import { numberOf } from '../frame/args.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import type { Io } from '../frame/io.ts'
import { identityOf, withCaller } from '../frame/caller.ts'
import { callAs } from '../daemon/call-as.ts'
import { printResult } from '../frame/show.ts'

/** The command that the engine names. */
interface Begun {
  readonly effort_id: number
  readonly name: string
  readonly command: string
  readonly folder: string
  readonly files: number
  readonly token: string
  readonly by: 'agent' | 'user'
  /** What the session of the agent began in. */
  readonly environment?: SessionEnvironment
}

interface Recorded {
  readonly proved: boolean
  readonly rank?: string
  readonly stale?: boolean
  /** Whether the plan accepts it as proof. */
  readonly counts?: boolean
  readonly completed_steps?: readonly string[]
  readonly next_steps?: readonly string[]
  readonly to_record?: readonly string[]
}

export const prove: Command = {
  name: 'prove',
  summary: 'Run the command that the plan names for an artifact or proof, and record the result.',
  usage: 'NAME',
  places: { NAME: 'name of the artifact or proof field in the plan' },
  flags: { effort: { kind: 'value', summary: 'number of the effort, if several need this proof' } },
  examples: ['holdfast prove tests', 'holdfast prove tests --effort 12'],
  async run(io, { positionals, values }) {
    const [name = ''] = positionals
    const effort = values['effort'] === undefined ? undefined : numberOf(values['effort'], '--effort')
    const meant = effort === undefined ? { path: io.cwd } : { effort_id: effort }
    const wish = { name, ...meant, ...identityOf(io), ...callerAround(io.env) }
    const begun = await withClient(io, (remote) => callAs<Begun>(io, remote, 'evidence.begin', wish))
    io.note(`holdfast: ${begun.command} (in ${begun.folder})`)
    const { env, used } = environmentFor(io, begun)
    const started = performance.now()
    const { exitCode, tail } =
      io.plays === undefined
        ? await runCommand({ ...io, env }, begun)
        : { exitCode: io.plays.proof(begun.name), tail: '' }
    if (exitCode === NOT_FOUND && used !== undefined) io.note(notFound(used))
    const duration = Math.round(performance.now() - started)
    const ran = { exit_code: exitCode, duration_ms: duration, ...(used && { environment: used }) }
    const ended = { token: begun.token, ...ran, tail }
    const recorded = await withClient(io, (remote) =>
      remote.call<Recorded>('evidence.finish', withCaller(io, 'evidence.finish', ended)),
    )
    const result = {
      proved: recorded.proved,
      rank: recorded.rank ?? null,
      effort_id: begun.effort_id,
      name,
      command: begun.command,
      exit_code: exitCode,
      duration_ms: duration,
      stale: recorded.stale ?? false,
      counts: recorded.counts ?? false,
      completed_steps: recorded.completed_steps ?? [],
      next_steps: recorded.next_steps ?? [],
      to_record: recorded.to_record ?? [],
    }
    printResult(io, result, () => sentence(begun, { exitCode, duration }, recorded))
    // The result says nothing about files that changed during the run.
    if (recorded.proved) return recorded.stale === true ? 1 : 0
    return exitCode === 0 ? 1 : exitCode
  },
}

/** Closes the connection first, because the command may run for hours. */
async function withClient<T>(io: Io, work: (remote: Remote) => Promise<T>): Promise<T> {
  using remote = new Remote(io)
  return await work(remote)
}

/** The environment of a user is their own; an agent gets what its session began in, and the answer names what differs. */
function environmentFor(io: Io, { by, environment }: Begun) {
  if (by === 'user') return { env: io.env, used: undefined }
  if (environment === undefined) {
    io.note(
      'holdfast: nothing is known of how this session began, so the command runs in the environment of this shell.',
    )
    return { env: io.env, used: undefined }
  }
  const { env, used } = asItBegan(io.env, environment)
  const differs = [
    ...(io.env['PATH'] === used.path ? [] : ['PATH']),
    ...used.unused.filter((name) => name !== 'PATH'),
  ]
  if (differs.length > 0)
    io.note(
      `holdfast: the command runs in the environment in which the session began; not from this shell: ${differs.join(', ')}.`,
    )
  return { env, used }
}

/** The exit code of a shell that does not find a command. */
const NOT_FOUND = 127

const notFound = ({ path }: ProofEnvironment): string =>
  `holdfast: a command is not on the PATH with which the session began (${path}). Next: ask the user to start the client in a shell that has it, or to run holdfast prove in a terminal of their own.`

const KEPT_BYTES = 8000

/** Runs in the terminal of the caller; the daemon never runs a command. */
async function runCommand(io: Io, { command, folder }: Begun): Promise<{ exitCode: number; tail: string }> {
  const { spawn } = await import('node:child_process')
  const { contained } = await import('../install/contained.ts')
  using held = contained(io, folder, ['/bin/sh', '-c', command])
  const [program, ...words] = held.words
  const child = spawn(program, words, {
    cwd: folder,
    env: io.env,
    stdio: ['inherit', 'pipe', 'pipe'],
  })
  let kept = Buffer.alloc(0)
  const keep = (chunk: Buffer) => void (kept = Buffer.concat([kept, chunk]).subarray(-KEPT_BYTES))
  // With --json, stdout is for the data.
  copy(child.stdout, io.json ? process.stderr : process.stdout, keep)
  copy(child.stderr, process.stderr, keep)
  // The terminal signals the command too; only its exit counts.
  const passOn = (signal: NodeJS.Signals) => void child.kill(signal)
  const ignore = () => undefined
  process.on('SIGINT', ignore).on('SIGTERM', passOn).on('SIGHUP', passOn)
  try {
    const exitCode = await new Promise<number>((done, failed) => {
      child.on('error', (error) =>
        failed(new EngineError('not-found', `Cannot run a command in ${folder}: ${error.message}.`)),
      )
      child.on('close', (code, signal) => done(statusOf(code, signal)))
      // Background processes of the command may keep its output open forever.
      child.on('exit', (code, signal) => void setTimeout(() => done(statusOf(code, signal)), 500).unref())
    })
    for (const stream of [child.stdout, child.stderr]) stream.destroy()
    return { exitCode, tail: stripVTControlCharacters(kept.toString()).replaceAll('\0', '') }
  } finally {
    process.off('SIGINT', ignore).off('SIGTERM', passOn).off('SIGHUP', passOn)
  }
}

/** Copies each byte at once; a closed pipe must not end the command. */
function copy(from: Readable, to: NodeJS.WriteStream, keep: (chunk: Buffer) => void): void {
  to.removeAllListeners('error').on('error', () => undefined)
  from.on('data', (chunk: Buffer) => {
    keep(chunk)
    if (to.write(chunk)) return
    from.pause()
    const goOn = () => {
      to.off('drain', goOn).off('close', goOn)
      from.resume()
    }
    to.on('drain', goOn).on('close', goOn)
  })
}

/** The exit code as a shell reports it. */
const statusOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? 128 + (constants.signals[signal ?? 'SIGKILL'] ?? 0)

function sentence(
  { name, command, effort_id: effort, files }: Begun,
  { exitCode, duration }: { readonly exitCode: number; readonly duration: number },
  { proved, stale, to_record: more = [] }: Recorded,
): string {
  const took = `${(duration / 1000).toFixed(1)} s`
  if (!proved)
    return `not proved: ${command} exited with ${exitCode} after ${took}${exitCode === 0 ? ', and the plan expects it to fail' : ''}; recorded for effort ${effort}.`
  if (stale === true)
    return `not proved: the files that ${name} covers changed while ${command} ran. Run it again.`
  const covered =
    files === 0
      ? 'it covers no files'
      : `it covers ${files === 1 ? '1 file' : `${files} files`} and is valid until one changes`
  const next = more.length === 0 ? '' : `\nnext: ${more.join(' && ')}`
  return `proved ${name} for effort ${effort}: ${command} exited with ${exitCode} after ${took}; ${covered}.${next}`
}
