import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Environment } from '../model/client-files.ts'

/** The home folder of the user. */
export const userHome = ({ HOME = '' }: Environment): string => resolve(HOME === '' ? homedir() : HOME)

/** A folder of the user that a variable of the XDG standard may name, but only as an absolute path. */
const standardFolder = (env: Environment, variable: string, usual: string): string =>
  env[variable]?.startsWith('/') === true ? env[variable] : join(userHome(env), usual)

export const configFolder = (env: Environment): string =>
  join(standardFolder(env, 'XDG_CONFIG_HOME', '.config'), 'holdfast')

/** Where `init` keeps copies of our program, for all homes of the user. */
export const programsFolder = (env: Environment): string =>
  join(standardFolder(env, 'XDG_DATA_HOME', '.local/share'), 'holdfast')

/** Where Node keeps what it compiled of our program (`bin/holdfast.js`). */
export const cacheFolder = (env: Environment): string =>
  join(standardFolder(env, 'XDG_CACHE_HOME', '.cache'), 'holdfast')
