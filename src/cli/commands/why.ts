import { realpathSync } from 'node:fs'
import type { AtWork } from '../../engine/effort/at-work.ts'
import type { Standing } from '../../engine/effort/mover.ts'
import { EngineError } from '../../model/error.ts'
import { LEDGER_EVENTS, tellEntry } from '../../model/ledger.ts'
import type { LedgerRow } from '../../store/ledger.ts'
import { projectHere } from '../daemon/project-here.ts'
import { Remote } from '../daemon/remote.ts'
import { CALLER_FLAGS, identityOf } from '../frame/caller.ts'
import type { Command } from '../frame/command.ts'
import type { Io } from '../frame/io.ts'
import { nextLines } from '../frame/next-lines.ts'
import { cell, paint } from '../frame/print.ts'
import { sessionText } from './ledger.ts'
import { printResult } from '../frame/show.ts'
import { relativeTime } from '../../model/text/time.ts'

const REFUSALS = LEDGER_EVENTS.filter((event) => event.endsWith('.refused'))

export const why: Command = {
  name: 'why',
  summary: 'Explain the last refusal of this session; in a terminal, the last one in this project.',
  usage: '',
  flags: { native_id: CALLER_FLAGS.native_id },
  examples: ['holdfast why', 'holdfast ledger --type step.refused'],
  async run(io, { values }) {
    using remote = new Remote(io)
    const project = await projectHere(io, remote)
    const { native_id: session } = identityOf(io, values)
    const whose = session === undefined ? {} : { session_id: session }
    const lists =
      project === undefined
        ? []
        : ((await remote.callAll(
            REFUSALS.map((event_type) => ({
              method: 'ledger.list',
              params: { event_type, limit: 1, project_id: project.id, ...whose },
            })),
          )) as (readonly LedgerRow[])[])
    const last = lists.flat().toSorted((a, b) => b.seq - a.seq)[0]
    const parked = project === undefined ? [] : await parkedIn(io, remote, { session, told: last?.effort_id })
    const ways = last?.effort_id == null ? [] : await waysOn(io, remote, last.effort_id)
    printResult(io, last === undefined ? null : tellEntry(last), () =>
      [
        last === undefined
          ? `This ${session === undefined ? 'project' : 'session'} has no refusals.`
          : [describe(io, last), ...ways].join('\n'),
        ...parked,
      ].join('\n'),
    )
    return 0
  },
}

interface Told {
  readonly reason?: string
  readonly rule?: string
  readonly observed?: boolean
  readonly command?: string
}

/** What would pass now, in the words of `step`; a finished effort and one without a plan are only shown. */
async function waysOn(io: Io, remote: Remote, effort_id: number): Promise<readonly string[]> {
  const shown = `holdfast effort show ${effort_id}`
  try {
    const { status, next, optional } = await remote.call<Standing>('step.show', { effort_id })
    return nextLines(io, status === 'finished' || next.length === 0 ? { next: [shown] } : { next, optional })
  } catch (error) {
    if (error instanceof EngineError) return nextLines(io, { next: [shown] })
    throw error
  }
}

/** The efforts that only the user can let go on, whatever was refused: those of the session, else all of the project. */
async function parkedIn(
  io: Io,
  remote: Remote,
  of: { readonly session: string | undefined; readonly told: number | null | undefined },
): Promise<readonly string[]> {
  const { efforts } = await remote.call<{ readonly efforts: readonly AtWork[] }>('db.project.status', {
    path: realpathSync(io.cwd),
  })
  const isOwn = ({ session }: AtWork) =>
    of.session === undefined || session === null || session.native_id === of.session
  return efforts
    .filter(isOwn)
    .flatMap(({ id, skill, parked, failures, next }) =>
      parked === null
        ? []
        : [
            `${paint(io, 'bold', `Effort ${id} of ${cell(skill)} is parked`)}: ${cell(parked)}`,
            ...failures.map(cell),
            ...(id === of.told ? [] : nextLines(io, { next: [next] })),
          ],
    )
}

function describe(io: Io, row: LedgerRow): string {
  const { command = '', rule, observed, ...told } = row.payload as Told
  // A refused door has no reason but this one.
  const { reason = `${command}: only the user may run it.` } = told
  const about = [
    row.skill === '' ? '' : `skill ${row.skill}`,
    row.phase === '' ? '' : row.event_type === 'phase.refused' ? `phase ${row.phase}` : `step ${row.phase}`,
    rule === undefined ? '' : `rule ${rule}`,
    sessionText(row),
    relativeTime(row.timestamp),
  ]
  const head = observed === true ? 'Would have been refused' : 'Refused'
  return [
    `${paint(io, 'bold', head)}: ${cell(reason)}`,
    paint(
      io,
      'dim',
      about
        .filter((part) => part !== '')
        .map(cell)
        .join(', '),
    ),
  ].join('\n')
}
