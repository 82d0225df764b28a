import type { Command } from '../frame/command.ts'
import { usage } from '../frame/io.ts'
import { printVerbatim } from '../frame/show.ts'
import { SETTINGS_FLAGS } from '../install/settings-flags.ts'

export const hooksEnable: Command = {
  name: 'hooks enable',
  summary: 'Remove client settings that block the hooks.',
  usage: '',
  flags: SETTINGS_FLAGS,
  examples: ['holdfast hooks enable --scope local'],
  async run(io, { values }) {
    const [{ about, placeOf, scopeOf }, { readKeys }, { replaceSettings }, { painted, settingsDiff }] =
      await Promise.all([
        import('../install/place.ts'),
        import('../../daemon/keys.ts'),
        import('../install/settings-file.ts'),
        import('../install/show-diff.ts'),
      ])
    const { client, file, home, scope } = placeOf(io, values, scopeOf(values) ?? 'user')
    const { port } = readKeys(home)
    if (port === undefined)
      throw usage('No daemon has opened HTTP for hooks here yet.', 'holdfast daemon start')
    const before = file.text
    const after =
      before === undefined ? undefined : about(file, () => client.settings.enable(before, { port }))
    const diff = settingsDiff(before, after)
    if (after !== undefined && after !== before)
      replaceSettings(file, after, { isShared: scope === 'project' })
    printVerbatim(io, { scope, path: file.path, written: diff.length > 0, diff }, () =>
      diff.length === 0
        ? `${file.path} does not block the hooks.`
        : `${painted(io, diff)}\n${file.path}: written.`,
    )
    return 0
  },
}
