import { fstatSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isatty } from 'node:tty'
import { EngineError } from '../../model/error.ts'
import { withoutMarkers, withoutMarkersInJson } from '../../model/text/foreign.ts'

/** What comes of commands of a plan that are only played. */
export interface Plays {
  /** The exit code for a proof. */
  readonly proof: (name: string) => number
  /** The result of a step that is a command. */
  readonly step: (run: PlayedStep) => {
    readonly outcome?: string
    readonly set?: Readonly<Record<string, string>>
  }
}

export interface PlayedStep {
  readonly effort_id: number
  readonly step: string
  readonly visit: number
}

/** The parts of the process that a command may use. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** The script of this process, which also starts the daemon. */
  readonly entry: string
  /** How the user will call our program, if a command changes that. */
  readonly program?: string
  readonly json: boolean
  readonly color: boolean
  /** Whether stdout is a terminal. */
  readonly isTerminal: boolean
  /** Columns of the terminal. */
  readonly width: number
  /** Prints data to stdout; markup of ours has escaped what others say, and keeps its own tags. */
  out(text: string, isMarkup?: boolean): void
  /** Prints a message to stderr. */
  note(text: string): void
  /** Overwrites the current line of the terminal; undefined if stderr is not a terminal. */
  readonly draw?: (text: string) => void
  /** Piped input from a caller in the same process, instead of stdin. */
  readonly input?: string
  /** The session whose prompt asks, instead of the one in the environment. */
  readonly session?: { readonly native_id: string; readonly client: string }
  /** Who runs a command that loosens the rules. */
  readonly by?: 'agent' | 'user'
  /** Plays the commands of a plan, where nothing of a skill may run. */
  readonly plays?: Plays
  /** Asks the user; undefined without a terminal. */
  readonly ask?: (question: string) => Promise<string>
}

/** The width without a terminal. */
const USUAL_WIDTH = 80

/** The columns of a terminal, as far as it tells them: some say 0. */
export const widthFor = (columns: number | undefined): number =>
  columns === undefined || columns < 1 ? USUAL_WIDTH : columns

export function systemIo(json: boolean): Io {
  // isatty avoids opening stdin, which is slow.
  const [asks, shows] = [isatty(0), isatty(1)]
  return {
    env: process.env,
    cwd: process.cwd(),
    entry: process.argv[1] ?? '',
    json,
    color: wantsColor(process.env, shows),
    isTerminal: shows,
    width: widthFor(shows ? process.stdout.columns : undefined),
    out: (text, isMarkup) => void process.stdout.write(written(text, { json, isTerminal: shows }, isMarkup)),
    note: (text) => void process.stderr.write(written(text, { json, isTerminal: isatty(2) })),
    ...(isatty(2) && { draw }),
    ...(!json && asks && shows && { ask }),
  }
}

/** A text as printed: it ends with exactly one line break. */
export const withEnd = (text: string): string => `${text.replace(/\n+$/, '')}\n`

/** A text as its reader gets it; without a terminal, that is an agent, to whom some tags mean more than text. */
export function written(
  text: string,
  { json, isTerminal }: Pick<Io, 'json' | 'isTerminal'>,
  isMarkup = false,
): string {
  if (isTerminal || isMarkup) return withEnd(text)
  return withEnd(json ? withoutMarkersInJson(text) : withoutMarkers(text))
}

const draw = (text: string): void => void process.stderr.write(`\r\u001B[K${text}`)

/** End of input is an empty answer. */
async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline')
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const answer = Promise.withResolvers<string>()
  lines.on('close', () => answer.resolve(''))
  lines.question(question, answer.resolve)
  return await answer.promise.finally(() => lines.close())
}

/** Accepts only an explicit yes. */
export const isYes = (answer: string): boolean => /^\s*y(es)?\s*$/i.test(answer)

export function wantsColor(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false
  const forced = env['FORCE_COLOR'] ?? ''
  if (forced !== '') return forced !== '0' && forced !== 'false'
  return isTerminal && env['TERM'] !== 'dumb'
}

/** A literal value, or the content of `@file` or of stdin (`-`). */
export function readValue(text: string, io: Io): string {
  if (text !== '-' && !text.startsWith('@')) return text
  if (text === '-' && io.input !== undefined) return io.input
  const file = text === '-' ? 0 : resolve(io.cwd, text.slice(1))
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw usage(`Cannot read ${text}: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

export const usage = (message: string, hint?: string) =>
  new EngineError('invalid', message, hint === undefined ? {} : { hint })

/** An idle pipe must not block a command. */
const SILENT_MILLISECONDS = 1000

/** The piped input, such as a here-document, or an empty text. */
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
