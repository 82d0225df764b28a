import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../model/client-files.ts'
import { type Config, type ConfigOwner, SETTING_NAMES, settingOf } from '../model/config.ts'
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

/** Reads a config file; a missing one is empty, and an unreadable one is a fault. */
export function readConfigFile(path: string, owner: ConfigOwner): ConfigFile {
  try {
    if (statSync(path, { throwIfNoEntry: false }) === undefined)
      return { path, owner, values: {}, faults: [] }
    return { path, owner, ...readConfigText(readFileSync(path, 'utf8'), owner) }
  } catch (error) {
    const message = `It cannot be read: ${error instanceof Error ? error.message : String(error)}.`
    return { path, owner, values: {}, faults: [{ line: 1, name: undefined, message }] }
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
 * Returns the settings of a project, for hooks: never throws, and reads a file again only after a change. Faulty
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
  return (project) => ({ ...valuesOf(user, 'user'), ...valuesOf(projectConfigPath(project), 'project') })
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
