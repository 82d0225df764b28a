import { LEVELS } from './level.ts'
import { shellWord } from './shell/word.ts'

/** The words of one call of our program, without its name. */
export type OurWords = readonly string[]

/** What was typed after the name of a command. */
export interface Typed {
  readonly positionals: readonly string[]
  /** Flags by their declared names; a switch has the value `true`. */
  readonly flags: Readonly<Record<string, string>>
}

/** True if a command, as typed, loosens the rules that hold an agent. */
type Loosens = (typed: Typed) => boolean

const always: Loosens = () => true
const never: Loosens = () => false
const withFlag =
  (...names: readonly string[]): Loosens =>
  ({ flags }) =>
    names.some((name) => flags[name] !== undefined && flags[name] !== 'false')

const isLevel = (word: string): boolean => LEVELS.some((level) => level === word)

const all = (loosens: Loosens, names: string): readonly (readonly [string, Loosens])[] =>
  names
    .trim()
    .split(/\s*,\s*/)
    .map((name) => [name, loosens])

/** Every command, and when it is a door: a way to loosen the rules. Each new command is added here. */
export const COMMAND_DOORS: ReadonlyMap<string, Loosens> = new Map([
  ...all(always, 'init, effort approve, config set, config unset, daemon stop, daemon rotate-token, hook'),
  ['uninstall', ({ flags }) => flags['dry_run'] === undefined],
  ['enforce', ({ positionals, flags }) => positionals.some(isLevel) || flags['session_gate'] !== undefined],
  ['pause', ({ positionals, flags }) => positionals[0] !== 'off' && flags['off'] === undefined],
  ['rpc', ({ positionals: [method, params] }) => isMethodDoor(method, params)],
  ...all(withFlag('reason', 'user_approved'), 'effort start, session activate'),
  ...all(withFlag('reason', 'user_approved'), 'effort phase, session phase, step go'),
  ...all(withFlag('abandon'), 'effort finish'),
  ...all(always, 'directive dereference'),
  ...all(
    never,
    `hooks enable, config list, config get, status, recap, fleet, why, prove, span tree, ledger, log, logs,
    query, doctor, completion, demo, statusline, daemon start, daemon status, daemon run`,
  ),
  ...all(
    never,
    `effort show, effort list, effort validate, effort find-active, effort tick, step, step done, step fail, step skip,
    pipeline, pipeline start, pipeline next, pipeline done, pipeline fail, pipeline status`,
  ),
  ...all(
    never,
    `session continue, session dehydrate, session check, session init, session debrief, session idle,
    session deactivate, session restart, session find, session finish, session heartbeat, session mark-stale,
    session start, session update-context-usage, session update-loaded-files`,
  ),
  ...all(
    never,
    `project list, project upsert, task find, task list, task upsert, artifact list, artifact put, agent claim,
    agent show, agent list, agent register, agent release, directive discover, directive resolve, queue add,
    queue list, queue resolve, run list, run show, run publish, run log, skill check, skill list, skill show,
    skill graph, skill new, skill link`,
  ),
])

type MethodLoosens = (params: Readonly<Record<string, unknown>>) => boolean

const given =
  (...names: readonly string[]): MethodLoosens =>
  (params) =>
    names.some((name) => params[name] !== undefined && params[name] !== null)

/** The methods that are doors when a caller names them; no other method loosens anything. */
export const METHOD_DOORS: ReadonlyMap<string, MethodLoosens> = new Map([
  ...[
    'db.effort.approve',
    'db.project.setLevel',
    'db.project.setSessionGate',
    'db.skills.delete',
    'db.skills.upsert',
    // Only `prove` runs the command of the plan; a caller could report any exit code.
    'evidence.begin',
    'evidence.finish',
    'daemon.stop',
    'daemon.handOver',
    'daemon.rotateToken',
    'door.open',
    // These read and write files of a project past the gates.
    'fs.files.read',
    'fs.files.append',
    'agent.directives.dereference',
  ].map((name) => [name, () => true] as const),
  ...['db.effort.phase', 'step.enter'].map((name) => [name, given('reason')] as const),
  ['db.effort.finish', given('abandon')],
  ['commands.effort.start', given('user_approved')],
])

/** The methods that tell an event; only a client may. */
const EVENTS = /^hooks\./

function isMethodDoor(method: string | undefined, params: string | undefined): boolean {
  if (method === undefined) return false
  if (EVENTS.test(method)) return true
  const loosens = METHOD_DOORS.get(method)
  return loosens !== undefined && loosens(parsed(params))
}

/** What cannot be read here may say anything. */
function parsed(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined) return {}
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  } catch {
    return { reason: text, abandon: text, user_approved: text }
  }
}

/** True if these words call a door. Without the declared flags, a flag takes the next word unless that is one too. */
export function isDoor(words: OurWords): boolean {
  const { name, rest } = named(words)
  return COMMAND_DOORS.get(name)?.(typedIn(rest)) ?? false
}

/** The longest name of a command that the words begin with. */
function named(words: OurWords): { readonly name: string; readonly rest: OurWords } {
  const from = words.findIndex((word) => !word.startsWith('-'))
  const own = from === -1 ? [] : words.slice(from)
  for (const length of [3, 2, 1]) {
    const name = own.slice(0, length).join(' ')
    if (own.length >= length && COMMAND_DOORS.has(name)) return { name, rest: own.slice(length) }
  }
  return { name: '', rest: [] }
}

function typedIn(words: OurWords): Typed {
  const positionals: string[] = []
  const flags: Record<string, string> = {}
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '--') {
      positionals.push(...words.slice(at + 1))
      break
    }
    if (!/^--?[a-zA-Z]/.test(word)) {
      positionals.push(word)
      continue
    }
    const [typed = '', ...after] = word.split('=')
    flags[typed.replace(/^-+/, '').replaceAll('-', '_')] = after.length > 0 ? after.join('=') : 'true'
  }
  return { positionals, flags }
}

/** Why an agent may not open doors, and who may. */
export const onlyTheUser = (doors: readonly OurWords[]): string =>
  `Only the user can loosen the rules. Next: ask the user to run ${doors.map(asCommand).join(' and ')} in a terminal of their own, or go on within the plan (holdfast step shows how).`

/** A call as the user would type it. */
export const asCommand = (words: OurWords): string => ['holdfast', ...words.map(shellWord)].join(' ')
