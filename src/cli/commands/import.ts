import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ImportState } from '../../engine/session/import-session.ts'
import { clients } from '../../clients/index.ts'
import { findHome } from '../../daemon/home.ts'
import { counted } from '../../model/text/line.ts'
import { duration } from '../../model/text/time.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { type Io, usage } from '../frame/io.ts'
import { printResult } from '../frame/show.ts'
import { type LineCounts, sendTranscript } from '../import/send.ts'
import { cwdOf, type Transcript, transcriptsOf } from '../import/transcripts.ts'
import { runForget, WHAT_TO_FORGET } from './forget.ts'
import { momentOf, refresh } from './search.ts'

/** What an import did, or would do. */
interface Imported {
  readonly dry_run: boolean
  /** Transcripts by what became of them. */
  readonly sessions: Record<Outcome, number>
  messages: number
  /** Messages that were forgotten before, or are beyond what one session may have. */
  left_out: number
  readonly lines: LineCounts
}

type Outcome =
  | 'imported'
  | 'up_to_date'
  | 'recorded'
  | 'elsewhere'
  | 'forgotten'
  | 'gone'
  | 'empty'
  | 'failed'

export const importCommand: Command = {
  name: 'import',
  summary:
    'Make sessions from before Holdfast searchable: reads the transcripts of your clients, keeps your prompts and the last answers, and masks secrets.',
  usage: '',
  flags: {
    all_projects: { kind: 'switch', summary: 'import the sessions of every project' },
    project: {
      kind: 'value',
      summary: 'import the sessions of the project at this path instead of this one',
    },
    since: {
      kind: 'value',
      summary: 'only sessions that went on in this time, such as 30d, 12h or 2026-01-31',
    },
    dry_run: { kind: 'switch', summary: 'only count what would be imported' },
    forget: {
      kind: 'switch',
      summary: 'delete instead, as `holdfast forget` does: with --session, --project or --pattern',
    },
    ...WHAT_TO_FORGET,
    yes: { kind: 'switch', summary: 'delete without asking' },
  },
  examples: ['holdfast import', 'holdfast import --all-projects --since 90d'],
  async run(io, given) {
    const { values, switches } = given
    if (switches.has('forget')) return await runForget(io, given)
    const isAll = switches.has('all_projects')
    if (isAll && values['project'] !== undefined)
      throw usage('--all-projects and --project exclude each other.', 'holdfast import --all-projects')
    using remote = new Remote(io)
    const since = values['since'] === undefined ? 0 : Date.parse(momentOf(values['since']))
    const found = transcriptsOf(findHome(io.env).user, clients).filter(({ written }) => written >= since)
    const scope = isAll ? undefined : resolve(io.cwd, values['project'] ?? '.')
    if (scope !== undefined && !existsSync(scope))
      throw usage(`There is no folder ${scope}.`, 'holdfast import --all-projects')
    const isDry = switches.has('dry_run')
    const { result, projects } = await importAll(io, remote, { found, scope, isDry })
    if (!isDry) for (const project_id of projects) await refresh(io, remote, { project_id })
    io.draw?.('')
    printResult(io, result, () => told(result, found.length))
    return result.sessions.failed === 0 ? 0 : 1
  },
}

interface Importing {
  readonly found: readonly Transcript[]
  /** A folder of the only project to import. */
  readonly scope: string | undefined
  readonly isDry: boolean
}

interface Known {
  readonly session: string
  readonly state: ImportState
  readonly offset: number
}

/** Asks about so many sessions at once. */
const AT_ONCE = 100

async function importAll(io: Io, remote: Remote, { found, scope, isDry }: Importing) {
  const result: Imported = {
    dry_run: isDry,
    sessions: {
      imported: 0,
      up_to_date: 0,
      recorded: 0,
      elsewhere: 0,
      forgotten: 0,
      gone: 0,
      empty: 0,
      failed: 0,
    },
    messages: 0,
    left_out: 0,
    lines: { read: 0, not_understood: 0, too_long: 0 },
  }
  const projects = new Set<number>()
  const progress = progressOf(io, found)
  for (let at = 0; at < found.length; at += AT_ONCE)
    for (const { transcript, cwd, known } of await look(remote, found.slice(at, at + AT_ONCE), scope)) {
      progress.begin()
      const outcome = outcomeOf(transcript, known)
      if (outcome !== undefined) result.sessions[outcome]++
      else {
        const sent = await sendTranscript({
          remote,
          transcript,
          cwd,
          from: known?.offset ?? 0,
          isDry,
          lines: result.lines,
          onRead: progress.read,
        })
        result.sessions[sent.state === 'moved' ? 'up_to_date' : sent.state]++
        result.messages += sent.messages
        result.left_out += sent.left_out
        if (sent.project_id !== null) projects.add(sent.project_id)
      }
      progress.end(transcript)
    }
  return { result, projects }
}

/** Undefined if something of it can be imported. */
function outcomeOf({ bytes }: Transcript, known: Known | undefined): Outcome | undefined {
  if (known === undefined) return 'empty'
  if (known.state === 'begun') return known.offset >= bytes ? 'up_to_date' : undefined
  return known.state === 'new' ? undefined : known.state
}

async function look(remote: Remote, found: readonly Transcript[], scope: string | undefined) {
  const placed = []
  for (const transcript of found) placed.push({ transcript, cwd: await cwdOf(transcript) })
  const sessions = placed.flatMap(({ transcript: { session }, cwd }) =>
    cwd === undefined ? [] : [{ session, cwd }],
  )
  const known =
    sessions.length === 0
      ? []
      : await remote.call<readonly Known[]>('memory.known', {
          sessions,
          ...(scope !== undefined && { path: scope }),
        })
  const bySession = new Map(known.map((one) => [one.session, one]))
  return placed.map(({ transcript, cwd = '' }) => ({
    transcript,
    cwd,
    known: bySession.get(transcript.session),
  }))
}

const DRAW_EVERY_MILLISECONDS = 100

/** Draws the share of bytes that is done, with an estimate. */
function progressOf(io: Io, found: readonly Transcript[]) {
  const total = found.reduce((sum, { bytes }) => sum + bytes, 0)
  const started = performance.now()
  let [done, before, drawn] = [0, 0, 0]
  const draw = () => {
    const now = performance.now()
    if (now - drawn < DRAW_EVERY_MILLISECONDS) return
    drawn = now
    const left = done === 0 ? '' : `, about ${duration(((total - done) / done) * (now - started))} left`
    io.draw?.(`Importing … ${Math.floor((done / Math.max(1, total)) * 100)} %${left}`)
  }
  return {
    begin: () => void (before = done),
    read: (bytes: number) => {
      done += bytes
      draw()
    },
    /** What was skipped counts as done. */
    end: ({ bytes }: Transcript) => {
      done = before + bytes
      draw()
    },
  }
}

function told({ dry_run, sessions, messages, left_out, lines }: Imported, found: number): string {
  if (found === 0) return 'No client has transcripts of earlier sessions.'
  const verb = dry_run ? 'Would import' : 'Imported'
  const skipped = REASONS.flatMap(([key, why]) => (sessions[key] === 0 ? [] : [`${sessions[key]} ${why}`]))
  return [
    `${verb} ${counted(messages, 'message')} of ${counted(sessions.imported, 'session')}.`,
    ...(skipped.length === 0 ? [] : [`Not imported: ${skipped.join(', ')}.`]),
    ...(left_out === 0
      ? []
      : [`Left out: ${counted(left_out, 'message')}, forgotten or beyond 5,000 in a session.`]),
    ...(lines.not_understood + lines.too_long === 0
      ? []
      : [`Lines not understood: ${lines.not_understood + lines.too_long} of ${lines.read}.`]),
    ...(sessions.imported > 0 && !dry_run ? ['Search them: holdfast search WORDS --source message'] : []),
  ].join('\n')
}

const REASONS: readonly (readonly [Outcome, string])[] = [
  ['up_to_date', 'imported before'],
  ['recorded', 'recorded by hooks'],
  ['elsewhere', 'of other projects (--all-projects imports them)'],
  ['forgotten', 'forgotten'],
  ['gone', 'in folders that are gone'],
  ['empty', 'in which nobody said anything'],
  ['failed', 'that cannot be read'],
]
