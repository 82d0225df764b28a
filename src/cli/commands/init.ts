import type { Command } from '../frame/command.ts'
import { SETTINGS_FLAGS } from '../install/settings-flags.ts'

export const init: Command = {
  name: 'init',
  summary: 'Install this program and the hooks of an agent client: preview, write and test them.',
  usage: '',
  flags: {
    ...SETTINGS_FLAGS,
    observe: { kind: 'switch', summary: 'record violations without refusing them' },
    enforce: { kind: 'switch', summary: 'refuse what violates the plan (the default)' },
    strict: { kind: 'switch', summary: 'refuse even if the daemon does not answer' },
    locked: { kind: 'switch', summary: 'strict, and the sandbox of the client keeps steps from every shell' },
    allow_holdfast: {
      kind: 'switch',
      summary: 'let agents run safe commands, such as `holdfast step`, without asking',
    },
    allow_skills: {
      kind: 'switch',
      summary: 'let agents call skills without asking, as pipelines and chains do',
    },
    status_line: {
      kind: 'switch',
      summary: 'show the session below your own status line (default; --no-status-line turns it off)',
    },
    dry_run: { kind: 'switch', summary: 'tell the changes; write and start nothing' },
    diff: { kind: 'switch', summary: 'show every line that changes' },
    yes: { kind: 'switch', summary: 'write without asking' },
  },
  examples: [
    'holdfast init --dry-run --diff',
    'holdfast init --yes                          # all your projects',
    'holdfast init --scope local --strict --yes   # this project, on this machine',
    'holdfast init --locked                       # this project; needs bubblewrap and socat on Linux',
    'holdfast init --scope project --yes          # this project, for every clone',
  ],
  async run(io, given) {
    const { runInit } = await import('../install/init.ts')
    return await runInit(io, given)
  },
}
