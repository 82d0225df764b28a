import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../model/client-files.ts'
import { type Config, type ConfigOwner, SETTING_NAMES, settingOf } from '../model/config.ts'
import { mergedConfig } from '../model/own-words.ts'
import { OUR_FOLDER } from '../model/our-folder.ts'
import { type ConfigFault, readConfigText } from '../skills/config-text.ts'

/** A config file as it was read. */
export interface ConfigFile {
  readonly path: string
  readonly owner: ConfigOwner
  readonly values: Config
  readonly faults: readonly ConfigFault[]
}

/** The config file of a project. */
export const projectConfigPath = (project: string): string => join(project, OUR_FOLDER, 'config.yaml')

/** Parsing takes time that other projects wait for. */
const MOST_BYTES = 16_384

/** What is wrong with a config file that is not read at all. */
export const NOT_A_CONFIG = `It must be a regular file of at most ${MOST_BYTES / 1024} KB.`

/** Reads a config file; a missing one is empty, and an unreadable one is a fault. */
export function readConfigFile(path: string, owner: ConfigOwner): ConfigFile {
  try {
    const text = textAt(path)
    if (text === '') return { path, owner, values: {}, faults: [] }
    if (text !== undefined) return { path, owner, ...readConfigText(text, owner) }
    return unread(path, owner, NOT_A_CONFIG)
  } catch (error) {
    return unread(
      path,
      owner,
      `It cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    )
  }
}

const unread = (path: string, owner: ConfigOwner, message: string): ConfigFile => ({
  path,
  owner,
  values: {},
  faults: [{ line: 1, name: undefined, message }],
})

/** The text of a file, empty if it is missing; undefined if it is too large or no regular file. */
function textAt(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return ''
  // NONBLOCK, because opening a pipe would otherwise wait for its other end.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!fstatSync(file).isFile()) return undefined
    const bytes = Buffer.alloc(MOST_BYTES + 1)
    const length = readSync(file, bytes)
    return length > MOST_BYTES ? undefined : bytes.toString('utf8', 0, length)
  } finally {
    closeSync(file)
  }
}

/** The environment with the variables that the user's file sets; those of the environment win. */
export function withUserConfig(env: Environment, path: string): Environment {
  const { values } = readConfigFile(path, 'user')
  const added = SETTING_NAMES.flatMap((name) => {
    const { variable } = settingOf(name)
    const value = values[name]
    return variable === undefined || value === undefined || (env[variable] ?? '') !== ''
      ? []
      : [[variable, value] as const]
  })
  return { ...env, ...Object.fromEntries(added) }
}

type OnFault = (file: ConfigFile, fault: ConfigFault) => void

/**
 * Returns the settings of a project, or of the user if it is empty, for hooks: never throws, and reads a file again only after a change. Faulty
 * settings have their usual values.
 */
export function configReader(user: string, onFault: OnFault): (project: string) => Config {
  const known = new Map<string, { readonly mark: string; readonly values: Config }>()
  const valuesOf = (path: string, owner: ConfigOwner): Config => {
    const mark = markOf(path)
    const last = known.get(path)
    if (last?.mark === mark) return last.values
    const file = readConfigFile(path, owner)
    for (const fault of file.faults) onFault(file, fault)
    if (known.size >= MOST_FILES) known.clear()
    known.set(path, { mark, values: file.values })
    return file.values
  }
  return (project) => {
    const own = valuesOf(user, 'user')
    return project === '' ? own : mergedConfig(own, valuesOf(projectConfigPath(project), 'project'))
  }
}

const MOST_FILES = 1000

function markOf(path: string): string {
  try {
    const info = statSync(path, { throwIfNoEntry: false })
    return info === undefined ? '' : `${info.ino} ${info.mtimeMs} ${info.size}`
  } catch {
    return 'unreadable'
  }
}
