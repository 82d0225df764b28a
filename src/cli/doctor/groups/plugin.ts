import { clients } from '../../../clients/index.ts'
import type { Group } from '../check.ts'
import { deadPlugins, oldPlugins, ownPlugins } from '../plugins.ts'

const able = [...clients.values()].flatMap(({ plugins }) => plugins ?? [])

/** Our plugin, which has its own way to our program. */
export const plugin: Group = {
  name: 'plugin',
  well(scene) {
    const lines = ownPlugins(scene).map(({ key, folder }) => `${key} runs from ${folder}.`)
    return lines.length === 0 ? undefined : lines.join(' ')
  },
  checks: [
    {
      code: 'plugin-dead',
      severity: 'broken',
      finds: 'the plugin is enabled, but its folder is gone or it does not start',
      mends: [
        ...able.map((plugins) => `${plugins.disable('NAME')} && holdfast init --yes`),
        'the command that adds this folder as its marketplace',
      ].join(', or '),
      look: deadPlugins,
    },
    {
      code: 'plugin-old',
      severity: 'warning',
      finds: 'the plugin, or the program that it carries, is older than this program',
      mends: [
        ...able.map((plugins) => plugins.update('NAME')),
        'npm --prefix FOLDER run build',
        'the command that adds this folder as its marketplace',
      ].join(', or '),
      look: oldPlugins,
    },
  ],
}
