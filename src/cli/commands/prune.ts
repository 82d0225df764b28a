import type { PruneResult } from '../../engine/call/context.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { isConfirmed, tellUnconfirmed } from '../frame/confirm.ts'
import { fitTerminal, printResult } from '../frame/show.ts'

export const prune: Command = {
  name: 'prune',
  summary: 'Delete tool messages of sessions that ended long ago now; the daemon does it every hour.',
  usage: '',
  flags: {
    dry_run: { kind: 'switch', summary: 'tell what would go; delete nothing' },
    yes: { kind: 'switch', summary: 'delete without asking' },
  },
  examples: ['holdfast prune --dry-run', 'holdfast prune --yes'],
  async run(io, { switches }) {
    using remote = new Remote(io)
    const found = await remote.call<PruneResult>('daemon.prunable')
    if (switches.has('dry_run') || found.messages === 0) {
      printResult(io, { ...found, pruned: false }, () => fitTerminal(io, wouldGo(found)))
      return 0
    }
    if (!io.json) io.note(fitTerminal(io, wouldGo(found)))
    if (!(await isConfirmed(io, switches, 'Delete them? [y/N] ')))
      return tellUnconfirmed(
        io,
        { ...found, pruned: false },
        { why: 'Not confirmed; nothing changed.', next: 'holdfast prune --yes' },
      )
    const gone = await remote.call<PruneResult>('daemon.prune')
    printResult(io, { ...gone, pruned: true }, () =>
      fitTerminal(io, `Deleted ${what(gone)}. The database reuses the space; its file does not shrink.`),
    )
    return 0
  },
}

function wouldGo(found: PruneResult): string {
  if (found.days === null) return 'Nothing goes: the config keeps everything (keep_days is off).'
  return found.messages === 0
    ? `Nothing goes: no tool messages are older than ${found.days} days, or their efforts are open.`
    : `Tool messages of sessions that ended more than ${found.days} days ago: ${what(found)}.`
}

const what = ({ messages, sessions, bytes }: PruneResult): string =>
  `${messages} messages of ${sessions} ${sessions === 1 ? 'session' : 'sessions'} (${(bytes / 2 ** 20).toFixed(1)} MiB of text)`
