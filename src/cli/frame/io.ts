import { fstatSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isatty } from 'node:tty'
import { EngineError } from '../../model/error.ts'

/** What a command may touch of the process it runs in. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** The file that Node was started with, to start a daemon in the same way. */
  readonly entry: string
  readonly json: boolean
  readonly color: boolean
  /** How many columns a line may take. */
  readonly width: number
  /** Data. */
  out(text: string): void
  /** Messages. */
  note(text: string): void
  /** Draws over the line of a terminal, for messages; undefined where stderr is none. */
  readonly draw?: (text: string) => void
  /** What is piped in, for a caller in the same process; elsewhere it comes by stdin. */
  readonly input?: string
  /** What a person answers; undefined where nobody could. */
  readonly ask?: (question: string) => Promise<string>
}

/** The width without a terminal, as in a pipe. */
const USUAL_WIDTH = 80

/** The columns of a terminal, as far as it tells them: some say 0. */
export const widthFor = (columns: number | undefined): number =>
  columns === undefined || columns < 1 ? USUAL_WIDTH : columns

export function systemIo(json: boolean): Io {
  // Not by way of the streams, because opening stdin takes longer than most commands need it.
  const [asks, shows] = [isatty(0), isatty(1)]
  return {
    env: process.env,
    cwd: process.cwd(),
    entry: process.argv[1] ?? '',
    json,
    color: wantsColor(process.env, shows),
    width: widthFor(shows ? process.stdout.columns : undefined),
    out: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
    ...(isatty(2) && { draw }),
    ...(!json && asks && shows && { ask }),
  }
}

const draw = (text: string): void => void process.stderr.write(`\r\u001B[K${text}`)

/** Whoever ends the input has said nothing. */
async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline')
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const answer = Promise.withResolvers<string>()
  lines.on('close', () => answer.resolve(''))
  lines.question(question, answer.resolve)
  return await answer.promise.finally(() => lines.close())
}

/** Only a clear yes is one. */
export const isYes = (answer: string): boolean => /^\s*y(es)?\s*$/i.test(answer)

export function wantsColor(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false
  const forced = env['FORCE_COLOR'] ?? ''
  if (forced !== '') return forced !== '0' && forced !== 'false'
  return isTerminal && env['TERM'] !== 'dumb'
}

/** A value as it is, from a file as `@file`, or from stdin as `-`. */
export function readValue(text: string, io: Io): string {
  if (text !== '-' && !text.startsWith('@')) return text
  if (text === '-' && io.input !== undefined) return io.input
  const file = text === '-' ? 0 : resolve(io.cwd, text.slice(1))
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw usage(`${text} cannot be read: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

export const usage = (message: string, hint?: string) =>
  new EngineError('invalid', message, hint === undefined ? {} : { hint })

/** A pipe that nobody writes to or closes must not hold a command up. */
const SILENT_MILLISECONDS = 1000

/** What is piped in, such as a here-document; nothing where nothing is. */
export async function piped({ input }: Io): Promise<string> {
  if (input !== undefined) return input
  const stdin = fstatSync(0)
  if (stdin.isFile()) return readFileSync(0, 'utf8')
  if (!stdin.isFIFO() && !stdin.isSocket()) return ''
  const parts: string[] = []
  const ended = Promise.withResolvers<void>()
  const silent = setTimeout(ended.resolve, SILENT_MILLISECONDS)
  process.stdin
    .setEncoding('utf8')
    .on('data', (part: string) => {
      clearTimeout(silent)
      parts.push(part)
    })
    .on('end', ended.resolve)
    .on('error', ended.resolve)
  await ended.promise
  clearTimeout(silent)
  process.stdin.destroy()
  return parts.join('')
}
