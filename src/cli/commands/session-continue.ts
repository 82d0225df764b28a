import { resolve } from 'node:path'
import { numberOf } from '../frame/args.ts'
import { CALLER_FLAGS, callerOf } from '../frame/caller.ts'
import { callAs } from '../daemon/call-as.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { type Io, usage } from '../frame/io.ts'
import { printLines } from '../frame/show.ts'

export const sessionContinue: Command = {
  name: 'session continue',
  summary: 'Resume the last open effort in this session, and print its context; a terminal only shows it.',
  usage: '[DIR|EFFORT]',
  places: {
    'DIR|EFFORT':
      'folder of the task, or number of the effort (default: the last effort of the agent, session or project)',
  },
  flags: {
    take: { kind: 'switch', summary: 'take the effort over, even from a terminal or a session at work' },
    ...CALLER_FLAGS,
  },
  examples: ['holdfast session continue', 'holdfast session continue tasks/login'],
  async run(io, { positionals: [named], values, switches }) {
    // An empty DIR is usually an unset variable, so it must not mean the current folder.
    if (named === '') throw usage('DIR must not be empty.', 'holdfast session continue')
    using remote = new Remote(io)
    const result = await callAs<{ state: string; markdown: string }>(
      io,
      remote,
      'commands.session.continue',
      {
        ...(named !== undefined && wishOf(io, named)),
        ...callerOf(io, values),
        ...(isForOther(io, values) && { unheard: true }),
        ...(switches.has('take') && { take: true }),
      },
    )
    printLines(io, result, () => result.markdown)
    return result.state === 'finished' ? 1 : 0
  },
}

/** Whether the command is run for a session that does not read its answer. */
const isForOther = (io: Io, { native_id }: Readonly<Record<string, string>>): boolean =>
  native_id !== undefined && native_id !== callerOf(io, {}).native_id

const wishOf = ({ cwd }: Io, named: string) =>
  /^\d+$/.test(named) ? { effort_id: numberOf(named, 'EFFORT') } : { dir: resolve(cwd, named) }
