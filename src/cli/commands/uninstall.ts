import type { Command } from '../frame/command.ts'
import { SETTINGS_FLAGS } from '../install/settings-flags.ts'

export const uninstall: Command = {
  name: 'uninstall',
  summary: 'Remove the hooks and restore the settings byte for byte; works without a daemon.',
  usage: '',
  flags: {
    ...SETTINGS_FLAGS,
    dry_run: { kind: 'switch', summary: 'show the changes; write nothing' },
  },
  examples: [
    'holdfast uninstall                 # your settings and those of this project',
    'holdfast uninstall --scope user --dry-run',
  ],
  async run(io, given) {
    const { runUninstall } = await import('../install/uninstall.ts')
    return runUninstall(io, given)
  },
}
