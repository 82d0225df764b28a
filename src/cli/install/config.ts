import { existsSync, lstatSync, readFileSync, realpathSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type ConfigFile, projectConfigPath, readConfigFile } from '../../files/config.ts'
import { makeFoldersSync } from '../../files/place.ts'
import { findHome } from '../../daemon/home.ts'
import { notWritten, writeWhole } from '../../daemon/write-whole.ts'
import {
  type ConfigOwner,
  faultOf,
  isSetting,
  SETTING_NAMES,
  type SettingName,
  settingOf,
  unknownSetting,
} from '../../model/config.ts'
import { EngineError } from '../../model/error.ts'
import { isWordSetting, WORD_SETTINGS } from '../../model/own-words.ts'
import { shellWord } from '../../model/shell/word.ts'
import { editConfigText } from '../../skills/config-text.ts'
import type { Arguments } from '../frame/args.ts'
import { type Io, usage } from '../frame/io.ts'
import { printResult } from '../frame/show.ts'
import { table } from '../frame/table.ts'
import { projectAround } from '../daemon/project-here.ts'
import { Remote } from '../daemon/remote.ts'
import { projectFolder } from './place.ts'

/** Prints every setting with its value and its source. */
export function listConfig(io: Io): number {
  const files = filesOf(io)
  const settings = SETTING_NAMES.map((name) => valueOf(io, files, name))
  const problems = files.flatMap(({ path, faults }) =>
    faults.map(({ line, message }) => ({ path, line, message })),
  )
  const [user, project] = files.map(({ path }) => path)
  const own = files.flatMap(ownIn)
  printResult(io, { user, project, settings: settings.map(forPrograms), own, problems }, () =>
    [
      table(io, settings),
      ...own.map(({ key, names, source }) => `Own ${key} (${source}): ${names.join(', ')}`),
      `User: ${user}`,
      `Project: ${project}`,
      ...problems.map(({ path, line, message }) => `${path}:${line}: ${message}`),
    ].join('\n'),
  )
  return 0
}

/** The modes and shortcuts of a file, by name. */
const ownIn = ({ owner, values: { own } }: ConfigFile) =>
  WORD_SETTINGS.flatMap((key) =>
    own?.[key] === undefined
      ? []
      : [
          {
            key,
            source: owner,
            names: Object.entries(own[key]).map(
              ([name, value]) =>
                `${key === 'modes' ? '#' : ''}${name}${typeof value === 'string' ? ` ${value}` : ''}`,
            ),
          },
        ],
  )

/** Prints the value of one setting. */
export function getConfig(io: Io, key: string): number {
  const setting = valueOf(io, filesOf(io), knownSetting(key))
  printResult(io, forPrograms(setting), () => setting.value ?? '')
  return 0
}

/** Changes one setting. */
export async function setConfig(io: Io, given: Arguments): Promise<number> {
  const [key = '', value = ''] = given.positionals
  const file = fileMeant(io, given)
  const name = knownSetting(key)
  if (isWordSetting(name) && file.values.own?.[name] !== undefined)
    throw usage(
      `${name} in ${file.path} is a map of your own, which this value would replace. Edit the file, or remove the map first.`,
      `holdfast config unset ${name}${file.owner === 'project' ? ' --project' : ''}`,
    )
  const fault = faultOf(name, value, file.owner)
  if (fault !== undefined) throw usage(fault, rightWay(name, value, file.owner))
  if (file.owner === 'project') await checkProject(io, file, `${name} ${shellWord(value)}`)
  return change(io, file, key, value)
}

/** A folder that is no repository is a project only if the daemon knows it; no other gets a folder of ours. */
async function checkProject(io: Io, file: ConfigFile, words: string): Promise<void> {
  const folder = projectFolder(io, {})
  if (existsSync(join(folder, '.git')) || existsSync(dirname(file.path))) return
  using remote = new Remote(io)
  const path = (await projectAround(remote, folder))?.path
  if (path === folder) return
  const first = path === undefined ? `holdfast project upsert ${shellWord(folder)}` : `cd ${shellWord(path)}`
  throw usage(
    path === undefined ? `${folder} is not in a project.` : `${folder} is not the root of its project.`,
    `${first} && holdfast config set ${words} --project`,
  )
}

/** The command that works: with the given value if only its file was wrong. */
function rightWay(name: SettingName, value: string, owner: ConfigOwner): string {
  const isGood = faultOf(name, value, 'user') === undefined
  const { isUsersOnly, inProject } = settingOf(name)
  const isHere = owner === 'project' && isUsersOnly !== true && inProject === undefined
  return `holdfast config set ${name} ${isGood ? shellWord(value) : exampleOf(name)}${isHere ? ' --project' : ''}`
}

/** Removes one key, known or not. */
export const unsetConfig = (io: Io, given: Arguments): number =>
  change(io, fileMeant(io, given), given.positionals[0] ?? '', undefined)

const filesOf = (io: Io): readonly ConfigFile[] => [
  readConfigFile(findHome(io.env).config, 'user'),
  readConfigFile(projectConfigPath(projectFolder(io, {})), 'project'),
]

function fileMeant(io: Io, { switches }: Arguments): ConfigFile {
  const owner: ConfigOwner = switches.has('project') ? 'project' : 'user'
  const [user, project] = filesOf(io)
  const file = owner === 'user' ? user : project
  if (file === undefined) throw new TypeError('Each owner has a file.')
  return file
}

function valueOf({ env }: Io, files: readonly ConfigFile[], key: SettingName) {
  const { usual, variable, summary } = settingOf(key)
  const given = variable === undefined ? '' : (env[variable] ?? '')
  const file = files.findLast(({ values }) => values[key] !== undefined)
  const [value, source] =
    given !== ''
      ? [given, variable ?? '']
      : file === undefined
        ? [usual ?? null, 'default']
        : [file.values[key] ?? null, file.owner]
  return { key, value, source, summary }
}

/** Numbers and switches as typed values. */
const forPrograms = <T extends { readonly value: string | null }>(one: T) => ({
  ...one,
  value: one.value === 'on' ? true : one.value === 'off' ? false : numberIn(one.value),
})

const numberIn = (value: string | null): string | number | null =>
  value !== null && /^\d+$/.test(value) ? Number(value) : value

function knownSetting(key: string): SettingName {
  if (isSetting(key)) return key
  throw new EngineError('not-found', unknownSetting(key), { field: 'KEY', hint: 'holdfast config list' })
}

function exampleOf(key: SettingName): string {
  const { usual, example } = settingOf(key)
  return shellWord(usual ?? example ?? '3600')
}

/** Writes the file as a whole; a link stays a link. */
function change(io: Io, file: ConfigFile, key: string, value: string | undefined): number {
  const { path, owner } = file
  const isThere = existsSync(path)
  const before = isThere ? readFileSync(path, 'utf8') : ''
  const broken = file.faults.find(({ name }) => name === undefined)
  if (broken !== undefined)
    throw new EngineError('invalid', `${path}:${broken.line}: ${broken.message} Nothing written.`, {
      hint: `mv ${shellWord(path)} ${shellWord(`${path}.broken`)}`,
    })
  const after = editConfigText(before, key, value)
  if (after.trim() === '' && isThere && !lstatSync(path).isSymbolicLink()) removeEmpty(path)
  else if (after !== before) {
    const target = isThere ? realpathSync(path) : path
    const mode = isThere ? statSync(target).mode & 0o777 : owner === 'user' ? 0o600 : 0o644
    try {
      makeFoldersSync(dirname(target))
    } catch (error) {
      throw notWritten(target, error)
    }
    writeWhole(target, after, mode)
  }
  const result = forPrograms({ key, value: value ?? null, path, written: after !== before })
  printResult(io, result, () => {
    const what = value === undefined ? `${key} is not set` : `${key} is ${value}`
    return `${what} in ${path}.${isDaemons(key) ? ' A running daemon takes it over when it starts again: holdfast daemon stop' : ''}`
  })
  return 0
}

/** Removes a file that says nothing, and its folder if nothing else is in it. */
function removeEmpty(path: string): void {
  rmSync(path)
  try {
    rmdirSync(dirname(path))
  } catch {
    // The folder keeps other files.
  }
}

const isDaemons = (key: string): boolean => isSetting(key) && settingOf(key).variable !== undefined
