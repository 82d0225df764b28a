import type { Client } from '../../model/client.ts'
import type { Level } from '../../model/level.ts'
import { shellWord } from '../../model/shell/word.ts'
import { tellUpdates, type Update, updatesPlan } from '../catalogue/update.ts'
import type { Io } from '../frame/io.ts'
import { counted, listed } from '../../model/text/line.ts'
import { paint } from '../frame/print.ts'
import { forShell } from '../frame/program.ts'
import { fit } from '../frame/wrap.ts'
import { canBeHeld, NEW_SKILL } from '../skill/report.ts'
import { painted } from '../frame/unified-diff.ts'

/** What `init` will change. */
export interface Preview {
  readonly path: string
  /** What happens to our program; null if it stays where it is. */
  readonly program: string | null
  readonly undo: string
  readonly diff: readonly string[]
  /** What a level costs, if it costs something. */
  readonly costs: readonly string[]
  readonly warnings: readonly string[]
}

/** The test result of each route: its first failure, or success. */
export interface Canary {
  readonly way: string
  readonly ok: boolean
  readonly detail: string
}

interface Found {
  readonly found: number
  readonly enforceable: number
  readonly broken: number
  /** Skills that `skill adopt` could hold. */
  readonly adoptable: readonly string[]
  readonly folders: readonly string[]
}

/** What the new settings contain, in one line. */
export function summaryOf(client: Client, draft: string, { path, diff }: Preview): string {
  const { statusLine } = client.settings.read(draft)
  const events = client.canaries('').filter((one) => client.settings.called(draft, one).length > 0)
  const count = (sign: string) => diff.filter((line) => line.startsWith(sign)).length
  const parts = [
    `hooks for ${counted(new Set(events.map(({ event }) => event)).size, 'event')}`,
    ...(statusLine?.isOurs === true ? ['a status line'] : []),
  ]
  const lines = `${counted(count('+'), 'line')} added, ${count('-')} removed`
  return `Changes for ${client.name}: ${parts.join(' and ')} in ${path} (${lines}).`
}

/** Prints the preview; `summary` says first what changes. */
export function tellPreview(
  io: Io,
  { program, undo, diff, costs, warnings }: Preview,
  {
    summary,
    commands,
    updates,
    isAsking,
    allowsHoldfast,
    showsDiff,
    toAllow,
  }: Readonly<Record<'isAsking' | 'allowsHoldfast' | 'showsDiff', boolean>> &
    Readonly<Record<'summary' | 'toAllow', string>> & {
      readonly commands: string | undefined
      readonly updates: readonly Update[]
    },
): void {
  const say = (text: string): void => io.out(fit(forShell(io, text), io.width))
  if (diff.length > 0) say(summary)
  if (commands !== undefined) say(commands)
  for (const text of updatesPlan(updates)) say(text)
  if (program !== null) say(program)
  say(`Undo at any time: ${paint(io, 'cyan', undo)}`)
  if (diff.length > 0) {
    if (showsDiff) io.out(painted(io, diff))
    else say('Every line of the change: add --diff')
    if (!allowsHoldfast && !isAsking)
      say(
        `Agents still ask before they run \`holdfast\`. To allow the safe commands: ${toAllow} --allow-holdfast`,
      )
  }
  for (const cost of costs) say(`${paint(io, 'yellow', 'cost:')} ${cost}`)
  for (const warning of warnings) say(`${paint(io, 'yellow', 'warning:')} ${warning}`)
}

/** The result of `init` as text. */
export function describeInit(
  io: Io,
  done: {
    readonly level: Level | null
    readonly skills: Found
    readonly canaries: readonly Canary[]
    readonly commands: readonly string[]
    readonly updates: readonly Update[]
    readonly path: string
    readonly advice: readonly string[]
  },
): string {
  const { level, canaries, path, advice, commands, updates } = done
  const { found, enforceable, broken, adoptable, folders } = done.skills
  const failed = canaries.filter(({ ok }) => !ok)
  return [
    ...(level === null ? [] : [`Level: ${level}.`]),
    `Skills: ${found} found, ${enforceable} enforceable, ${broken} broken.`,
    ...(broken === 0 ? [] : folders.map((folder) => `  See: holdfast skill check ${shellWord(folder)}`)),
    ...(adoptable.length === 0
      ? []
      : [`${canBeHeld(adoptable.length)} (${listed(adoptable, ROOM)}): holdfast skill adopt`]),
    ...canaries.map(
      ({ ok, way, detail }) =>
        `Test of ${way}: ${paint(io, ok ? 'green' : 'red', ok ? 'passed' : `FAILED, ${detail}`)}`,
    ),
    ...(failed.length === 0
      ? ['New sessions appear in: holdfast status']
      : [`The hooks stay in ${path} and let every call pass until they work. See: holdfast doctor`]),
    ...advice,
    ...tellUpdates(updates),
    ...(commands.length === 0 ? [] : [`In the client: ${commands.join(', ')}`]),
    ...(enforceable + adoptable.length === 0 ? [`Nothing to enforce yet. Create a skill: ${NEW_SKILL}`] : []),
  ].join('\n')
}

const ROOM = 120
