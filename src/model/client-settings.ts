import type { Canary } from './client.ts'
import type { Lock } from './lock.ts'

/** Scope of settings: all projects of a user, one project on this machine, or one committed project. */
export const SCOPES = ['user', 'local', 'project'] as const

export type Scope = (typeof SCOPES)[number]

/** A narrower scope overrides a wider one. */
export const WIDEST_FIRST = ['user', 'project', 'local'] as const satisfies readonly Scope[]

/** What the settings of a client need to call Holdfast. */
export interface Wiring {
  readonly scope: Scope
  /** Refuse calls if the daemon does not answer. */
  readonly failsClosed: boolean
  /** Allow agents to run the safe commands of `holdfast` without asking. */
  readonly allowsHoldfast: boolean
  /** Allow agents to call skills without asking. */
  readonly allowsSkills?: boolean
  /** Show the session state below the user's own status line. */
  readonly statusLine: boolean
  /** What the client's sandbox is to keep from agents. */
  readonly lock?: Lock | undefined
  /** What it kept before, and the settings without it. */
  readonly locked?: { readonly lock: Lock; readonly original: string } | undefined
  /** The home of the daemon and the launcher that starts it. */
  readonly home: string
  readonly launcher: string
}

/** What hooks of this home name: a command its home, an http hook of an older version its port and token. */
export interface HttpKey {
  readonly port: number | string
  readonly token: string
  /** The home of the daemon, which commands name. */
  readonly home: string
}

/** One way in which settings call Holdfast; only older versions wrote http. */
export type Way =
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'command'; readonly command: string }

/** What settings say about Holdfast. */
export interface Wired {
  /** Each once; empty if Holdfast is not installed. */
  readonly ways: readonly Way[]
  readonly failsClosed: boolean
  readonly allowsHoldfast: boolean
  /** Agents may call every skill without asking; also by a rule of the user. */
  readonly allowsSkills?: boolean
  /** Agents may run every command of `holdfast` without asking, as older versions set it. */
  readonly allowsAnything?: boolean
  /** The status line command, if any. */
  readonly statusLine?: { readonly command: string; readonly isOurs: boolean }
  /** What the client's sandbox keeps from agents, if we set it up. */
  readonly lock?: Lock
  readonly unlocked?: Unlocked
  /** Whether our plugin is enabled, by name; its hooks run beside those of the settings. */
  readonly plugins?: Readonly<Record<string, boolean>>
  /** Whether these settings turn all hooks off; a stronger scope decides. */
  readonly off: boolean | undefined
  /** Settings that keep the client from calling Holdfast. */
  readonly obstacles: readonly Obstacle[]
}

/** What in settings leaves a way out of the sandbox. */
export interface Unlocked {
  /** The paths of switches that do not have the value of the lock. */
  readonly switches: readonly string[]
  /** Entries of others that let commands run outside, with their path. */
  readonly commands: readonly string[]
}

/** `managed`: an organization enforces it. `unread`: the client ignores the whole file. */
export interface Obstacle {
  readonly kind: 'disabled' | 'managed' | 'unread'
  /** In a sentence. */
  readonly says: string
}

/** A Holdfast handler that a client calls; a guard only checks that the daemon could answer. */
export interface Handler {
  readonly way: Way
  readonly isGuard: boolean
}

/** What in settings makes a client call us; each text counts as a whole. */
export interface Calls {
  /** Our handlers with all their fields, and our enabled plugins. */
  readonly ours: readonly string[]
  /** What could be forbidden and is not. */
  readonly allowed: readonly string[]
}

/** The ways in which an installed hook can have no effect. */
export const FLAWS = {
  'hook-event':
    'a Holdfast hook is registered for an event that the client does not have or Holdfast does not use',
  'hook-missing': 'an event that the rules need has no Holdfast hook',
  'hook-shadowed': 'the settings repeat a key, and the copy with Holdfast hooks is ignored',
  'hook-matcher': 'a matcher hides tools or events from Holdfast',
  'hook-condition': 'an `if` hides calls from Holdfast',
  'hook-type': 'an http hook is registered where the client accepts only commands',
  'hook-async': 'a hook runs in the background, where the client ignores refusals',
  'hook-timeout': 'a time limit is in the wrong unit',
} as const

export interface Flaw {
  readonly code: keyof typeof FLAWS
  readonly detail: string
}

/**
 * The settings of a client as text, in which everything that is not ours stays as it stands. Pure; settings that
 * cannot be understood are an `invalid` error.
 */
export interface Settings {
  /** Where they lie, below the client's own folder of this user or below a project. */
  path(scope: Scope, folders: { readonly user: string; readonly project: string }): string
  /** Those that an organisation gives to all users of a machine, if the client has such. */
  managed?(platform: string): string
  wire(text: string | undefined, wiring: Wiring): string
  /** Takes out what is ours; `original` is what they were before, so that nothing of it goes. */
  unwire(text: string, original: string | undefined, locked?: Lock): string
  read(text: string): Wired
  /** Takes out what turns hooks off. */
  enable(text: string): string
  /** Those of our handlers that the client calls for an event. */
  called(text: string, canary: Canary): readonly Handler[]
  /** What in them makes the client call us, to compare two texts. */
  calls(text: string, wiring: Pick<HttpKey, 'port'>): Calls
  /** Whether all of them together make the client ask us before each tool call. */
  asks(texts: readonly string[], wiring: HttpKey): boolean
  flaws(text: string): readonly Flaw[]
}
