import { isBaseUrl, namedModel, priceIn, providersFor, type AiUse } from './ai-provider.ts'
import { isWordSetting, type OwnWords, readOwn } from './own-words.ts'
import { hasControl, oneLine } from './text/line.ts'
import { nearest } from './text/nearest.ts'

/** One setting of the config files. */
interface Setting {
  readonly summary: string
  /** The value without a setting, as users write it; undefined if there is none. */
  readonly usual: string | undefined
  /** A value that works, if there is no usual one. */
  readonly example?: string
  /** The environment variable that wins over the files. */
  readonly variable?: string
  /** Only the user's file may set it, because the daemon serves every project. */
  readonly isUsersOnly?: true
  /** What the file of a project may say, if that is less than the user's. */
  readonly inProject?: { readonly wants: string; readonly accepts: (value: string) => boolean }
  /** What a value must be, in words. */
  readonly wants: string
  readonly accepts: (value: string) => boolean
}

const isCount = (value: string): boolean => /^[1-9]\d{0,8}$/.test(value)

/** The path of a task is its key, so it must be spelled in one way only. */
function isFolderBelow(value: string): boolean {
  const parts = value.replace(/\/$/, '').split('/')
  const isPlain = parts.every((part) => !['', '.', '..'].includes(part))
  return isPlain && !value.startsWith('~') && value.length <= 200 && !hasControl(value)
}

const isSwitch = (value: string): boolean => value === 'on' || value === 'off'

/** A switch for something that Holdfast says or keeps without being asked. */
const onOff = (summary: string) =>
  ({
    summary,
    usual: 'on',
    wants: 'on or off',
    accepts: isSwitch,
  }) satisfies Setting

/** A model that the user chose; a project could otherwise send texts anywhere. */
const model = (use: AiUse, summary: string) =>
  ({
    summary,
    usual: undefined,
    isUsersOnly: true,
    example: use === 'embed' ? 'ollama/nomic-embed-text' : 'ollama/llama3.2',
    wants: `PROVIDER/MODEL, with one of ${providersFor(use).join(', ')}`,
    accepts: (value) => namedModel(value, use) !== undefined,
  }) satisfies Setting

const baseUrl = (use: AiUse) =>
  ({
    summary: `the base URL of the provider in ai_${use}`,
    usual: undefined,
    isUsersOnly: true,
    example: 'http://127.0.0.1:8080/v1',
    wants: 'an http or https URL without a password, such as http://127.0.0.1:8080/v1',
    accepts: isBaseUrl,
  }) satisfies Setting

const price = (use: AiUse) =>
  ({
    summary: `dollars for a million tokens of ai_${use}; without it, no cost is recorded`,
    usual: undefined,
    isUsersOnly: true,
    example: '1/5',
    wants: 'a price such as 0.02, or two for prompt and answer, such as 1/5',
    accepts: (value) => priceIn(value) !== undefined,
  }) satisfies Setting

/** The settings of config.yaml; help, documentation and checks come from this list. */
export const SETTINGS = {
  tasks: {
    summary: 'the folder of a project in which tasks keep their files',
    usual: '.holdfast/tasks/',
    wants: 'a relative path inside the project of at most 200 characters',
    accepts: isFolderBelow,
  },
  plans: {
    summary: 'the folder of a project that keeps one folder for each runbook',
    usual: 'plans/',
    wants: 'a relative path inside the project of at most 200 characters',
    accepts: isFolderBelow,
  },
  recap: onOff('whether a session gets a recap after a start, a resume, a clear or a compaction'),
  directives: onOff('whether the agent gets the directives of the folders that it works in'),
  context_warnings: onOff('whether the agent is warned when its context is nearly full'),
  queue_reminder: onOff('whether a skill call reminds of open items in the queue'),
  memory: onOff('whether a skill call is told of earlier sessions and documents about its request'),
  todo_capture: onOff(
    'whether TODO notes of a conversation, and what the model of ai_generate finds in it, go into the queue before a compaction',
  ),
  modes: {
    ...onOff('whether tags such as `#ver` in a prompt set modes, or a map of own modes'),
    wants: 'on, off or a map of modes',
  },
  shortcuts: {
    summary:
      'whether a prompt such as `xc` is a shortcut, or a map of own ones; auto: if the project has a session file',
    usual: 'auto',
    wants: 'on, off, auto or a map of shortcuts',
    accepts: (value) => isSwitch(value) || value === 'auto',
  },
  session_file: {
    summary: 'the session file of a project, which turns shortcuts on; else agents/session.md or session.md',
    usual: undefined,
    wants: 'a relative path inside the project of at most 200 characters',
    accepts: isFolderBelow,
  },
  ai: {
    ...onOff(
      'whether texts may go to the models of ai_embed and ai_generate; a project can only turn it off',
    ),
    inProject: { wants: 'off', accepts: (value) => value === 'off' },
  },
  ai_embed: model('embed', 'the model that gives search the meaning of texts'),
  ai_embed_url: baseUrl('embed'),
  ai_embed_dims: {
    summary: 'the dimensions to ask the model of ai_embed for, if it can give several',
    usual: undefined,
    isUsersOnly: true,
    example: '1024',
    wants: 'a whole number from 16 to 4096',
    accepts: (value) => isCount(value) && Number(value) >= 16 && Number(value) <= 4096,
  },
  ai_embed_price: price('embed'),
  ai_generate: model('generate', 'the model that writes summaries'),
  ai_generate_url: baseUrl('generate'),
  ai_generate_price: price('generate'),
  ai_per_minute: {
    summary: 'the most calls of one provider in a minute',
    usual: undefined,
    isUsersOnly: true,
    wants: 'a whole number above 0',
    accepts: isCount,
  },
  status_line: onOff('whether the status line of the client shows the effort'),
  log: {
    summary: 'the lowest level of messages in the log of the daemon',
    usual: 'info',
    variable: 'HOLDFAST_LOG',
    isUsersOnly: true,
    wants: 'debug, info, warn or error',
    accepts: (value) => ['debug', 'info', 'warn', 'error'].includes(value),
  },
  stale_seconds: {
    summary: 'a session that is silent for this long counts as stale',
    usual: '300',
    variable: 'HOLDFAST_STALE_SECONDS',
    isUsersOnly: true,
    wants: 'a whole number above 0',
    accepts: isCount,
  },
  memory_milliseconds: {
    summary: 'how long a skill call waits for what the index knows about its request',
    usual: '500',
    variable: 'HOLDFAST_MEMORY_MILLISECONDS',
    isUsersOnly: true,
    wants: 'a whole number above 0',
    accepts: isCount,
  },
  idle_seconds: {
    summary: 'the daemon exits after this long without a call, unless a session is open',
    usual: undefined,
    variable: 'HOLDFAST_IDLE_SECONDS',
    isUsersOnly: true,
    wants: 'a whole number above 0',
    accepts: isCount,
  },
  backup: {
    summary: 'whether the daemon makes a backup of its SQLite database every day',
    usual: 'daily',
    variable: 'HOLDFAST_BACKUP',
    isUsersOnly: true,
    wants: 'daily or off',
    accepts: (value) => value === 'daily' || value === 'off',
  },
  keep_backups: {
    summary: 'how many backups to keep',
    usual: '7',
    variable: 'HOLDFAST_KEEP_BACKUPS',
    isUsersOnly: true,
    wants: 'a whole number above 0',
    accepts: isCount,
  },
  keep_days: {
    summary: 'how many days to keep tool messages of ended sessions; those of open efforts stay',
    usual: '30',
    variable: 'HOLDFAST_KEEP_DAYS',
    isUsersOnly: true,
    wants: 'a whole number above 0, or off',
    accepts: (value) => value === 'off' || isCount(value),
  },
  keep_megabytes: {
    summary: 'a larger SQLite database keeps tool messages for a shorter time, but for a week at least',
    usual: '1024',
    variable: 'HOLDFAST_KEEP_MEGABYTES',
    isUsersOnly: true,
    wants: 'a whole number above 0',
    accepts: isCount,
  },
  http: {
    summary: 'whether the daemon opens loopback HTTP, which hooks of tool calls need',
    usual: 'on',
    variable: 'HOLDFAST_HTTP',
    isUsersOnly: true,
    wants: 'on or off',
    accepts: isSwitch,
  },
} as const satisfies Readonly<Record<string, Setting>>

export type SettingName = keyof typeof SETTINGS

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]

/** A setting by its name. */
export const settingOf = (name: SettingName): Setting => SETTINGS[name]

/** The settings of a file, or of several. */
export type Config = Readonly<Partial<Record<SettingName, string>>> & { readonly own?: OwnWords }

export const isSetting = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name)

/** Whose file it is; the file of a project wins. */
export type ConfigOwner = 'user' | 'project'

/** What is wrong with a setting; undefined if nothing is. */
export function faultOf(name: string, value: unknown, owner: ConfigOwner): string | undefined {
  if (!isSetting(name)) return unknownSetting(name)
  const { isUsersOnly, inProject, ...users } = settingOf(name)
  const { accepts, wants } = owner === 'project' ? (inProject ?? users) : users
  if (isUsersOnly === true && owner === 'project')
    return `${name} works only in the user's config, because one daemon serves all projects.`
  const text = textOf(value)
  return text !== undefined && accepts(text) ? undefined : `${name} must be ${wants}, not ${shown(value)}.`
}

/** Reads an entry of a map of own words; `fault` names the entry. */
export function ownEntry(name: string, key: string, value: unknown) {
  if (!isWordSetting(name)) return undefined
  const read = readOwn[name](key, value)
  return typeof read === 'object' && 'fault' in read
    ? { fault: `${name} ${shown(key)}: ${read.fault}` }
    : { key, read }
}

/** A value as text; YAML reads a bare word as a boolean or a number. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return typeof value === 'string' ? value : undefined
}

const shown = (value: unknown): string => oneLine(JSON.stringify(value) ?? 'nothing', 200)

/** The sentence about a name that is no setting, with the nearest one. */
export function unknownSetting(name: string): string {
  const [meant] = nearest(name, SETTING_NAMES)
  const known =
    meant === undefined ? `Known settings: ${SETTING_NAMES.join(', ')}.` : `Did you mean ${meant}?`
  return `Unknown setting ${shown(name)}. ${known}`
}
