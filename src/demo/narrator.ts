import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from '../cli/frame/command.ts'
import type { Io } from '../cli/frame/io.ts'
import { paint } from '../cli/frame/print.ts'
import { forShell } from '../cli/frame/program.ts'
import { table } from '../cli/frame/table.ts'
import { widthOf, wrap } from '../cli/frame/wrap.ts'
import type { HookEvent } from '../model/event.ts'
import type { Span } from '../model/span.ts'
import type { LedgerRow } from '../store/ledger.ts'
import type { Outcome } from './recording.ts'

const MOST_COLUMNS = 100
const MARGIN = 13
const PAUSE_MILLISECONDS = 700
const MILLISECONDS_A_LETTER = 6

interface Said {
  readonly kind: HookEvent['kind']
  readonly decision: Outcome
  readonly text: string
  /** What the hook printed for the user. */
  readonly said: string
}

/** Prints the story at reading pace. */
export class Narrator {
  readonly #io: Io
  readonly #isFast: boolean
  #acts = 0

  constructor(io: Io, isFast: boolean) {
    this.#io = io
    this.#isFast = isFast
  }

  async open(folder: string): Promise<void> {
    const text = `A recorded agent session, replayed through a real daemon and real hooks. No model and no key needed. All files are in ${folder} and are removed at the end.`
    this.#io.out(this.#wrapped(text, 0))
    await this.#pause(text)
  }

  async act(title: string): Promise<void> {
    this.#io.out(`\n${paint(this.#io, 'bold', `${++this.#acts}. ${this.#wrapped(title, 3)}`)}`)
    await this.#pause(title)
  }

  says(who: string, what: string, how = ''): void {
    const detail = how === '' ? '' : paint(this.#io, 'dim', `  (${how})`)
    this.#line(who, `${paint(this.#io, 'cyan', what)}${detail}`)
  }

  /** The exact answer of Holdfast. */
  async answers({ kind, decision, text, said }: Said): Promise<void> {
    if (said !== '') this.#line('', paint(this.#io, 'dim', said))
    if (decision === 'block') this.#line(paint(this.#io, 'yellow', 'refused'), text)
    else if (decision === 'unanswered')
      this.#line('no answer', 'The hook finds no daemon, so the client continues without it.')
    else if (text !== '') this.#line(paint(this.#io, 'green', '→ agent'), text)
    else if (kind === 'tool.before') this.#line(paint(this.#io, 'green', 'allowed'), '')
    await this.#pause(text)
  }

  async stored(rows: readonly LedgerRow[]): Promise<void> {
    const events = rows.length === 0 ? 'nothing new' : rows.map((row) => row.event_type).join(', ')
    this.#line('stored', paint(this.#io, 'dim', events))
    await this.#pause()
  }

  async sum(rows: readonly LedgerRow[], spans: readonly Branch[]): Promise<void> {
    await this.act('The ledger has every event, and the span shows the steps of the skill.')
    const shown = rows.map((row) => ({
      seq: row.seq,
      time: row.timestamp.slice(11, 23),
      event: row.event_type,
      skill: row.skill,
      step: row.phase,
      session: row.session_id,
      effort: row.effort_id,
    }))
    const text = table({ ...this.#io, width: this.#io.width - 3 }, shown)
    this.#io.out(`   ${text.replaceAll('\n', '\n   ')}`)
    for (const line of spans.flatMap((span) => branchLines(span))) this.#line('span', line)
    await this.#pause(spans.map(({ skill }) => skill).join(''))
  }

  /** Suggests commands, if this program has them. */
  next(commands: readonly Command[]): void {
    // `npm start` runs in a clone, in which npx finds our program.
    const isClone = this.#io.env['npm_lifecycle_event'] === 'start'
    const told = (words: string): string =>
      isClone ? `npx holdfast ${words}` : forShell(this.#io, `holdfast ${words}`)
    this.#io.out(`\n${paint(this.#io, 'green', 'Done.')} Next, with your own work:`)
    for (const [words, why] of NEXT)
      if (isKnown(words, commands))
        this.#io.out(`   ${paint(this.#io, 'cyan', told(words).padEnd(28))} ${why}`)
  }

  #line(who: string, text: string): void {
    const gap = ' '.repeat(MARGIN - 3 - widthOf(who))
    this.#io.out(`   ${who}${gap}${this.#wrapped(text, MARGIN)}`.trimEnd())
  }

  /** Wraps text to the terminal; later lines align below the first. */
  #wrapped(text: string, margin: number): string {
    const width = Math.min(this.#io.width, MOST_COLUMNS) - margin
    const lines = text.split('\n').flatMap((line) => wrap(line, width))
    return lines.join(`\n${' '.repeat(margin)}`)
  }

  async #pause(read = ''): Promise<void> {
    if (!this.#isFast) await sleep(PAUSE_MILLISECONDS + read.length * MILLISECONDS_A_LETTER)
  }
}

const NEXT = [
  ['init --dry-run', "show what it would write into your agent's settings"],
  ['skill check', 'find problems in your skills'],
  ['why', 'show the last refusal and its reason'],
  ['status', 'show the work in this folder'],
  ['--help', 'list every command'],
] as const

function isKnown(typed: string, commands: readonly Command[]): boolean {
  const words = typed.split(' ')
  const name = words.filter((word) => !word.startsWith('--')).join(' ')
  const flags = words
    .filter((word) => word.startsWith('--'))
    .map((word) => word.slice(2).replaceAll('-', '_'))
  const known = commands.find((command) => command.name === name)?.flags
  return name === '' || (known !== undefined && flags.every((flag) => Object.hasOwn(known, flag)))
}

interface Branch extends Span {
  readonly children?: readonly Branch[]
}

const branchLines = ({ skill, status, steps, children = [] }: Branch, depth = 0): readonly string[] => [
  `${'  '.repeat(depth)}${skill}, ${status}: ${steps.join(' → ')}`,
  ...children.flatMap((child) => branchLines(child, depth + 1)),
]
