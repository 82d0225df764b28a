import { LEDGER_EVENTS, tellEntry } from '../../model/ledger.ts'
import type { LedgerRow } from '../../store/ledger.ts'
import { projectHere } from '../daemon/project-here.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import type { Io } from '../frame/io.ts'
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
    printResult(io, last === undefined ? null : tellEntry(last), () =>
      last === undefined ? 'This project has no refusals.' : describe(io, last),
    )
    return 0
  },
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
