import { realpathSync } from 'node:fs'
import type { AtWork } from '../../engine/effort/at-work.ts'
import { LEDGER_EVENTS, tellEntry } from '../../model/ledger.ts'
import type { LedgerRow } from '../../store/ledger.ts'
import { projectHere } from '../daemon/project-here.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import type { Io } from '../frame/io.ts'
import { nextLines } from '../frame/next-lines.ts'
import { cell, paint } from '../frame/print.ts'
import { printResult } from '../frame/show.ts'
import { relativeTime } from '../../model/text/time.ts'

const REFUSALS = LEDGER_EVENTS.filter((event) => event.endsWith('.refused'))

export const why: Command = {
  name: 'why',
  summary: 'Explain the last refusal in this project.',
  usage: '',
  flags: {},
  examples: ['holdfast why', 'holdfast ledger --type step.refused'],
  async run(io) {
    using remote = new Remote(io)
    const project = await projectHere(io, remote)
    const lists =
      project === undefined
        ? []
        : ((await remote.callAll(
            REFUSALS.map((event_type) => ({
              method: 'ledger.list',
              params: { event_type, limit: 1, project_id: project.id },
            })),
          )) as (readonly LedgerRow[])[])
    const last = lists.flat().toSorted((a, b) => b.seq - a.seq)[0]
    const parked = project === undefined ? [] : await parkedIn(io, remote)
    printResult(io, last === undefined ? null : tellEntry(last), () =>
      [...(last === undefined ? ['This project has no refusals.'] : [describe(io, last)]), ...parked].join(
        '\n',
      ),
    )
    return 0
  },
}

/** The efforts here that only the user can let go on, whatever was refused. */
async function parkedIn(io: Io, remote: Remote): Promise<readonly string[]> {
  const { efforts } = await remote.call<{ readonly efforts: readonly AtWork[] }>('db.project.status', {
    path: realpathSync(io.cwd),
  })
  return efforts.flatMap(({ id, skill, parked, failures, next }) =>
    parked === null
      ? []
      : [
          `${paint(io, 'bold', `Effort ${id} of ${cell(skill)} is parked`)}: ${cell(parked)}`,
          ...failures.map(cell),
          ...nextLines(io, { next: [next] }),
        ],
  )
}

function describe(io: Io, row: LedgerRow): string {
  const {
    reason = '',
    rule,
    observed,
  } = row.payload as { reason?: string; rule?: string; observed?: boolean }
  const about = [
    row.skill === '' ? '' : `skill ${row.skill}`,
    row.phase === '' ? '' : row.event_type === 'phase.refused' ? `phase ${row.phase}` : `step ${row.phase}`,
    rule === undefined ? '' : `rule ${rule}`,
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
    ...(row.effort_id === null ? [] : [`next: holdfast effort show ${row.effort_id}`]),
  ].join('\n')
}
