import type { ClientFolders, ClientPlugins, Environment } from './client-files.ts'
import type { Settings } from './client-settings.ts'
import type { Decision } from './decision.ts'
import type { HookEvent } from './event.ts'
import type { Routes } from './coverage.ts'
import type { ContextMeasure } from './session.ts'
import type { NewMessage } from './transcript.ts'

/** What a client does with an answer to one of its events. */
export interface Honours {
  readonly kind: HookEvent['kind']
  /** What a block comes to; nothing where the event cannot be refused. */
  readonly block?: string | undefined
  /** With which decisions contexts reach the agent. */
  readonly context: readonly Decision['kind'][]
  /** With which decisions a notice reaches the user. */
  readonly notice: readonly Decision['kind'][]
}

/** An event that tries whether hooks come through and are listened to. */
export interface Canary {
  readonly event: string
  readonly payload: object
  /** What must come back for it. */
  readonly wants: 'refusal' | 'context' | 'nothing'
}

/** What a client would take from a reply. */
export type Heard = Canary['wants'] | 'unreadable'

/** What a part of a client's own transcript says. */
export interface TranscriptTail {
  readonly messages: readonly NewMessage[]
  /** How full the context was last; nothing where it does not say. */
  readonly usage?: ContextMeasure | undefined
}

/** How a client and we talk. Both directions are pure and throw nothing, whatever they are given. */
export interface Protocol {
  /** Its events by the names that it gives them. */
  readonly events: ReadonlyMap<string, Honours>
  decode(payload: unknown): HookEvent
  /** The payload, marked as one of this kind; unchanged if the client has no such event. */
  named(payload: unknown, kind: HookEvent['kind']): unknown
  /** The body of the reply, or nothing for an empty one. What the client would drop or misread is left out. */
  encode(decision: Decision, event: HookEvent): unknown
}

/** The sessions of a client. */
export interface Sessions {
  /** Whole lines of its own transcript, in our words. */
  transcript(text: string): TranscriptTail
  /** The id of the session that runs a command, from the environment of that command. */
  sessionIn(env: Environment): string | undefined
  /** The command with which a user opens a session again. */
  resume(session: string): string
}

/** Events of our own that try the hooks of a client. */
export interface Trials {
  /** One for each event that we listen to, and more where an event has several ways. */
  canaries(session: string): readonly Canary[]
  heard(reply: string, event: string): Heard
}

/** An agent program that we can be hooked into. Everything that depends on it is here; nothing else knows its name. */
export interface Client extends Protocol, Sessions, Trials {
  /** What users and URLs call it; its folder in src/clients has the same name. */
  readonly name: string
  readonly folders: ClientFolders
  /** What the names of its environment variables begin with. */
  readonly variables: string
  /** The files beside the work that it gives to its agent itself; the others at the root, where there are none of the first. */
  readonly instructions: { readonly names: readonly string[]; readonly otherwise: readonly string[] }
  readonly settings: Settings
  readonly routes: Routes
  readonly plugins?: ClientPlugins
  /** Set if the client draws a status line: what it passes to the command, for a session and its folder. */
  readonly statusLine?: (session: string, cwd: string) => object
}

/** The clients that are known, by name, in the order of the list. */
export type Clients = ReadonlyMap<string, Client>

/** The client that a caller names; the first of the list if it names none. */
export const clientMeant = (clients: Clients, name: string | undefined): Client | undefined =>
  name === undefined ? clients.values().next().value : clients.get(name)
