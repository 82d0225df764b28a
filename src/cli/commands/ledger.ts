import { clockTime, relativeTime } from '../../model/text/time.ts'
import type { LedgerRow } from '../../store/ledger.ts'
import { numberOf } from '../frame/args.ts'
import { Remote } from '../daemon/remote.ts'
import { ConnectionLost } from '../../rpc/connect.ts'
import type { Command } from '../frame/command.ts'
import type { Io } from '../frame/io.ts'
import { cell, paint } from '../frame/print.ts'
import { fitTerminal, forPeople, printLines } from '../frame/show.ts'
import { reach } from '../daemon/reach.ts'

export const ledger: Command = {
  name: 'ledger',
  summary: 'Show the ledger, oldest first; --follow prints new entries.',
  usage: '',
  flags: {
    limit: { kind: 'value', short: 'n', summary: 'number of newest entries (default 30)' },
    after: { kind: 'value', summary: 'only entries after this seq' },
    type: { kind: 'value', summary: 'only entries of this type, such as phase.entered' },
    effort: { kind: 'value', summary: 'only entries of this effort' },
    project: { kind: 'value', summary: 'only entries of the project with this id' },
    session: { kind: 'value', summary: "only entries of this session: our number or the client's id" },
    follow: { kind: 'switch', short: 'f', summary: 'keep printing new entries; with --json one per line' },
  },
  examples: ['holdfast ledger --limit 5', 'holdfast ledger --follow --type phase.refused'],
  async run(io, { values, switches }) {
    const given = (name: string) =>
      values[name] === undefined ? undefined : numberOf(values[name], `--${name}`)
    const after = given('after')
    const { type, session } = values
    const filter = {
      ...(type !== undefined && { event_type: type }),
      ...(values['effort'] !== undefined && { effort_id: given('effort') }),
      ...(values['project'] !== undefined && { project_id: given('project') }),
      ...(session !== undefined && { session_id: session }),
    }
    using remote = new Remote(io)
    const found = await remote.call<readonly LedgerRow[]>('ledger.list', {
      ...filter,
      ...(after !== undefined && { after }),
      limit: given('limit') ?? 30,
    })
    const rows = found.toSorted((a, b) => a.seq - b.seq)
    if (!switches.has('follow')) {
      printLines(io, rows, () =>
        rows.length === 0 ? nothing(values) : rows.map((row) => line(io, row, relativeTime)).join('\n'),
      )
      return 0
    }
    for (const row of rows) show(io, row)
    await follow(io, remote, { filter, after: rows.at(-1)?.seq ?? after ?? 0 })
    return 0
  },
}

const nothing = (wish: Readonly<Record<string, string>>): string =>
  Object.keys(wish).length === 0 ? 'The ledger is empty.' : 'No entry matches.'

/** Runs until interrupted; after a lost connection it resumes with the next entry. */
async function follow(io: Io, remote: Remote, from: { filter: object; after: number }): Promise<never> {
  let { after } = from
  for (;;) {
    const connection = await reach(remote.launch, (_, params) => {
      const { entry } = params as { entry: LedgerRow }
      if (entry.seq <= after) return
      after = entry.seq
      show(io, entry)
    })
    await connection.call('ledger.subscribe', { ...from.filter, after }).catch((error: unknown) => {
      if (!(error instanceof ConnectionLost)) throw error
    })
    await connection.closed
  }
}

const show = (io: Io, row: LedgerRow): void =>
  io.out(io.json ? JSON.stringify(row) : fitTerminal(io, line(io, row, clockTime)))

/** Lines that stay on the screen show absolute times. */
function line(io: Io, row: LedgerRow, saidAs: (time: string) => string): string {
  const what = row.event_type.endsWith('refused')
    ? paint(io, 'yellow', cell(row.event_type))
    : paint(io, 'cyan', cell(row.event_type))
  const about = [
    cell(row.skill),
    cell(row.phase),
    row.effort_id === null ? '' : `effort ${row.effort_id}`,
    sessionText(row),
    cell(row.agent_id),
    paint(io, 'dim', cell(forPeople(row.payload))),
  ]
  return `${String(row.seq).padStart(6)}  ${paint(io, 'dim', saidAs(row.timestamp).padStart(10))}  ${what}  ${about.filter((part) => part !== '').join('  ')}`
}

/** The number that other commands take; before a session has one, only its client's id is known. */
export const sessionText = ({ window_id: id, session_id: native }: LedgerRow): string =>
  id === null && native === '' ? '' : `session ${id ?? cell(native)}`
