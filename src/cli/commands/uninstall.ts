import type { Command } from '../frame/command.ts'
import { SETTINGS_FLAGS } from '../install/settings-flags.ts'

export const uninstall: Command = {
  name: 'uninstall',
  summary: 'Remove the hooks and restore the settings byte for byte; works without a daemon.',
  usage: '',
  flags: {
    ...SETTINGS_FLAGS,
    all: { kind: 'switch', summary: 'remove the hooks of every project, the program and its data too' },
    diff: { kind: 'switch', summary: 'show every line that changes' },
    dry_run: { kind: 'switch', summary: 'tell the changes; write nothing' },
    yes: { kind: 'switch', summary: 'with --all: remove without asking' },
  },
  examples: [
    'holdfast uninstall                 # your settings and those of this project',
    'holdfast uninstall --scope user --dry-run --diff',
    'holdfast uninstall --all           # everything; first lists it and asks',
  ],
  async run(io, given) {
    if (given.switches.has('all'))
      return await (await import('../install/uninstall-all.ts')).runUninstallAll(io, given)
    return (await import('../install/uninstall.ts')).runUninstall(io, given)
  },
}
