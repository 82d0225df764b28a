import type { ClientSandbox } from '../../model/client-files.ts'
import type { Wired, Wiring } from '../../model/client-settings.ts'
import { type Lock, outsideOf } from '../../model/lock.ts'
import { drop, type JsonPath, put, putBack, valueAt } from '../json-text.ts'
import { listOf } from './fields.ts'
import { trial } from './trial.ts'

const ENABLED: JsonPath = ['sandbox', 'enabled']

/** Without these, the client runs a shell outside of its sandbox where it cannot be inside. */
const SWITCHES: readonly (readonly [JsonPath, boolean])[] = [
  [ENABLED, true],
  [['sandbox', 'failIfUnavailable'], true],
  [['sandbox', 'allowUnsandboxedCommands'], false],
]

const EXCLUDED: JsonPath = ['sandbox', 'excludedCommands']
const UNREAD: JsonPath = ['sandbox', 'filesystem', 'denyRead']
const UNWRITTEN: JsonPath = ['sandbox', 'filesystem', 'denyWrite']
/** The sandbox holds only shells; this holds the file tools. */
const DENY: JsonPath = ['permissions', 'deny']

/** The client loads what a memory file imports, without a call of a tool. */
const NOT_LOADED: JsonPath = ['claudeMdExcludes']

const LISTS: readonly (readonly [JsonPath, (lock: Lock) => readonly string[]])[] = [
  [EXCLUDED, (lock) => outsideOf(lock).map((begin) => `${begin} *`)],
  [UNREAD, ({ unread }) => unread],
  [UNWRITTEN, ({ unwritten, fixed }) => [...fixed, ...unwritten]],
  [NOT_LOADED, ({ unread }) => unread.flatMap((path) => [path, `${path}/**`])],
  [DENY, ({ unwritten }) => unwritten.map((path) => `Edit(/${path})`)],
]

const MASKS: readonly string[] = [
  '.bash_profile',
  '.bashrc',
  '.gitconfig',
  '.gitmodules',
  '.idea',
  '.mcp.json',
  '.profile',
  '.ripgreprc',
  '.vscode',
  '.zprofile',
  '.zshrc',
  '.claude/commands',
  '.claude/agents',
]

/** The sandbox of Claude Code: bubblewrap and socat on Linux, Seatbelt on macOS. */
export const sandbox: ClientSandbox = {
  trial,
  needs: (platform) => (platform === 'linux' ? { bwrap: 'bubblewrap', socat: 'socat' } : {}),
  // It hides these from shells as devices, also where they do not exist.
  masks: MASKS,
  guarded: ({ home, user, project }) => [
    ...['settings.json', 'skills', 'commands', 'agents', 'hooks', 'plugins', '.claude.json'].map(
      (name) => `${user}/${name}`,
    ),
    // The client reads these before each command, also before one outside of the sandbox.
    ...['shell-snapshots', 'session-env'].map((name) => `${user}/${name}`),
    ...['.bashrc', '.bash_profile', '.profile', '.zshrc', '.zshenv', '.zprofile', '.claude.json'].map(
      (name) => `${home}/${name}`,
    ),
    ...['settings.json', 'settings.local.json', 'skills', 'commands', 'agents', 'hooks'].map(
      (name) => `${project}/.claude/${name}`,
    ),
    `${project}/.mcp.json`,
  ],
}

/** Replaces the lock that these settings had by another one, or by none. */
export function wireLock(text: string, { lock, locked }: Pick<Wiring, 'lock' | 'locked'>): string {
  if (lock === undefined) return locked === undefined ? text : unwireLock(text, locked.lock, locked.original)
  let after = text
  for (const [path, entries] of LISTS) {
    const wanted = entries(lock)
    const gone = locked === undefined ? [] : entries(locked.lock).filter((entry) => !wanted.includes(entry))
    after = withoutEntries(after, path, gone)
  }
  for (const [path, value] of SWITCHES) if (valueAt(after, path) !== value) after = put(after, path, value)
  for (const [path, entries] of LISTS)
    for (const entry of entries(lock)) after = withEntry(after, path, entry)
  return after
}

function withEntry(text: string, path: JsonPath, entry: string): string {
  const list = valueAt(text, path)
  if (list === undefined) return put(text, path, [entry])
  const known = listOf(list)
  return known.includes(entry) ? text : put(text, [...path, known.length], entry)
}

function withoutEntries(text: string, path: JsonPath, entries: readonly string[]): string {
  let after = text
  const list = listOf(valueAt(text, path))
  for (const [index, entry] of [...list.entries()].toReversed())
    if (entries.some((one) => one === entry)) after = drop(after, [...path, index])
  return after
}

/** Takes out what a lock put in; what stood there before stays. */
export function unwireLock(text: string, lock: Lock, original: string): string {
  let after = text
  for (const [path, entries] of LISTS) {
    const kept = listOf(valueAt(original, path))
    const ours = entries(lock).filter((entry) => !kept.includes(entry))
    after = withoutEmpty(withoutEntries(after, path, ours), path, original)
  }
  for (const [path, value] of SWITCHES) {
    if (valueAt(after, path) !== value) continue
    after = valueAt(original, path) === undefined ? drop(after, path) : putBack(after, path, original)
  }
  for (const path of [UNREAD.slice(0, 2), ENABLED.slice(0, 1), DENY.slice(0, 1)])
    after = withoutEmpty(after, path, original)
  return after
}

function withoutEmpty(text: string, path: JsonPath, original: string): string {
  const value = valueAt(text, path)
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
  return isEmpty && valueAt(original, path) === undefined ? drop(text, path) : text
}

/** The sandbox of settings that exclude our commands; the lists include the user's own entries. */
export function readLock(body: string): Pick<Wired, 'lock' | 'unlocked'> {
  const excluded = listOf(valueAt(body, EXCLUDED)).map(String)
  const launcher = excluded.map((entry) => OURS.exec(entry)?.[1]).find((found) => found !== undefined)
  const foreign = (entries: readonly string[]) => entries.map((entry) => `${EXCLUDED.join('.')}: ${entry}`)
  if (launcher === undefined)
    return excluded.length === 0 ? {} : { unlocked: { switches: [], commands: foreign(excluded) } }
  const paths = (path: JsonPath) => listOf(valueAt(body, path)).map(String)
  const lock = { launcher, unread: paths(UNREAD), unwritten: paths(UNWRITTEN), fixed: [] }
  const ours = LISTS[0]?.[1](lock) ?? []
  return {
    lock,
    unlocked: {
      switches: SWITCHES.filter(([path, value]) => valueAt(body, path) !== value).map(([path]) =>
        path.join('.'),
      ),
      commands: foreign(excluded.filter((entry) => !ours.includes(entry))),
    },
  }
}

const OURS = /^(\/\S*\/bin\/holdfast) step \*$/
