import type { Canary } from './client.ts'

/** Whose settings: all projects of a user, one project on this machine, or one project wherever it is checked out. */
export const SCOPES = ['user', 'local', 'project'] as const

export type Scope = (typeof SCOPES)[number]

/** What a narrower scope says wins over a wider one. */
export const WIDEST_FIRST = ['user', 'project', 'local'] as const satisfies readonly Scope[]

/** All that the settings of a client must know to call us. */
export interface Wiring {
  readonly scope: Scope
  /** Whether what is asked of us is refused where we do not answer. */
  readonly failsClosed: boolean
  /** Whether agents may run `holdfast` without asking. */
  readonly allowsHoldfast: boolean
  /** Whether the client draws where its session stands, below the user's own status line. */
  readonly statusLine: boolean
  readonly port: number | string
  readonly token: string
  /** The folder of the daemon, and the program that brings it up. */
  readonly home: string
  readonly node: string
  readonly entry: string
}

/** One way by which settings call us. */
export type Way =
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'command'; readonly command: string }

/** What settings say of us. */
export interface Wired {
  /** Each only once; none where we are not installed. */
  readonly ways: readonly Way[]
  readonly failsClosed: boolean
  readonly allowsHoldfast: boolean
  /** The command of the status line, if there is one. */
  readonly statusLine?: { readonly command: string; readonly isOurs: boolean }
  /** Whether our plugin is enabled, by the names that it has there: its hooks come beside those of settings. */
  readonly plugins?: Readonly<Record<string, boolean>>
  /** Whether all hooks are off, where these settings say; those of a scope that counts more decide. */
  readonly off: boolean | undefined
  /** What in these settings keeps the client from calling us. */
  readonly obstacles: readonly Obstacle[]
}

/** `managed`: an organisation wants it so. */
export interface Obstacle {
  readonly kind: 'disabled' | 'forbidden' | 'managed'
  /** In a sentence. */
  readonly says: string
}

/** A handler of ours that a client calls; a guard only looks whether we could be asked. */
export interface Handler {
  readonly way: Way
  readonly isGuard: boolean
}

/** The ways in which hooks of ours can be there for nothing. */
export const FLAWS = {
  'hook-event': 'a hook of ours stands under an event that the client does not have, or that is not for us',
  'hook-missing': 'an event that the rules need has no hook of ours',
  'hook-shadowed': 'a key stands twice in the settings, and hooks of ours under the one that does not count',
  'hook-matcher': 'a matcher keeps tools or moments from us',
  'hook-condition': 'an `if` keeps calls from us',
  'hook-type': 'an http hook stands where the client takes only commands',
  'hook-async': 'a hook runs in the background, where the client hears no refusal',
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
  unwire(text: string, original: string | undefined): string
  read(text: string, wiring: Pick<Wiring, 'port'>): Wired
  /** Takes out what turns hooks off. */
  enable(text: string, wiring: Pick<Wiring, 'port'>): string
  /** Those of our handlers that the client calls for an event. */
  called(text: string, canary: Canary): readonly Handler[]
  flaws(text: string): readonly Flaw[]
}
