import { SETTING_NAMES, settingOf } from '../../model/config.ts'
import type { Command } from '../frame/command.ts'

const PROJECT = {
  project: { kind: 'switch', summary: "change the config of this project, not the user's" },
} as const
const KEY = SETTING_NAMES.map((name) => `${name}: ${settingOf(name).summary}`).join('; ')

/** Loaded late, because no other command needs the parser. */
const load = () => import('../install/config.ts')

export const configList: Command = {
  name: 'config list',
  summary: 'Show every setting, its value, and where the value comes from.',
  usage: '',
  flags: {},
  run: async (io) => (await load()).listConfig(io),
}

export const configGet: Command = {
  name: 'config get',
  summary: 'Print the value of a setting.',
  usage: 'KEY',
  places: { KEY },
  flags: {},
  run: async (io, { positionals: [key = ''] }) => (await load()).getConfig(io, key),
}

export const configSet: Command = {
  name: 'config set',
  summary: 'Change a setting in the config file of the user, or of this project.',
  usage: 'KEY VALUE',
  places: { KEY, VALUE: 'the new value' },
  flags: PROJECT,
  examples: ['holdfast config set tasks sessions/ --project', 'holdfast config set stale_seconds 600'],
  run: async (io, given) => (await load()).setConfig(io, given),
}

export const configUnset: Command = {
  name: 'config unset',
  summary: 'Remove a setting from the config file of the user, or of this project.',
  usage: 'KEY',
  places: { KEY: 'a setting, or any other key of the file' },
  flags: PROJECT,
  run: async (io, given) => (await load()).unsetConfig(io, given),
}
