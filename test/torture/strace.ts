import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectTo } from '../../src/cli/daemon/connect.ts'
import type { Home } from '../../src/daemon/home.ts'
import type { RpcConnection } from '../../src/rpc/connect.ts'
import type { Operation, Recorded } from './disk.ts'
import { pidOf } from './scene.ts'

const LOOK_EVERY_MILLISECONDS = 20

/** Why system calls cannot be recorded on this machine; undefined if they can. */
export function whyNoStrace(): string | undefined {
  const { error, status, stderr } = spawnSync('strace', ['-f', '-o', '/dev/null', 'true'], {
    encoding: 'utf8',
  })
  if (error !== undefined) return 'strace is not installed'
  return status === 0 ? undefined : `strace may trace nothing here: ${stderr.trim()}`
}

/** The calls that change files or send an answer; those that the disk does not model make the recording fail. */
const WATCHED = [
  'openat,open,creat,write,pwrite64,writev,pwritev,ftruncate,truncate,fsync,fdatasync,sync_file_range',
  'rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat,symlink,symlinkat',
  'fallocate,copy_file_range,sendfile',
].join(',')

interface Started {
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The file for the trace. */
  readonly trace: string
}

/** Runs a program and records its system calls with their data. */
export function recording({ words, env, trace }: Started): ChildProcess {
  const flags = ['-f', '--seccomp-bpf', '-y', '-xx', '-s', '100000000', '-o', trace, '-e', `trace=${WATCHED}`]
  return spawn('strace', [...flags, ...words], { env, cwd: '/', stdio: 'ignore' })
}

/** Runs a program whose system calls, or those on one file, fail as told, such as `fsync:error=EIO:when=3`. */
export function failing({ words, env, trace }: Started, fault: string, file?: string): ChildProcess {
  const [name = ''] = fault.split(':')
  const flags = ['-f', '--seccomp-bpf', '-y', '-o', trace, '-e', `trace=${name}`, '-e', `inject=${fault}`]
  const only = file === undefined ? [] : ['-P', file]
  return spawn('strace', [...flags, ...only, ...words], {
    env,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}

/** A daemon that serves, as its first caller sees it. */
interface Serving {
  readonly connection: RpcConnection
  /** Of the daemon, not of strace; undefined if it cannot say so. */
  readonly pid: number | undefined
}

/** Waits until a traced daemon serves; undefined if it ended before. */
export async function untilServing(child: ChildProcess, home: Home): Promise<Serving | undefined> {
  while (!hasEnded(child)) {
    const connection = await connectTo(home).catch(() => undefined)
    if (connection !== undefined) return { connection, pid: await pidOf(connection).catch(() => undefined) }
    await sleep(LOOK_EVERY_MILLISECONDS)
  }
  return undefined
}

/** Whether a traced program has ended. */
export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** Returns when a traced program has ended and its trace is complete. */
export async function ended(child: ChildProcess): Promise<number | null> {
  if (!hasEnded(child)) await once(child, 'exit')
  return child.exitCode
}

/** The operations of a trace; steps are lines, counted from `first`. */
export function readTrace(trace: string, first = 0): readonly Recorded[] {
  const reader = new TraceReader()
  for (const [index, line] of readFileSync(trace, 'latin1').split('\n').entries())
    reader.line(line, first + index)
  return reader.recorded
}

interface Call {
  readonly name: string
  readonly given: string
  readonly begun: number
}

const WHOLE = /^(\d+) +(\w+)\((.*)\) += (-?\d+)(?:<([^>]*)>)?/
const BEGUN = /^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$/
const RESUMED = /^(\d+) +<\.\.\. \w+ resumed>(.*)\) += (-?\d+)(?:<([^>]*)>)?/

class TraceReader {
  readonly recorded: Recorded[] = []
  readonly #open = new Map<string, Call>()
  readonly #paths = new Map<number, string>()

  line(line: string, step: number): void {
    const [, caller = '', name = '', given = ''] = BEGUN.exec(line) ?? []
    if (name !== '') return void this.#open.set(caller, { name, given, begun: step })
    const [, ofWhole, whole = '', all = '', code, path] = WHOLE.exec(line) ?? []
    if (ofWhole !== undefined)
      return this.#end({ name: whole, given: all, begun: step }, step, Number(code), path)
    const [, resumer = '', rest = '', result, made] = RESUMED.exec(line) ?? []
    const call = this.#open.get(resumer)
    if (call === undefined) return
    this.#open.delete(resumer)
    this.#end({ ...call, given: call.given + rest }, step, Number(result), made)
  }

  #end({ name, given, begun }: Call, step: number, result: number, made: string | undefined): void {
    if (result < 0) return
    if (made !== undefined) this.#paths.set(result, text(made))
    for (const operation of this.#meaning(name, given.split(', '), result))
      this.recorded.push({ operation, begun, ended: step })
  }

  #meaning(name: string, given: readonly string[], result: number): readonly Operation[] {
    const path = () => this.#pathOf(given[/at2?$/.test(name) ? 1 : 0] ?? '')
    const file = () => text(/<([^>]*)>/.exec(given[0] ?? '')?.[1] ?? '')
    switch (name) {
      case 'openat':
      case 'open':
        return opened(this.#paths.get(result) ?? '', given.join(' '))
      case 'write':
      case 'writev':
        return [written(file(), bytesIn(given).subarray(0, result))]
      case 'pwrite64':
      case 'pwritev':
        return [
          { kind: 'write', path: file(), at: Number(given.at(-1)), data: bytesIn(given).subarray(0, result) },
        ]
      case 'ftruncate':
        return [{ kind: 'truncate', path: file(), size: Number(given[1]) }]
      case 'fsync':
      case 'fdatasync':
        return [{ kind: 'sync', path: file() }]
      case 'mkdir':
      case 'mkdirat':
        return [{ kind: 'folder', path: path() }]
      case 'unlink':
      case 'unlinkat':
      case 'rmdir':
        return [{ kind: 'remove', path: path() }]
      case 'rename':
        return [{ kind: 'rename', from: path(), to: this.#pathOf(given[1] ?? '') }]
      default:
        throw new Error(`The disk does not model ${name}(${given.join(', ').slice(0, 200)}).`)
    }
  }

  /** Paths by a descriptor of the process lead to what it had open. */
  #pathOf(word: string): string {
    const path = text(/"([^"]*)"/.exec(word)?.[1] ?? '')
    const [, fd, rest = ''] = /^\/proc\/self\/fd\/(\d+)(.*)$/.exec(path) ?? []
    return fd === undefined ? path : (this.#paths.get(Number(fd)) ?? '') + rest
  }
}

function opened(path: string, flags: string): readonly Operation[] {
  if (!flags.includes('O_CREAT')) return []
  const empties: readonly Operation[] = flags.includes('O_TRUNC') ? [{ kind: 'truncate', path, size: 0 }] : []
  return [{ kind: 'create', path }, ...empties]
}

/** What is not written to a file is told to somebody. */
const written = (path: string, data: Buffer): Operation =>
  path.startsWith('/') ? { kind: 'write', path, data } : { kind: 'tell', text: data.toString('utf8') }

const bytesIn = (given: readonly string[]): Buffer =>
  Buffer.concat([...given.join(', ').matchAll(/"([^"]*)"/g)].map(([, hex = '']) => bytes(hex)))

/** All strings of the trace are hexadecimal: `\x2f\x74`. */
const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(String.raw`\x`, ''), 'hex')

const text = (hex: string): string => bytes(hex).toString('utf8')
