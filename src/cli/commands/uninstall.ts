import type { Command } from '../frame/command.ts'
import { SETTINGS_FLAGS } from '../install/settings-flags.ts'

export const uninstall: Command = {
  name: 'uninstall',
  summary: 'Take our hooks out of the settings again, byte for byte as they were; needs no daemon.',
  usage: '',
  flags: {
    ...SETTINGS_FLAGS,
    dry_run: { kind: 'switch', summary: 'only show what would change' },
  },
  examples: [
    'holdfast uninstall                 # yours and those of the project around this folder',
    'holdfast uninstall --scope user --dry-run',
  ],
  async run(io, given) {
    const { runUninstall } = await import('../install/uninstall.ts')
    return runUninstall(io, given)
  },
}
