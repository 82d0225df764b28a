import type { Command } from '../frame/command.ts'
import { SETTINGS_FLAGS } from '../install/settings-flags.ts'

export const init: Command = {
  name: 'init',
  summary: 'Hook an agent client in: shows what it would write and how to undo it, writes it, and tries it.',
  usage: '',
  flags: {
    ...SETTINGS_FLAGS,
    observe: { kind: 'switch', summary: 'only record what would have been refused' },
    enforce: { kind: 'switch', summary: 'refuse what the plan does not allow (the default)' },
    strict: { kind: 'switch', summary: 'refuse also where the daemon does not answer' },
    allow_holdfast: { kind: 'switch', summary: 'let agents run `holdfast` without asking' },
    status_line: {
      kind: 'switch',
      summary: 'draw where a session stands, below your own status line (the default; --no-status-line)',
    },
    dry_run: { kind: 'switch', summary: 'only show what would be written; starts nothing' },
    yes: { kind: 'switch', summary: 'write without asking' },
  },
  examples: [
    'holdfast init --dry-run',
    'holdfast init --yes                          # all your projects',
    'holdfast init --scope local --strict --yes   # this project, on this machine',
    'holdfast init --scope project --yes          # this project, for everybody who checks it out',
  ],
  async run(io, given) {
    const { runInit } = await import('../install/init.ts')
    return await runInit(io, given)
  },
}
