import type { Command } from '../frame/command.ts'
import { printVerbatim } from '../frame/show.ts'
import { SETTINGS_FLAGS } from '../install/settings-flags.ts'

export const hooksEnable: Command = {
  name: 'hooks enable',
  summary: 'Remove client settings that block the hooks, and comments, which the client cannot read.',
  usage: '',
  flags: SETTINGS_FLAGS,
  examples: ['holdfast hooks enable --scope local'],
  async run(io, { values }) {
    const [{ about, placeOf, scopeOf }, { writeSettings }, { settingsDiff }, { painted }] = await Promise.all(
      [
        import('../install/place.ts'),
        import('../install/write-settings.ts'),
        import('../install/show-diff.ts'),
        import('../frame/unified-diff.ts'),
      ],
    )
    const place = placeOf(io, values, scopeOf(values) ?? 'user')
    const { client, file, scope } = place
    const before = file.text
    const after = before === undefined ? undefined : about(file, () => client.settings.enable(before))
    const diff = settingsDiff(before, after)
    const backup = after === undefined || after === before ? null : writeSettings(place, after)
    printVerbatim(io, { scope, path: file.path, written: backup !== null, backup, diff }, () =>
      backup === null
        ? `${file.path} does not block the hooks.`
        : `${painted(io, diff)}\n${file.path}: written. Backup: ${backup}`,
    )
    return 0
  },
}
